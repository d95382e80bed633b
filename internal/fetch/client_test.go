package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

func serve(t *testing.T, h nethttp.HandlerFunc) (c *Client, url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return New(Config{Private: true, Header: 2 * time.Second}), s.URL
}

func wantError(t *testing.T, err error, code kappa.Code, text string) {
	t.Helper()
	if kappa.ErrorCode(err) != code || !strings.Contains(kappa.ErrorMessage(err)+fmt.Sprint(err), text) {
		t.Errorf("got %v, want %s with %q", err, code, text)
	}
}

func TestGet(t *testing.T) {
	t.Run("an answer is returned as it is, and no secrets are sent", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if r.Header.Get("Range") != "bytes=-8" || r.Header.Get("Accept-Encoding") != "identity" || r.Header.Get("Authorization") != "" {
				t.Errorf("sent %v", r.Header)
			}
			w.WriteHeader(nethttp.StatusTeapot)
			_, _ = io.WriteString(w, "tea")
		})
		answer, err := c.Get(t.Context(), u, nethttp.Header{"Range": {"bytes=-8"}})
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); string(body) != "tea" || err != nil || answer.StatusCode != nethttp.StatusTeapot {
			t.Errorf("got %s %q, %v", answer.Status, body, err)
		}
	})
	t.Run("what is compressed is refused", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) { w.Header().Set("Content-Encoding", "gzip") })
		_, err := c.Get(t.Context(), u, nil)
		wantError(t, err, kappa.CodeUpstream, "compressed")
	})
	t.Run("redirects end", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			nethttp.Redirect(w, r, "/again", nethttp.StatusFound)
		})
		_, err := c.Get(t.Context(), u, nil)
		wantError(t, err, kappa.CodeUpstream, "redirects too often")
	})
	t.Run("nobody there", func(t *testing.T) {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
		_, err = New(Config{Private: true}).Get(t.Context(), "http://"+l.Addr().String(), nil)
		wantError(t, err, kappa.CodeUpstream, "could not be reached")
	})
	t.Run("no header in time", func(t *testing.T) {
		stop := make(chan struct{})
		c, u := serve(t, func(_ nethttp.ResponseWriter, _ *nethttp.Request) { <-stop })
		defer close(stop)
		c.http.Transport.(*nethttp.Transport).ResponseHeaderTimeout = 50 * time.Millisecond
		_, err := c.Get(t.Context(), u, nil)
		wantError(t, err, kappa.CodeUpstream, "in time")
	})
	t.Run("an answer that breaks off", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, _ *nethttp.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		})
		answer, err := c.Get(t.Context(), u, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		_, err = io.ReadAll(answer.Body)
		wantError(t, err, kappa.CodeUpstream, "early")
	})
	t.Run("only listed hosts", func(t *testing.T) {
		c := New(Config{Private: true, Allow: []string{"data.example.com", "*.example.org"}})
		_, err := c.Get(t.Context(), "http://127.0.0.1:1/", nil)
		wantError(t, err, kappa.CodeInvalid, "may be fetched from")
		for host, want := range map[string]bool{
			"data.example.com": true, "DATA.example.com.": true, "x.data.example.com": false, "example.org": false, "a.b.example.org": true, "badexample.org": false,
		} {
			if allowed(c.cfg.Allow, host) != want {
				t.Errorf("%s is allowed: %t", host, !want)
			}
		}
	})
	t.Run("private networks leave link-local closed", func(t *testing.T) {
		g := newGuard(true)
		for address, want := range map[string]bool{
			"127.0.0.1:8080": true, "10.1.2.3:1": true, "[::1]:80": true, "[fd00::1]:80": true, "93.184.216.34:443": true,
			"169.254.169.254:80": false, "[fe80::1]:80": false, "0.0.0.0:80": false, "[::ffff:10.0.0.1]:80": false, "224.0.0.1:80": false,
		} {
			network := "tcp4"
			if strings.HasPrefix(address, "[") {
				network = "tcp6"
			}
			if got := g.control(network, address, nil) == nil; got != want {
				t.Errorf("%s is reached: %t", address, got)
			}
		}
		if newGuard(false).control("tcp4", "93.184.216.34:8080", nil) == nil {
			t.Error("an unusual port is reached")
		}
	})
}

// drip is a body that brings n bytes each interval.
type drip struct {
	every time.Duration
	n     int
	done  chan struct{}
}

func (d drip) Read(b []byte) (int, error) {
	select {
	case <-time.After(d.every):
		return min(d.n, len(b)), nil
	case <-d.done:
		return 0, errors.New("use of closed body")
	}
}

func (d drip) Close() error { return nil }

func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		n     int
		ends  time.Duration // at most; 0 = it goes on
	}{
		"a byte a second is given up":    {time.Second, 1, 12 * time.Second},
		"silence is given up":            {time.Hour, 1, 11 * time.Second},
		"a little above the pace passes": {time.Second, 2000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := withDone(t)
				body := newPaced(ctx.Context, cancel, drip{c.every, c.n, ctx.done}, 1000)
				begin := time.Now()
				n, err := io.Copy(io.Discard, io.LimitReader(body, 200_000))
				_ = body.Close()
				switch spent := time.Since(begin); {
				case c.ends == 0 && (err != nil || n != 200_000):
					t.Errorf("got %d bytes, %v", n, err)
				case c.ends > 0 && (kappa.ErrorCode(err) != kappa.CodeUpstream || spent > c.ends):
					t.Errorf("ended after %s with %v", spent, err)
				}
			})
		})
	}
}

type doneContext struct {
	context.Context
	done chan struct{}
}

// withDone returns a context, and ends what reads when it is cancelled, as the
// transport does.
func withDone(t *testing.T) (doneContext, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := doneContext{ctx, make(chan struct{})}
	return d, func() {
		if ctx.Err() == nil {
			cancel()
			close(d.done)
		}
	}
}
