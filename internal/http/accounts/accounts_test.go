package accounts

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestLogin(t *testing.T) {
	post := func(t *testing.T, f *fake, body, contentType string) (int, string) {
		t.Helper()
		resp, answer := apitest.Call(t, newServer(t, f), apitest.Request{
			Method: "POST", Path: "/auth/oauth/clients/personal", Body: body, ContentType: contentType, Token: apitest.None,
		})
		return resp.StatusCode, answer
	}
	t.Run("answers with a client and its secret", func(t *testing.T) {
		f := &fake{}
		status, body := post(t, f, "username=admin&password=right&client_name=a+b", http.URLEncodedType)
		var out api.Credentials
		if err := json.Unmarshal([]byte(body), &out); status != 201 || err != nil {
			t.Fatalf("%d %s %v", status, body, err)
		}
		if out.Secret != "secret" || out.ClientID == "" || out.Metadata != (api.ClientMetadata{Personal: true, UserID: 1000, Username: "admin"}) {
			t.Errorf("answer %s", body)
		}
		if !strings.Contains(body, `"redirect_uris":null`) {
			t.Error(body)
		}
		in := f.logins[0]
		if in.ClientName != "a b" || in.Scopes != "" || in.Address != "192.0.2.1" {
			t.Errorf("login %+v", in)
		}
	})
	t.Run("takes multipart too", func(t *testing.T) {
		body, contentType := apitest.MultipartForm(t, map[string]string{"username": "admin", "password": "right"}, nil)
		if status, answer := post(t, &fake{}, body, contentType); status != 201 {
			t.Errorf("%d %s", status, answer)
		}
	})
	t.Run("a wrong password is a 401", func(t *testing.T) {
		status, body := post(t, &fake{}, "username=admin&password=wrong", http.URLEncodedType)
		if status != 401 || !strings.Contains(body, "Invalid username or password") {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("missing fields are named, and no password is repeated", func(t *testing.T) {
		status, body := post(t, &fake{}, "password=hush", http.URLEncodedType)
		if status != 422 || !strings.Contains(body, "username: is required") || strings.Contains(body, "hush") {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("JSON is no form", func(t *testing.T) {
		if status, body := post(t, &fake{}, `{"username":"admin"}`, "application/json"); status != 415 {
			t.Errorf("%d %s", status, body)
		}
	})
	t.Run("a forged address does not count", func(t *testing.T) {
		f := &fake{}
		apitest.Call(t, newServer(t, f), apitest.Request{
			Method: "POST", Path: "/auth/oauth/clients/personal", Body: "username=a&password=b", ContentType: http.URLEncodedType,
			Header: map[string]string{"X-Forwarded-For": "203.0.113.9", "X-Real-Ip": "203.0.113.9"},
		})
		if got := f.logins[0].Address; got != "192.0.2.1" {
			t.Errorf("address %q", got)
		}
	})
}

func TestToken(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		err    error
		status int
		word   string
	}{
		"good":                    {"grant_type=client_credentials&client_id=a&client_secret=secret", nil, 200, ""},
		"another grant":           {"grant_type=password&client_id=a&client_secret=secret", nil, 400, "unsupported_grant_type"},
		"a wrong secret":          {"grant_type=client_credentials&client_id=a&client_secret=x", nil, 401, "invalid_client"},
		"nothing":                 {"", nil, 400, "unsupported_grant_type"},
		"a field twice":           {"grant_type=a&grant_type=b", nil, 422, "invalid_request"},
		"a database that is down": {"grant_type=client_credentials&client_id=a&client_secret=secret", kappa.NewError(kappa.CodeUnavailable, "down"), 503, "temporarily_unavailable"},
		"a bug":                   {"grant_type=client_credentials&client_id=a&client_secret=secret", errors.New("bug"), 500, "server_error"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			f.err = tt.err
			resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/api/auth/oauth/token", Body: tt.body, ContentType: http.URLEncodedType, Token: apitest.None})
			if tt.status == 200 {
				want := `{"access_token":"good","token_type":"Bearer","expires_in":3600,"refresh_token":null,"scope":"read:* write:*"}`
				if strings.TrimSpace(body) != want || resp.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s, want %s", body, want)
				}
				return
			}
			p := apitest.WantProblem(t, resp, body, tt.status)
			if p.OAuthError != tt.word || p.OAuthDescription != p.Detail {
				t.Errorf("problem %s, want the error %s and its description", body, tt.word)
			}
		})
	}
}

// TestTokenBasic names the client in the header, as most OAuth clients do first.
func TestTokenBasic(t *testing.T) {
	basic := func(id, secret string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))
	}
	const grant = "grant_type=client_credentials"
	for name, tt := range map[string]struct {
		header, body string
		status       int
		says         string
	}{
		"good":                      {basic("a", "secret"), grant, 200, `"access_token":"good"`},
		"encoded as in a form":      {basic("a", "%73ecret"), grant, 200, `"access_token":"good"`},
		"the same id in the form":   {basic("a", "secret"), grant + "&client_id=a", 200, `"access_token":"good"`},
		"another id in the form":    {basic("a", "secret"), grant + "&client_id=b", 400, "not in both"},
		"a secret in the form, too": {basic("a", "secret"), grant + "&client_secret=secret", 400, "not in both"},
		"not encoded":               {basic("a", "100%"), grant, 400, "encoded as in a form"},
		"a wrong secret":            {basic("a", "hush"), grant, 401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{
				Method: "POST", Path: "/auth/oauth/token", Body: tt.body, ContentType: http.URLEncodedType, Token: apitest.None,
				Header: map[string]string{"Authorization": tt.header},
			})
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) || strings.Contains(body, "hush") {
				t.Errorf("%d %s, want %d that says %s", resp.StatusCode, body, tt.status, tt.says)
			}
			if challenge := resp.Header.Get("WWW-Authenticate"); tt.status == 401 && challenge != `Basic realm="Kappa"` {
				t.Errorf("WWW-Authenticate: %s, want Basic", challenge)
			}
		})
	}
}

func TestClients(t *testing.T) {
	s := newServer(t, &fake{})
	for _, tt := range []struct {
		apitest.Request
		status int
		body   string
	}{
		{apitest.Request{Method: "GET", Path: "/auth/oauth/clients/personal"}, 200, `{"clients":[],"total":0}`},
		{apitest.Request{Method: "POST", Path: "/auth/oauth/clients/personal/new"}, 201, `"client_secret":"secret"`},
		{apitest.Request{Method: "DELETE", Path: "/auth/oauth/clients/personal/a"}, 204, ``},
		{apitest.Request{Method: "DELETE", Path: "/auth/oauth/clients/personal/unknown"}, 404, `OAuth client 'unknown' not found`},
		{apitest.Request{Method: "DELETE", Path: "/auth/oauth/clients/personal/%00"}, 404, `not found`},
		{apitest.Request{Method: "POST", Path: "/auth/oauth/clients/personal/a/rotate-secret"}, 200, `"client_secret":"secret"`},
		{apitest.Request{Method: "POST", Path: "/auth/oauth/revoke", Token: apitest.None, Body: "token=whatever", ContentType: http.URLEncodedType}, 200, `{}`},
		{apitest.Request{Method: "GET", Path: "/users/me"}, 200, `"username":"admin"`},
		{apitest.Request{Method: "GET", Path: "/auth/me"}, 200, `"role":"platform_admin"`},
	} {
		resp, body := apitest.Call(t, s, tt.Request)
		if resp.StatusCode != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s %s: %d %s, want %d with %s", tt.Method, tt.Path, resp.StatusCode, body, tt.status, tt.body)
		}
		if tt.status == 204 && body != "" {
			t.Errorf("204 with a Body: %s", body)
		}
	}
}

// The token endpoint is called before every other apitest.Request of some clients.
func BenchmarkToken(b *testing.B) {
	s := newServer(b, &fake{})
	for b.Loop() {
		r := httptest.NewRequest("POST", "/auth/oauth/token", strings.NewReader("grant_type=client_credentials&client_id=a&client_secret=secret"))
		r.Header.Set("Content-Type", http.URLEncodedType)
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
}
