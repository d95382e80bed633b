package http_test

import (
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestMount mounts a handler that knows nothing of the API.
func TestMount(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	foreign := nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		_, _ = w.Write([]byte(r.Method + " " + r.URL.Path + " by " + http.PrincipalOf(r.Context()).User.Username))
	})
	s.Mount("/console/", access.Public, foreign)
	s.Mount("/mcp", access.AnyUser, foreign)
	for _, c := range []struct{ method, path, token, says string }{
		{"GET", "/console", "-", "GET /console by "},
		{"GET", "/console/", "-", "GET /console/ by "},
		{"GET", "/console/a/b.js", "-", "GET /console/a/b.js by "},
		{"POST", "/mcp", "", "POST /mcp by admin"},
		{"DELETE", "/mcp/x", "", "DELETE /mcp/x by admin"},
	} {
		if resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Token: c.token}); resp.StatusCode != 200 || strings.TrimSpace(body) != strings.TrimSpace(c.says) {
			t.Errorf("%s %s: %d %q, want %q", c.method, c.path, resp.StatusCode, body, c.says)
		}
	}
	resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/mcp", Token: apitest.None})
	apitest.WantProblem(t, resp, body, 401)
	resp, body = apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/api/console/"})
	apitest.WantProblem(t, resp, body, 404)
	defer func() {
		if recover() == nil {
			t.Error("a handler was mounted without a permission")
		}
	}()
	s.Mount("/forgotten", "", foreign)
}
