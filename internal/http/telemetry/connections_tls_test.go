package telemetry

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// certificates shows one certificate, which nobody has signed.
type certificates struct{ one tls.Certificate }

func (c certificates) TLS() *tls.Config       { return &tls.Config{Certificates: []tls.Certificate{c.one}} }
func (certificates) List() []work.Certificate { return nil }
func (certificates) Failures() int64          { return 0 }

// TestNoRoomOverTLS asks a server over TLS whose connections all have requests that take long:
// they are not taken for idle, and give no way.
func TestNoRoomOverTLS(t *testing.T) {
	t.Parallel()
	other := httptest.NewUnstartedServer(nil)
	other.StartTLS() // which has a certificate
	shown := certificates{other.TLS.Certificates[0]}
	other.Close()
	addr, stop := apitest.Run(t, apitest.ServeWith(t, http.Config{TLS: shown, Limits: http.Limits{Connections: 10, Reserve: 20, Body: 30 * time.Second}}, New((&fake{}).config()), slowForm{}))
	for range 10 {
		_, _ = fmt.Fprint(dialTLS(t, addr), "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
	}
	await.That(t, "all are being read", func() bool { return statusOverTLS(t, addr, "/health") == 503 })
	for began := time.Now(); time.Since(began) < 1500*time.Millisecond; { // longer than an idle one is kept
		if status := statusOverTLS(t, addr, "/health"); status != 503 {
			t.Fatalf("after %s one that is busy has given way: %d", time.Since(began), status)
		}
	}
	if status := statusOverTLS(t, addr, "/readyz"); status != 200 {
		t.Errorf("a probe is answered %d", status)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func dialTLS(t *testing.T, addr string) net.Conn {
	t.Helper()
	return tls.Client(dial(t, addr), &tls.Config{InsecureSkipVerify: true})
}

// statusOverTLS asks on a connection of its own.
func statusOverTLS(t *testing.T, addr, path string) int {
	t.Helper()
	conn := dialTLS(t, addr)
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
