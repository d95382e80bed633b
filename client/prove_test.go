package client

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/kappagraph/kappa/access"
)

// TestProofOnEachConnection demands the proof of servers: only the one that is
// meant gets a request, and each connection is asked anew.
func TestProofOnEachConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, url, nonce string)
		good   bool
	}{
		"the server that is meant":     {func(w http.ResponseWriter, url, nonce string) { writeProof(w, "key", url, nonce) }, true},
		"one with another key":         {func(w http.ResponseWriter, url, nonce string) { writeProof(w, "other", url, nonce) }, false},
		"one that answers for another": {func(w http.ResponseWriter, _, nonce string) { writeProof(w, "key", "http://127.0.0.1:1", nonce) }, false},
		"one with an old answer": {func(w http.ResponseWriter, url, _ string) {
			writeProof(w, "key", url, "0123456789abcdef0123456789abcdef")
		}, false},
		"one that knows no such route": {func(w http.ResponseWriter, _, _ string) { writeProblem(w, http.StatusNotFound, "no such route") }, false},
		"one that says nothing of use": {func(w http.ResponseWriter, _, _ string) { _, _ = w.Write([]byte("hello")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			var proofs, calls atomic.Int32
			var url string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/.well-known/kappa-server" {
					proofs.Add(1)
					tt.answer(w, url, r.FormValue("nonce"))
					return
				}
				calls.Add(1)
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
			for range 3 {
				_, err := c.Health(t.Context())
				if (err == nil) != tt.good || !tt.good && !errors.Is(err, ErrUnproven) {
					t.Errorf("error %v", err)
				}
				c.Close() // so that the next call needs a connection
			}
			if calls.Load() > 0 != tt.good || proofs.Load() != 3 {
				t.Errorf("%d calls, %d proofs", calls.Load(), proofs.Load())
			}
		})
	}
}

func writeProof(w http.ResponseWriter, key, url, nonce string) {
	writeJSON(w, map[string]any{"proof": access.ServerProof(key, url, nonce)})
}
