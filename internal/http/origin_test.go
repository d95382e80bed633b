package http_test

import (
	nethttp "net/http"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestOwnOrigin: what is mounted for programs answers no page of another site, whatever token
// it has and whatever it asks, and pages of the server's own names as any program.
func TestOwnOrigin(t *testing.T) {
	s := apitest.ServeWith(t, http.Config{Hosts: []string{"kappa.example"}}, &sample{})
	s.MountRoute(http.Route{Path: "/agents", Permission: access.AnyUser, OwnOrigin: true}, nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		_, _ = w.Write([]byte("answered"))
	}))
	for origin, want := range map[string]int{
		"": 200, "http://example.com": 200, "https://example.com": 200, "https://kappa.example": 200, "http://KAPPA.example:8000": 200,
		"https://evil.example": 403, "null": 403, "http://example.com:81": 403, "http://example.com.evil.example": 403, "example.com": 403,
		"file://example.com": 403, "http://evil.example@example.com": 403, "http://example.com/": 403, "http://localhost": 403, "://": 403,
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS"} {
			for _, token := range []string{apitest.Good, apitest.None} {
				status := want
				if token == apitest.None && want == 200 {
					status = 401
				}
				r := apitest.Request{Method: method, Path: "/agents", Token: token, Header: map[string]string{"Host": "example.com"}}
				if origin != "" {
					r.Header["Origin"] = origin
				}
				resp, body := apitest.Call(t, s, r)
				if resp.StatusCode != status {
					t.Errorf("%s from %q with token %q: %d %s, want %d", method, origin, token, resp.StatusCode, body, status)
				}
			}
		}
	}
}
