package telemetry

import (
	"bufio"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestProbesBesideIdleConnections has strangers hold more connections than the
// process has files for, without a request or in the middle of one: probes are
// answered, and so are others as soon as idle connections can give way.
func TestProbesBesideIdleConnections(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"without a request": "", "in the middle of a request": "GET / HTTP/1.1\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			addr, stop := apitest.RunOn(t, smallServer(t), &fewFiles{Listener: ln, most: 40})
			for range 200 {
				conn := dial(t, addr)
				_, _ = io.WriteString(conn, begin)
			}
			for _, path := range []string{"/livez", "/readyz", "/api/livez/"} {
				if resp, body := askOn(t, addr, path); resp.StatusCode != 200 || !resp.Close {
					t.Errorf("%s: %d %s, closing %t", path, resp.StatusCode, body, resp.Close)
				}
			}
			apitest.Eventually(t, "others are answered", func() bool {
				resp, _ := askOn(t, addr, "/health")
				return resp.StatusCode == 200
			})
			if err := stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNoRoom asks a server whose connections all have requests that take long.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	addr, stop := apitest.Run(t, smallServer(t))
	for range 10 {
		conn := dial(t, addr) // a login whose form does not arrive
		_, _ = fmt.Fprint(conn, "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
	}
	var resp *nethttp.Response
	var body string
	await.That(t, "all are being read", func() bool {
		resp, body = askOn(t, addr, "/health")
		return resp.StatusCode == 503
	})
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !resp.Close || !strings.Contains(body, "Too many connections") {
		t.Errorf("%d %s, header %v", resp.StatusCode, body, resp.Header)
	}
	for range 3 {
		if resp, body := askOn(t, addr, "/readyz"); resp.StatusCode != 200 {
			t.Errorf("/readyz: %d %s", resp.StatusCode, body)
		}
	}
	conn := dial(t, addr) // of the reserve, and says nothing
	started := time.Now()
	if _, err := conn.Read(make([]byte, 1)); err == nil || time.Since(started) > 20*time.Second {
		t.Errorf("a silent connection of the reserve was ended after %s, %v", time.Since(started), err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// smallServer has room for ten connections, and for twenty of the reserve.
func smallServer(t *testing.T) *http.Server {
	t.Helper()
	return apitest.ServeWith(t, http.Config{Limits: http.Limits{Connections: 10, Reserve: 20, Body: 30 * time.Second}},
		New((&fake{}).config()), slowForm{})
}

// slowForm is a public route that waits for a form.
type slowForm struct{}

func (slowForm) Register(r *http.Router) error {
	r.RegisterRaw(http.Route{Method: "POST", Path: "/slow", Permission: access.Public, ID: "test.slow", Document: func(*huma.Operation) {}}, func(c *gin.Context) error {
		_, err := r.SmallForm(c)
		return err
	})
	return nil
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // which only a hang reaches
	return conn
}

// askOn asks on a connection of its own.
func askOn(t *testing.T, addr, path string) (*nethttp.Response, string) {
	t.Helper()
	conn := dial(t, addr)
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	resp, err := nethttp.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	body, _ := io.ReadAll(resp.Body)
	return resp, string(body)
}

// fewFiles accepts as a process does that may have so many files open.
type fewFiles struct {
	net.Listener
	most int

	mu   sync.Mutex
	open int
}

func (l *fewFiles) Accept() (net.Conn, error) {
	l.mu.Lock()
	full := l.open >= l.most
	l.mu.Unlock()
	if full {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	return &file{Conn: conn, closed: sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open--
	})}, nil
}

type file struct {
	net.Conn
	closed func()
}

func (f *file) Close() error {
	f.closed()
	return f.Conn.Close()
}
