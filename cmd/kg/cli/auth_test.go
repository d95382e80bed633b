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
