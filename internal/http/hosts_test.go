package http

import (
	"fmt"
	"net"
	"testing"

	nethttp "net/http"
)

// TestHostOnLoopback asks a server on a loopback address by many names: by one that
// somebody else has pointed at it, nothing is answered.
func TestHostOnLoopback(t *testing.T) {
	cfg := testConfig(newBackend())
	cfg.Hosts = []string{"Kappa.Example.org", "192.168.1.5"}
	addr, stop := run(t, cfg)
	_, port, _ := net.SplitHostPort(addr)
	for host, good := range map[string]bool{
		addr: true, "127.0.0.1": true, "127.1.2.3:80": true, "localhost": true, "LOCALHOST:" + port: true, "a.localhost:" + port: true,
		"[::1]:" + port: true, "[::1]": true, "localhost.": true, "kappa.example.org": true, "kappa.example.org:443": true, "192.168.1.5:" + port: true, "": true,
		"evil.example": false, "evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"evillocalhost": false, "10.0.0.1": false, "0.0.0.0:" + port: false, "a.kappa.example.org": false, "[fe80::1]": false,
	} {
		conn := dial(t, addr)
		_, _ = fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		resp, body := answerOn(t, conn)
		if good && resp.StatusCode != 200 {
			t.Errorf("Host %q: %d %s", host, resp.StatusCode, body)
		}
		if !good {
			wantProblem(t, resp, body, nethttp.StatusMisdirectedRequest)
		}
		_ = conn.Close()
	}
	conn := dial(t, addr)
	_, _ = fmt.Fprintf(conn, "GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	resp, body := answerOn(t, conn)
	wantProblem(t, resp, body, nethttp.StatusMisdirectedRequest)
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestHostElsewhere(t *testing.T) {
	public := &net.TCPAddr{IP: net.IPv4zero, Port: 8000}
	for _, tt := range []struct {
		names []string
		host  string
		good  bool
	}{
		{nil, "anything.example", true},
		{[]string{"kappa.example.org"}, "kappa.example.org", true},
		{[]string{"kappa.example.org"}, "10.0.0.1:8000", true}, // of a probe
		{[]string{"kappa.example.org"}, "localhost", true},
		{[]string{"kappa.example.org"}, "evil.example", false},
		{[]string{"*"}, "evil.example", true},
	} {
		h := newHosts(tt.names)
		h.listenOn(public)
		if got := h.allow(tt.host); got != tt.good {
			t.Errorf("names %q, host %q: %t, want %t", tt.names, tt.host, got, tt.good)
		}
	}
}
