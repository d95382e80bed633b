package http_test

import (
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestX10_NoAnswerRuns checks what every answer tells a browser: run nothing, guess no
// type, frame nothing.
func TestX10_NoAnswerRuns(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	const script = "<script>alert(1)</script>"
	for _, r := range []apitest.Request{
		{Method: "GET", Path: "/sample/" + strings.ReplaceAll(script, "/", "%2F")},
		{Method: "GET", Path: "/nope" + strings.ReplaceAll(script, "/", "%2F")},
		{Method: "POST", Path: "/sample", Body: `{"query":` + script},
		{Method: "GET", Path: "/", Token: apitest.None},
		{Method: "GET", Path: "/sample/x", Token: apitest.None},
		{Method: "GET", Path: "/openapi.json", Token: apitest.None},
	} {
		resp, body := apitest.Call(t, s, r)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", r.Method, r.Path, name, got, want)
			}
		}
		if ct := resp.Header.Get("Content-Type"); !strings.Contains(ct, "json") {
			t.Errorf("%s %s: %s %s", r.Method, r.Path, ct, body)
		}
	}
}

// TestX11_NoCookies checks that a browser sends nothing by itself that proves who it is, but a
// session of the console; TestSession of accounts has what holds for that.
func TestX11_NoCookies(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	for _, cookie := range []string{"token=" + apitest.Good, "access_token=" + apitest.Good, "Authorization=Bearer " + apitest.Good} {
		for _, path := range []string{"/sample/x", "/sample/x?token=" + apitest.Good} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path, Token: apitest.None, Header: map[string]string{"Cookie": cookie}})
			apitest.WantProblem(t, resp, body, 401)
		}
	}
	for _, path := range []string{"/", "/sample/x", "/nope"} {
		if resp, _ := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path}); resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", path)
		}
	}
}

// TestNoOtherOrigin checks that no page of another origin may read an answer, whatever it
// says that it is.
func TestNoOtherOrigin(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	for _, origin := range []string{"https://evil.example", "null", "http://localhost", "http://example.com"} {
		for _, method := range []string{nethttp.MethodGet, nethttp.MethodOptions} {
			resp, _ := apitest.Call(t, s, apitest.Request{Method: method, Path: "/sample/x", Header: map[string]string{
				"Origin": origin, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization",
			}})
			for name := range resp.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s from %s: %s: %s", method, origin, name, resp.Header.Get(name))
				}
			}
			if method == nethttp.MethodOptions && resp.StatusCode < 400 {
				t.Errorf("a preflight from %s is answered %d", origin, resp.StatusCode)
			}
		}
	}
}
