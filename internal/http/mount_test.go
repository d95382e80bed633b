package http

import (
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

// TestMount mounts a handler that knows nothing of the API.
func TestMount(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	foreign := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		_, _ = w.Write([]byte(r.Method + " " + r.URL.Path + " by " + PrincipalOf(r.Context()).User.Username))
	})
	s.Mount("/console/", kappa.Public, foreign)
	s.Mount("/mcp", kappa.AnyUser, foreign)
	for _, c := range []struct{ method, path, token, says string }{
		{"GET", "/console", "-", "GET /console by "},
		{"GET", "/console/", "-", "GET /console/ by "},
		{"GET", "/console/a/b.js", "-", "GET /console/a/b.js by "},
		{"POST", "/mcp", "", "POST /mcp by admin"},
		{"DELETE", "/mcp/x", "", "DELETE /mcp/x by admin"},
	} {
		if resp, body := call(t, s, request{method: c.method, path: c.path, token: c.token}); resp.StatusCode != 200 || strings.TrimSpace(body) != strings.TrimSpace(c.says) {
			t.Errorf("%s %s: %d %q, want %q", c.method, c.path, resp.StatusCode, body, c.says)
		}
	}
	resp, body := call(t, s, request{method: "POST", path: "/mcp", token: "-"})
	wantProblem(t, resp, body, 401)
	resp, body = call(t, s, request{method: "GET", path: "/api/console/"})
	wantProblem(t, resp, body, 404)
	defer func() {
		if recover() == nil {
			t.Error("a handler was mounted without a permission")
		}
	}()
	s.Mount("/forgotten", "", foreign)
}
