package accounts

import (
	"maps"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// cookieName is that of a server on the port of http.
const cookieName = "kappa_session"

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
		if c.Name != cookieName || c.Value != goodSession || c.Path != "/" || c.Domain != "" || !c.HttpOnly || c.SameSite != nethttp.SameSiteStrictMode || c.Secure || c.MaxAge < 3500 || c.MaxAge > 3600 {
			t.Errorf("cookie %+v", c)
		}
	})
	t.Run("sets a secure one where TLS ends at a proxy that may say so", func(t *testing.T) {
		for _, c := range []struct {
			from    string
			proxies []string
			secure  bool
		}{
			{"127.0.0.1:7", nil, true},
			{"10.0.0.9:7", nil, true},
			{"[fd00::9]:7", nil, true},
			{"203.0.113.9:7", nil, false},
			{"203.0.113.9:7", []string{"203.0.113.0/24"}, true},
			{"203.0.113.9:7", []string{"203.0.113.9"}, true},
			{"127.0.0.1:7", []string{"203.0.113.9"}, false},
		} {
			s := apitest.ServeWith(t, http.Config{Sessions: f, Proxies: c.proxies}, New(Config{Clients: f, Tokens: f, Sessions: f}))
			req := httptest.NewRequestWithContext(t.Context(), "POST", "/auth/session", strings.NewReader("username=admin&password=right"))
			req.RemoteAddr = c.from
			req.Header.Set("Content-Type", http.URLEncodedType)
			req.Header.Set("X-Forwarded-Proto", "https")
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			if cookies := w.Result().Cookies(); len(cookies) != 1 || cookies[0].Secure != c.secure {
				t.Errorf("from %s, known %v: %v, want secure %t", c.from, c.proxies, cookies, c.secure)
			}
		}
	})
	t.Run("has a cookie of its own on each port", func(t *testing.T) {
		for host, want := range map[string]string{"kg.example": "kappa_session", "kg.example:8000": "kappa_session_8000", "[::1]:8001": "kappa_session_8001", "kg.example:x;y": "kappa_session"} {
			if got := http.SessionCookie(&nethttp.Request{Host: host}); got != want {
				t.Errorf("at %s: %s, want %s", host, got, want)
			}
		}
	})
	t.Run("says which browser it is", func(t *testing.T) {
		for agent, want := range map[string]string{
			"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0":                                                        "Firefox on Linux",
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0": "Edge on Windows",
			"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1":     "Safari on iOS",
			"<script>": "", "": "",
		} {
			signIn("username=admin&password=right", map[string]string{"User-Agent": agent})
			if got := f.logins[len(f.logins)-1].ClientName; got != want {
				t.Errorf("%s: %q, want %q", agent, got, want)
			}
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
		"listing sessions":                  {"GET", "/auth/sessions", goodSession, nil, 200},
		"ending an unknown one":             {"DELETE", "/auth/sessions/kgs_1", goodSession, map[string]string{http.TokenHeader: token}, 404},
		"ending one without the token":      {"DELETE", "/auth/sessions/kgs_0123456789abcdef01234567", goodSession, nil, 403},
		"signing out with a token of API's": {"DELETE", "/auth/session", "", map[string]string{"Authorization": "Bearer " + apitest.Good}, 404},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			header := map[string]string{"Cookie": cookieName + "=" + tt.session}
			maps.Copy(header, tt.header)
			resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: tt.method, Path: tt.path, Token: apitest.None, Header: header})
			if resp.StatusCode != tt.status || f.signedOut != 0 {
				t.Errorf("%d %s, want %d; signed out %d times", resp.StatusCode, body, tt.status, f.signedOut)
			}
		})
	}
	t.Run("sessions are listed, and one is ended", func(t *testing.T) {
		f := &fake{}
		header := map[string]string{"Cookie": cookieName + "=" + goodSession, http.TokenHeader: token}
		_, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/auth/sessions", Token: apitest.None, Header: header})
		if !strings.Contains(body, `"browser":"Firefox on Linux"`) || !strings.Contains(body, `"current":`) {
			t.Errorf("listed %s", body)
		}
		resp, _ := apitest.Call(t, newServer(t, f), apitest.Request{Method: "DELETE", Path: "/auth/sessions/kgs_0123456789abcdef01234567", Token: apitest.None, Header: header})
		if resp.StatusCode != 204 || len(f.ended) != 1 {
			t.Errorf("%d, ended %v", resp.StatusCode, f.ended)
		}
	})
	t.Run("signing out forgets the cookie", func(t *testing.T) {
		f := &fake{}
		header := map[string]string{"Cookie": cookieName + "=" + goodSession, http.TokenHeader: token}
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "DELETE", Path: "/auth/session", Token: apitest.None, Header: header})
		if resp.StatusCode != 204 || f.signedOut != 1 || len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge >= 0 || resp.Cookies()[0].Value != "" {
			t.Errorf("%d %s, signed out %d times, cookies %v", resp.StatusCode, body, f.signedOut, resp.Cookies())
		}
	})
}
