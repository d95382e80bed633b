package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kappagraph/kappa/access"
)

// TestProofOverTLS demands the proof over TLS, whose certificate nobody has signed: it is bound
// to the connection, so that somebody in between who passes it on proves nothing.
func TestProofOverTLS(t *testing.T) {
	for name, tt := range map[string]struct {
		nonce func(r *http.Request) string
		good  bool
	}{
		"the server that is meant": {func(r *http.Request) string {
			bound, err := access.ChannelNonce(*r.TLS, r.FormValue("nonce"))
			if err != nil {
				t.Error(err)
			}
			return bound
		}, true},
		"what it says to another connection": {func(r *http.Request) string {
			return r.FormValue("nonce") + "\n0000000000000000000000000000000000000000000000000000000000000000"
		}, false},
		"what it says without TLS": {func(r *http.Request) string { return r.FormValue("nonce") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var url string
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/.well-known/kappa-server" {
					writeProof(w, "key", url, tt.nonce(r))
					return
				}
				calls++
				writeJSON(w, map[string]any{"status": "healthy"})
			}))
			defer server.Close()
			url = server.URL
			transport, err := ProvenTransport(url, func(nonce string) (string, error) { return access.ServerProof("key", url, nonce), nil })
			if err != nil {
				t.Fatal(err)
			}
			c, err := New(Config{BaseURL: url, HTTPClient: &http.Client{Transport: transport}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Health(t.Context())
			if (err == nil) != tt.good || !tt.good && !errors.Is(err, ErrUnproven) || calls > 0 != tt.good {
				t.Errorf("error %v after %d calls", err, calls)
			}
		})
	}
}
