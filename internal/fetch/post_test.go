package fetch

import (
	"io"
	nethttp "net/http"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
)

func TestPost(t *testing.T) {
	t.Run("a body and its header are sent, and the first bytes of the answer come back", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Method != nethttp.MethodPost || string(body) != "told" || r.Header.Get("Webhook-Id") != "msg_1" || r.Header.Get("Authorization") != "" {
				t.Errorf("%s %q %v", r.Method, body, r.Header)
			}
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(nethttp.StatusTeapot)
			_, _ = io.WriteString(w, "tea and biscuits")
		})
		answer, err := c.Post(t.Context(), u, nethttp.Header{"Webhook-Id": {"msg_1"}}, []byte("told"), 3)
		if err != nil || answer.Status != nethttp.StatusTeapot || string(answer.Text) != "tea" || answer.Header.Get("Retry-After") != "7" {
			t.Errorf("got %+v, %v", answer, err)
		}
	})
	t.Run("a redirect is the answer", func(t *testing.T) {
		c, u := serve(t, func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if r.URL.Path != "/" {
				t.Errorf("%s was followed", r.URL)
			}
			nethttp.Redirect(w, r, "/elsewhere", nethttp.StatusTemporaryRedirect)
		})
		if answer, err := c.Post(t.Context(), u, nethttp.Header{}, []byte("told"), 10); err != nil || answer.Status != nethttp.StatusTemporaryRedirect {
			t.Errorf("got %+v, %v", answer, err)
		}
	})
	t.Run("hosts that are not allowed, and what is no address", func(t *testing.T) {
		c := New(Config{Private: true, Allow: []string{"example.com"}})
		for _, u := range []string{"http://127.0.0.1:1/", "http://user:secret@example.com/", "ftp://example.com/", "nonsense"} {
			_, err := c.Post(t.Context(), u, nethttp.Header{}, nil, 10)
			wantError(t, err, kappa.CodeInvalid, "the address must")
		}
	})
	t.Run("a server that hangs", func(t *testing.T) {
		end := make(chan struct{})
		c, u := serve(t, func(nethttp.ResponseWriter, *nethttp.Request) { <-end })
		t.Cleanup(func() { close(end) }) // before the server is closed
		c.cfg.Total = 50 * time.Millisecond
		_, err := c.Post(t.Context(), u, nethttp.Header{}, nil, 10)
		wantError(t, err, kappa.CodeUpstream, "in time")
	})
}

// TestPostReachesNoAddressInside posts to every spelling of an address inside.
func TestPostReachesNoAddressInside(t *testing.T) {
	port, hits := canary(t)
	names := newNameServer(t)
	c := newClient(Config{resolver: names.resolver(), Header: 2 * time.Second}, strict())
	for _, u := range corpus(port) {
		if _, err := c.Post(t.Context(), u, nethttp.Header{}, []byte("told"), 10); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%q: %v, want it refused", u, err)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d connections inside", n)
	}
}
