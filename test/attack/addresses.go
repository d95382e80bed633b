package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// attackAddresses has the server fetch documents and datasets from addresses inside the
// network, written in every way that some library reads. A witness on this machine must not
// be reached, by any of its names.
func attackAddresses(ctx context.Context, t *target, out *tally) error {
	var reached atomic.Int64
	witness := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = w.Write([]byte("the witness was reached"))
	}))
	defer witness.Close()
	_, port, err := net.SplitHostPort(witness.Listener.Addr().String())
	if err != nil {
		return err
	}
	_, own, err := net.SplitHostPort(strings.TrimPrefix(t.url, "http://"))
	if err != nil {
		return err
	}
	for _, address := range addresses(port, own) {
		for path, body := range map[string]map[string]any{
			"/ingest/url":        {"url": address, "ontology": "attack"},
			"/datasets/validate": {"url": address},
			"/datasets/query":    {"sql": "SELECT * FROM t", "datasets": []map[string]string{{"url": address, "table_name": "t"}}},
		} {
			out.try()
			text, err := json.Marshal(body)
			if err != nil {
				return err
			}
			a, err := t.json(ctx, "POST", path, t.admin.token, string(text))
			switch {
			case err != nil:
				out.hole("%s %s: %v", path, address, err)
			case a.status >= 500 && a.status != 502 && a.status != 503, strings.Contains(a.body, "witness was reached"), path == "/ingest/url" && a.status < 400:
				out.hole("%s %s: %d %s", path, address, a.status, a.body)
			}
			if n := reached.Swap(0); n > 0 {
				out.hole("%s %s reached the witness %d times", path, address, n)
			}
		}
	}
	return nil
}

// addresses are URLs that lead to this machine or into the network around it.
func addresses(witness, own string) []string {
	hosts := []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "127.000.000.001", "0", "0.0.0.0", "localhost", "LOCALHOST", "localhost.", "localhost.localdomain",
		"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[fe80::1%25lo]", "[::1%25lo]",
		"127.255.255.254", "①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.0.0.1", "127.0.0.1%00.example.com", "example.com@127.0.0.1", "127.0.0.1#example.com", "127.0.0.1%2f", "user:pass@127.0.0.1", "127.0.0.1\\@example.com",
	}
	var all []string
	for _, h := range hosts {
		all = append(all, "http://"+h+":"+witness+"/x", "http://"+h+":"+own+"/users/me", "https://"+h+":"+witness+"/x")
	}
	return append(all,
		"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/latest/", "http://metadata.google.internal/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/", "http://198.18.0.1/",
		"http://192.0.0.1/", "http://192.0.2.1/", "http://224.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/", "http://[fc00::1]/", "http://[ff02::1]/", "http://[2001:db8::1]/",
		"file:///etc/passwd", "file://localhost/etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1:"+witness+"/_x", "dict://127.0.0.1:"+witness, "ldap://127.0.0.1", "jar:http://127.0.0.1!/", "unix:///var/run/docker.sock", "data:text/plain,x",
		"http:127.0.0.1:"+witness, "http:///127.0.0.1:"+witness, "//127.0.0.1:"+witness+"/", "/etc/passwd", "http://", "http://:"+witness, "http://127.0.0.1:"+witness+"\r\nX: y", "\thttp://127.0.0.1:"+witness, "http://127.0.0.1:99999/", "s3://bucket/x", "hf://x/y")
}
