package http

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	nethttp "net/http"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	goodToken = "good"
	readToken = "read-only"
	knownJob  = "job_0123456789ab"
)

// backend is everything behind the API, in memory.
type backend struct {
	sample

	mu       sync.Mutex
	user     kappa.User // who every token is for
	void     bool       // no token is good any more
	examined int        // how often a principal was examined again
}

func newBackend() *backend {
	return &backend{user: kappa.User{ID: kappa.AdminUserID, Username: "admin", Role: kappa.RolePlatformAdmin}}
}

// accessBackend examines principals again.
type accessBackend struct{ *backend }

func (a accessBackend) Reexamine(context.Context, kappa.Principal) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.examined++
	if a.void {
		return kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	return nil
}

// set changes a backend that requests may be reading.
func (b *backend) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *backend) Authenticate(_ context.Context, bearer string) (kappa.Principal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	scopes := []string{"read:*", "write:*"}
	switch {
	case bearer == "disabled":
		return kappa.Principal{}, kappa.NewError(kappa.CodeForbidden, "User account is disabled")
	case bearer == readToken:
		scopes = scopes[:1]
	case !strings.HasPrefix(bearer, goodToken):
		return kappa.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	return kappa.Principal{User: b.user, ClientID: "kg-cli-admin-00000000", Scopes: scopes, TokenID: "id of " + bearer}, nil
}

func testConfig(b *backend) Config {
	return Config{
		Auth:    accessBackend{b},
		Version: "test", Log: slog.New(slog.DiscardHandler),
	}
}

func newTestServer(t testing.TB, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg, sampleOf(cfg))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request is one call of the API as a test writes it.
type request struct {
	method, path string
	query        string // as it is; replaces that of the path
	body         string
	contentType  string
	token        string // "" is the good one, "-" is none
	header       map[string]string
}

// call sends a request to the handler and returns the answer and its body.
func call(t testing.TB, s *Server, r request) (*nethttp.Response, string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
	if r.query != "" {
		req.URL.RawQuery = r.query
	}
	if r.contentType == "" && r.body != "" {
		r.contentType = "application/json"
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	switch r.token {
	case "":
		req.Header.Set("Authorization", "Bearer "+goodToken)
	case "-":
	default:
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	resp := w.Result()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// wantProblem checks that an answer is a problem document with the status, and
// returns it.
func wantProblem(t testing.TB, resp *nethttp.Response, body string, status int) problem {
	t.Helper()
	var p problem
	if resp.StatusCode != status {
		t.Fatalf("status %d with %s, want %d", resp.StatusCode, body, status)
	}
	if got := resp.Header.Get("Content-Type"); got != problemType {
		t.Errorf("Content-Type %q, want %q", got, problemType)
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("problem %q: %v", body, err)
	}
	if p.Status != status || p.Title != nethttp.StatusText(status) || p.Detail == "" || p.Type != "about:blank" || p.RequestID == "" {
		t.Errorf("problem %+v is not complete", p)
	}
	return p
}
