package http_test

import (
	"fmt"
	"net"
	"testing"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestHostOnLoopback asks a server on a loopback address by many names: by one that
// somebody else has pointed at it, nothing is answered.
func TestHostOnLoopback(t *testing.T) {
	cfg := http.Config{}
	cfg.Hosts = []string{"Kappa.Example.org", "192.168.1.5"}
	addr, stop := run(t, cfg, &sample{})
	_, port, _ := net.SplitHostPort(addr)
	for host, good := range map[string]bool{
		addr: true, "127.0.0.1": true, "127.1.2.3:80": true, "localhost": true, "LOCALHOST:" + port: true, "a.localhost:" + port: true,
		"[::1]:" + port: true, "[::1]": true, "localhost.": true, "kappa.example.org": true, "kappa.example.org:443": true, "192.168.1.5:" + port: true, "": true,
		"evil.example": false, "evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"evillocalhost": false, "10.0.0.1": false, "0.0.0.0:" + port: false, "a.kappa.example.org": false, "[fe80::1]": false,
	} {
		conn := apitest.Dial(t, addr)
		_, _ = fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		resp, body := apitest.Answer(t, conn)
		if good && resp.StatusCode != 200 {
			t.Errorf("Host %q: %d %s", host, resp.StatusCode, body)
		}
		if !good {
			apitest.WantProblem(t, resp, body, nethttp.StatusMisdirectedRequest)
		}
		_ = conn.Close()
	}
	conn := apitest.Dial(t, addr)
	_, _ = fmt.Fprintf(conn, "GET http://evil.example/livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	resp, body := apitest.Answer(t, conn)
	apitest.WantProblem(t, resp, body, nethttp.StatusMisdirectedRequest)
	_ = conn.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
