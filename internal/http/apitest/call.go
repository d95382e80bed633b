package apitest

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/http"
)

// Serve returns a server of resources with new accounts.
func Serve(t testing.TB, resources ...http.Resource) *http.Server {
	t.Helper()
	return ServeWith(t, http.Config{}, resources...)
}

// ServeWith returns a server of resources. What cfg lacks is filled in: accounts, keys, a
// log that drops all, "test" for the version, and any host.
func ServeWith(t testing.TB, cfg http.Config, resources ...http.Resource) *http.Server {
	t.Helper()
	if cfg.Auth == nil {
		cfg.Auth = NewAccounts()
	}
	if cfg.Submissions == nil {
		cfg.Submissions = NewSubmissions()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Version == "" {
		cfg.Version = "test"
	}
	if cfg.Hosts == nil {
		cfg.Hosts = []string{"*"}
	}
	s, err := http.New(cfg, resources...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Request is one call of the API as a test writes it.
type Request struct {
	Method, Path string
	Query        string // as it is; replaces that of the path
	Body         string
	ContentType  string
	Token        string // "" is Good
	Header       map[string]string
}

// Call sends a request to the handler and returns the answer and its body.
func Call(t testing.TB, s *http.Server, r Request) (*nethttp.Response, string) {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), r.Method, r.Path, strings.NewReader(r.Body))
	if r.Query != "" {
		req.URL.RawQuery = r.Query
	}
	if r.ContentType == "" && r.Body != "" {
		r.ContentType = "application/json"
	}
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	switch r.Token {
	case "":
		req.Header.Set("Authorization", "Bearer "+Good)
	case None:
	default:
		req.Header.Set("Authorization", "Bearer "+r.Token)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	resp := w.Result()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.Path != "/openapi.json" {
		if err := validatorFor(t, s).Check(r.Method, req.URL.EscapedPath(), resp, body); err != nil {
			t.Error(err)
		}
	}
	return resp, string(body)
}

// described are the validators of servers.
var described sync.Map // of *Validator, by *http.Server

// validatorFor returns what holds the answers of a server to its own OpenAPI document.
func validatorFor(t testing.TB, s *http.Server) *Validator {
	t.Helper()
	if v, ok := described.Load(s); ok {
		return v.(*Validator)
	}
	v := ValidatorOf(t, s.OpenAPI())
	described.Store(s, v)
	t.Cleanup(func() { described.Delete(s) })
	return v
}

// Problem is a problem document as a client reads it.
type Problem struct {
	Type, Title      string
	Status           int
	Detail, Instance string
	RequestID        string `json:"request_id"`
	Errors           []FieldProblem
	OAuthError       string `json:"error"`
	OAuthDescription string `json:"error_description"`
}

// FieldProblem is one value that breaks a rule.
type FieldProblem struct {
	Loc       []any
	Msg, Type string
	Input     any
}

// Place is where the value is, with points between the parts.
func (f FieldProblem) Place() string {
	parts := make([]string, len(f.Loc))
	for i, part := range f.Loc {
		switch part := part.(type) {
		case string:
			parts[i] = part
		case float64:
			parts[i] = string(rune('0' + int(part)))
		}
	}
	return strings.Join(parts, ".")
}

// WantProblem checks that an answer is a problem document with the status, and
// returns it.
func WantProblem(t testing.TB, resp *nethttp.Response, body string, status int) Problem {
	t.Helper()
	var p Problem
	if resp.StatusCode != status {
		t.Fatalf("status %d with %s, want %d", resp.StatusCode, body, status)
	}
	if got, want := resp.Header.Get("Content-Type"), "application/problem+json"; got != want {
		t.Errorf("Content-Type %q, want %q", got, want)
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("problem %q: %v", body, err)
	}
	if p.Status != status || p.Title != nethttp.StatusText(status) || p.Detail == "" || p.Type != "about:blank" || p.RequestID == "" {
		t.Errorf("problem %+v is not complete", p)
	}
	return p
}
