package http

import "testing"

// TestJSONOfAnyType sends JSON as curl -d does, and what is no JSON.
func TestJSONOfAnyType(t *testing.T) {
	for _, c := range []struct {
		contentType, body string
		status            int
	}{
		{URLEncodedType, `{"query":"a"}`, 200},
		{"text/plain", ` {"query":"a"} `, 200},
		{"application/json", `{"query":"a"}`, 200},
		{"application/xml", `{"query":"a"}`, 200},
		{URLEncodedType, `[1]`, 422},
		{URLEncodedType, `{"query":`, 415},
		{URLEncodedType, `query=a`, 415},
		{MultipartType + "; boundary=b", "--b--", 415},
		{"application/json", `query=a`, 400},
		{URLEncodedType, "", 400},
	} {
		resp, body := call(t, newTestServer(t, testConfig(newBackend())), request{method: "POST", path: "/sample", body: c.body, contentType: c.contentType})
		if resp.StatusCode != c.status {
			t.Errorf("%q as %s: %d %s, want %d", c.body, c.contentType, resp.StatusCode, body, c.status)
		}
		if c.status >= 400 {
			wantProblem(t, resp, body, c.status)
		}
	}
	t.Run("it takes a bearer all the same", func(t *testing.T) {
		s := newTestServer(t, testConfig(newBackend()))
		resp, body := call(t, s, request{method: "POST", path: "/sample", body: `{"query":"a"}`, contentType: URLEncodedType, token: "-"})
		wantProblem(t, resp, body, 401)
	})
}
