package telemetry

import (
	"errors"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestHealth(t *testing.T) {
	t.Run("a good database", func(t *testing.T) {
		_, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/health", Token: apitest.None})
		if !strings.Contains(body, `"version":"test"`) || !regexp.MustCompile(`"timestamp":"20\d\d-[^"]+Z"`).MatchString(body) {
			t.Errorf("%s does not say when, or of which version", body)
		}
		want := `"components":{"api":{"status":"healthy"},"database":{"status":"healthy"},"storage":{"status":"healthy"},"events":{"status":"healthy"}}}`
		if !strings.HasPrefix(body, `{"status":"healthy"`) || !strings.HasSuffix(strings.TrimSpace(body), want) {
			t.Errorf("%s, want %s", body, want)
		}
	})
	t.Run("a database that is down is said without its secrets", func(t *testing.T) {
		b := &fake{}
		b.err = errors.New("dial postgres://user:hush@db")
		s := newServer(t, b)
		for _, path := range []string{"/health", "/", "/database/health"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path})
			if resp.StatusCode != 200 || strings.Contains(body, "hush") || strings.Contains(body, `"status":"healthy","epoch"`) || strings.Contains(body, "null") {
				t.Errorf("%s: %d %s", path, resp.StatusCode, body)
			}
		}
	})
	t.Run("a database that does not answer is waited for less than a second", func(t *testing.T) {
		for _, path := range []string{"/health", "/", "/database/health"} {
			synctest.Test(t, func(t *testing.T) {
				b := &fake{}
				b.hangs = true
				s := newServer(t, b)
				started := time.Now()
				for range 5 { // one check serves them all
					w := httptest.NewRecorder()
					r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
					r.Header.Set("Authorization", "Bearer good")
					s.Handler().ServeHTTP(w, r)
					if w.Code != 200 {
						t.Errorf("%s: %d %s", path, w.Code, w.Body)
					}
					if path == "/database/health" {
						break
					}
				}
				if took := time.Since(started); took >= time.Second {
					t.Errorf("%s took %s", path, took)
				}
			})
		}
	})
}

func TestService(t *testing.T) {
	const known, stranger = `"epoch":7,"queue":{"type":"postgresql","pending":0,"awaiting_approval":0,"approved":3,"processing":0}`, `"epoch":null,"queue":null`
	for token, shown := range map[string]string{apitest.Good: known, apitest.None: stranger, "void": stranger, apitest.Disabled: stranger} {
		for _, accept := range []string{"application/json", "text/html", "*/*"} {
			resp, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/", Token: token, Header: map[string]string{"Accept": accept}})
			if !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") || resp.StatusCode != 200 {
				t.Errorf("%d, Content-Type %q", resp.StatusCode, resp.Header.Get("Content-Type"))
			}
			for _, want := range []string{`"service":"Kappa"`, `"version":"test"`, `"status":"healthy"`, shown, `"endpoints":{`} {
				if !strings.Contains(body, want) {
					t.Errorf("with token %q: %s lacks %s", token, body, want)
				}
			}
		}
	}
}

func TestDatabaseHealth(t *testing.T) {
	_, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/database/health"})
	if want := `{"status":"healthy","responsive":true,"checks":{"connection":"ok","graph":"ok"},"connection":"ok","graph_available":true}`; strings.TrimSpace(body) != want {
		t.Errorf("%s, want %s", body, want)
	}
}
