package http_test

import (
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestJSONOfAnyType sends JSON as curl -d does, and what is no JSON.
func TestJSONOfAnyType(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		status            int
	}{
		{http.URLEncodedType, `{"query":"a"}`, 200},
		{"text/plain", ` {"query":"a"} `, 200},
		{"application/json", `{"query":"a"}`, 200},
		{"application/xml", `{"query":"a"}`, 200},
		{http.URLEncodedType, `[1]`, 422},
		{http.URLEncodedType, `{"query":`, 415},
		{http.URLEncodedType, `query=a`, 415},
		{http.MultipartType + "; boundary=b", "--b--", 415},
		{"application/json", `query=a`, 400},
		{http.URLEncodedType, "", 400},
	} {
		resp, body := apitest.Call(t, apitest.Serve(t, &sample{}), apitest.Request{Method: "POST", Path: "/sample", Body: c.body, ContentType: c.contentType})
		if resp.StatusCode != c.status {
			t.Errorf("%q as %s: %d %s, want %d", c.body, c.contentType, resp.StatusCode, body, c.status)
		}
		if c.status >= 400 {
			apitest.WantProblem(t, resp, body, c.status)
		}
	}
	t.Run("it takes a bearer all the same", func(t *testing.T) {
		s := apitest.Serve(t, &sample{})
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/sample", Body: `{"query":"a"}`, ContentType: http.URLEncodedType, Token: apitest.None})
		apitest.WantProblem(t, resp, body, 401)
	})
}
