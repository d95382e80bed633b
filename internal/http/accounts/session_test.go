package accounts

import (
	"maps"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestSignIn(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	signIn := func(form string, header map[string]string) (*nethttp.Response, string) {
		return apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/auth/session", Body: form, ContentType: http.URLEncodedType, Token: apitest.None, Header: header})
	}
	t.Run("sets a cookie that no script and no other site gets", func(t *testing.T) {
		resp, body := signIn("username=admin&password=right", nil)
		if resp.StatusCode != 201 || !strings.Contains(body, `"token":"`+http.SessionToken(goodSession)+`"`) || strings.Contains(body, goodSession) {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		c := resp.Cookies()[0]
		if c.Name != http.SessionCookie || c.Value != goodSession || c.Path != "/" || c.Domain != "" || !c.HttpOnly || c.SameSite != nethttp.SameSiteStrictMode || c.Secure || c.MaxAge < 3500 || c.MaxAge > 3600 {
			t.Errorf("cookie %+v", c)
		}
	})
	t.Run("sets a secure one behind TLS", func(t *testing.T) {
		resp, _ := signIn("username=admin&password=right", map[string]string{"X-Forwarded-Proto": "https"})
		if !resp.Cookies()[0].Secure {
			t.Error("the cookie goes without TLS too")
		}
	})
	t.Run("refuses a wrong password, a form that lacks one, and another site", func(t *testing.T) {
		for _, c := range []struct {
			form, site string
			status     int
		}{
			{"username=admin&password=wrong", "same-origin", 401},
			{"username=admin", "same-origin", 422},
			{"username=admin&password=right", "cross-site", 403},
			{"username=admin&password=right", "same-site", 403},
		} {
			resp, body := signIn(c.form, map[string]string{"Sec-Fetch-Site": c.site})
			if resp.StatusCode != c.status || len(resp.Cookies()) != 0 {
				t.Errorf("%s from %s: %d %s %v, want %d", c.form, c.site, resp.StatusCode, body, resp.Cookies(), c.status)
			}
		}
	})
}

// TestSession uses a session as pages of this and of other sites would.
func TestSession(t *testing.T) {
	token := http.SessionToken(goodSession)
	for name, tt := range map[string]struct {
		method, path, session string
		header                map[string]string
		status                int
	}{
		"a read":                            {"GET", "/users/me", goodSession, nil, 200},
		"a read with the wrong session":     {"GET", "/users/me", "kgs_0123456789abcdef01234567_guess", nil, 401},
		"a read of a page of another site":  {"GET", "/users/me", goodSession, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a read of another port":            {"GET", "/users/me", goodSession, map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		"a read of an old browser":          {"GET", "/users/me", goodSession, map[string]string{"Origin": "https://evil.example"}, 403},
		"a write without the token":         {"DELETE", "/auth/oauth/clients/personal/a", goodSession, map[string]string{"Sec-Fetch-Site": "same-origin"}, 403},
		"a write with another token":        {"DELETE", "/auth/oauth/clients/personal/a", goodSession, map[string]string{http.TokenHeader: token[1:] + "0"}, 403},
		"a write with it of another site":   {"DELETE", "/auth/oauth/clients/personal/a", goodSession, map[string]string{http.TokenHeader: token, "Origin": "https://evil.example"}, 403},
		"a write with the token":            {"DELETE", "/auth/oauth/clients/personal/a", goodSession, map[string]string{http.TokenHeader: token, "Sec-Fetch-Site": "same-origin"}, 204},
		"a void bearer beside a session":    {"GET", "/users/me", goodSession, map[string]string{"Authorization": "Bearer void"}, 401},
		"showing it":                        {"GET", "/auth/session", goodSession, nil, 200},
		"showing it with a token":           {"GET", "/auth/session", goodSession, map[string]string{"Authorization": "Bearer " + apitest.Good}, 404},
		"signing out without the token":     {"DELETE", "/auth/session", goodSession, nil, 403},
		"signing out without being in":      {"DELETE", "/auth/session", "", map[string]string{http.TokenHeader: token}, 401},
		"signing out with a token of API's": {"DELETE", "/auth/session", "", map[string]string{"Authorization": "Bearer " + apitest.Good}, 404},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			header := map[string]string{"Cookie": http.SessionCookie + "=" + tt.session}
			maps.Copy(header, tt.header)
			resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: tt.method, Path: tt.path, Token: apitest.None, Header: header})
			if resp.StatusCode != tt.status || f.signedOut != 0 {
				t.Errorf("%d %s, want %d; signed out %d times", resp.StatusCode, body, tt.status, f.signedOut)
			}
		})
	}
	t.Run("signing out forgets the cookie", func(t *testing.T) {
		f := &fake{}
		header := map[string]string{"Cookie": http.SessionCookie + "=" + goodSession, http.TokenHeader: token}
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "DELETE", Path: "/auth/session", Token: apitest.None, Header: header})
		if resp.StatusCode != 204 || f.signedOut != 1 || len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge >= 0 || resp.Cookies()[0].Value != "" {
			t.Errorf("%d %s, signed out %d times, cookies %v", resp.StatusCode, body, f.signedOut, resp.Cookies())
		}
	})
}
