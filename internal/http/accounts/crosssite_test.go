package accounts

import (
	nethttp "net/http"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestCrossSiteLogin has a browser send the forms of the public routes from another
// site: they are refused, and those of programs and of the same site are not.
func TestCrossSiteLogin(t *testing.T) {
	for name, tt := range map[string]struct {
		header map[string]string
		good   bool
	}{
		"a program":                       {nil, true},
		"the same site":                   {map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}, true},
		"an old browser on the same site": {map[string]string{"Origin": "http://example.com"}, true}, // the host of a test's request
		"another site":                    {map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, false},
		"a sibling":                       {map[string]string{"Sec-Fetch-Site": "same-site"}, false},
		"an old browser on another site":  {map[string]string{"Origin": "https://evil.example"}, false},
		"a page without an origin":        {map[string]string{"Origin": "null"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			s := newServer(t, f)
			for path, form := range map[string]string{
				"/auth/oauth/clients/personal": "username=admin&password=x",
				"/auth/oauth/token":            "grant_type=client_credentials&client_id=a&client_secret=b",
				"/api/auth/oauth/revoke/":      "token=x",
			} {
				resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: path, Token: apitest.None, ContentType: http.URLEncodedType, Body: form, Header: tt.header})
				if tt.good == (resp.StatusCode == nethttp.StatusForbidden) {
					t.Errorf("%s: %d %s", path, resp.StatusCode, body)
				}
			}
			if n := len(f.logins); (n > 0) != tt.good {
				t.Errorf("%d logins were tried", n)
			}
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/auth/oauth/clients/personal/new", ContentType: http.URLEncodedType, Body: "client_name=x", Header: tt.header})
			if resp.StatusCode >= 300 {
				t.Errorf("a call with a bearer: %d %s", resp.StatusCode, body)
			}
		})
	}
}
