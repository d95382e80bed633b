package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestChangePassword has the password that the user has sent with the new one.
func TestChangePassword(t *testing.T) {
	f := newFakeAPI(t)
	var sent string
	f.HandleFunc("PUT /auth/me", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent = strings.TrimSpace(string(body))
		if !strings.Contains(sent, "current_password") {
			f.problem(w, http.StatusForbidden, "A new password takes the one before it")
			return
		}
		f.json(w, `{"id":1000,"username":"admin","role":"platform_admin"}`)
	})
	c := f.console(t)
	c.in = "the old one\nthe new one\n"
	if c.run(t.Context(), "auth", "password", "--password-stdin"); c.code != exit.OK || sent != `{"password":"the new one","current_password":"the old one"}` {
		t.Errorf("code %d, stderr %q, sent %s", c.code, c.err, sent)
	}
	c.in = "the new one"
	if c.run(t.Context(), "auth", "password", "--password-stdin"); c.code != exit.NotAllowed || sent != `{"password":"the new one"}` || !strings.Contains(c.err, "takes the one before it") {
		t.Errorf("one line: code %d, stderr %q, sent %s", c.code, c.err, sent)
	}
	c.in = ""
	if c.run(t.Context(), "auth", "password", "--password-stdin"); c.code != exit.Misused {
		t.Errorf("no line: code %d, stderr %q", c.code, c.err)
	}
}

// TestSessions lists the sessions of the console, and ends one.
func TestSessions(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /auth/sessions", `{"sessions":[{"session_id":"kgs_1","browser":"Firefox on Linux","created_at":"2026-11-29T03:00:00Z","last_used_at":null,"expires_at":"2026-11-29T15:00:00Z","current":false}]}`)
	ended := ""
	f.HandleFunc("DELETE /auth/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		ended = r.PathValue("id")
		w.WriteHeader(http.StatusNoContent)
	})
	c := f.console(t)
	if c.run(t.Context(), "auth", "sessions"); c.code != exit.OK || !strings.Contains(c.out, "Firefox on") || !strings.Contains(c.out, "never") {
		t.Errorf("code %d, stdout %q", c.code, c.out)
	}
	if c.run(t.Context(), "auth", "sessions", "end", "kgs_1"); c.code != exit.OK || ended != "kgs_1" {
		t.Errorf("code %d, ended %q", c.code, ended)
	}
}

// TestSettingsInForce shows what is set, on request what is at its default too, and no secret.
func TestSettingsInForce(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/settings", `{"settings":[{"name":"KG_ADDR","value":"127.0.0.1:1","secret":false,"source":"flag","default":"127.0.0.1:8000","rule":"","help":""},
		{"name":"DATABASE_URL","value":null,"secret":true,"source":"environment","default":"none","rule":"","help":""},{"name":"KG_POOL_AUTH","value":null,"secret":false,"source":"default","default":"5","rule":"","help":""}]}`)
	c := f.console(t)
	if c.run(t.Context(), "admin", "settings"); c.code != exit.OK || !strings.Contains(c.out, "127.0.0.1:1") || !strings.Contains(c.out, "(set, not shown)") || strings.Contains(c.out, "KG_POOL_AUTH") {
		t.Errorf("code %d, stdout %q", c.code, c.out)
	}
	if c.run(t.Context(), "admin", "settings", "--all"); c.code != exit.OK || !strings.Contains(c.out, "KG_POOL_AUTH") {
		t.Errorf("all: code %d, stdout %q", c.code, c.out)
	}
}
