package client

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeServer answers with the handlers of a mux and hands out tokens token-1,
// token-2 … It accepts the tokens that were not refused.
type fakeServer struct {
	*http.ServeMux
	url string

	mu        sync.Mutex
	fetched   int // tokens handed out
	refused   map[string]bool
	expiresIn int
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{ServeMux: http.NewServeMux(), refused: map[string]bool{}, expiresIn: 3600}
	s.HandleFunc("POST /auth/oauth/token", s.token)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *fakeServer) token(w http.ResponseWriter, r *http.Request) {
	if r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != "kg-cli-admin-1" || r.FormValue("client_secret") != "s3cret" {
		writeProblem(w, http.StatusUnauthorized, "Unknown client or wrong secret")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetched++
	writeJSON(w, map[string]any{"access_token": "token-" + string(rune('0'+s.fetched)), "token_type": "Bearer", "expires_in": s.expiresIn})
}

// authorized answers with h when the token is good.
func (s *fakeServer) authorized(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.mu.Lock()
		good := ok && strings.HasPrefix(token, "token-") && !s.refused[token]
		s.mu.Unlock()
		if !good {
			writeProblem(w, http.StatusUnauthorized, "Could not validate credentials")
			return
		}
		h(w, r)
	}
}

func (s *fakeServer) refuse(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[token] = true
}

func (s *fakeServer) tokensFetched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched
}

// client returns a client of s with credentials.
func (s *fakeServer) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(Config{BaseURL: s.url, ClientID: "kg-cli-admin-1", ClientSecret: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

func writeProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail})
}

func TestNewChecksTheAddress(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"http://127.0.0.1:8000", "http://127.0.0.1:8000"},
		{"https://kg.example.org/api/", "https://kg.example.org/api"},
		{" http://localhost:8000/ ", "http://localhost:8000"},
		{"localhost:8000", ""},
		{"", ""},
		{"ftp://example.org", ""},
		{"http://", ""},
		{"http://admin:secret@example.org", ""},
		{"http://example.org/?x=1", ""},
	} {
		t.Run(tt.address, func(t *testing.T) {
			c, err := New(Config{BaseURL: tt.address})
			if (err == nil) != (tt.want != "") {
				t.Fatalf("error %v, want address %q", err, tt.want)
			}
			if err == nil && c.BaseURL() != tt.want {
				t.Errorf("address %q, want %q", c.BaseURL(), tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error shows a password: %v", err)
			}
		})
	}
}

func TestNewWantsIDAndSecretTogether(t *testing.T) {
	if _, err := New(Config{BaseURL: "http://127.0.0.1:8000", ClientID: "kg-cli-admin-1"}); err == nil {
		t.Error("no error for an id without a secret")
	}
}
