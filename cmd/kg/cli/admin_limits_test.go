package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// limitOfAlice is a limit as a server answers it.
const limitOfAlice = `{"limit_id":7,"scope":"user","value":"alice","max_running":2,"reason":"her flood","set_by":"bob","set_at":"2026-05-01T12:00:00Z","running":2,"full_values":1,"held":9998}`

func TestLimitCommands(t *testing.T) {
	f := newFakeAPI(t)
	var sent []string
	keep := func(answer string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			sent = append(sent, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+string(body)))
			if strings.Contains(string(body), `"each":true`) || r.Method != "POST" {
				f.json(w, answer)
				return
			}
			f.problem(w, 409, "These jobs are limited already")
		}
	}
	f.HandleFunc("POST /admin/limits", keep(strings.Replace(limitOfAlice, `"value":"alice"`, `"each":true`, 1)))
	f.HandleFunc("PUT /admin/limits/7", keep(limitOfAlice))
	f.HandleFunc("DELETE /admin/limits/7", keep(limitOfAlice))
	f.answer("GET /admin/limits", `{"limits":[`+limitOfAlice+`]}`)
	for _, tt := range []struct{ line, says, sends string }{
		{"admin limits", "at most 2 at once", ""},
		{"admin limits", "9,998", ""},
		{"admin limit set --each data.meta.host --per-second 0.5 --reason guests", "limited to at most 2 at once; 2 run now and 9998 wait", `POST /admin/limits {"scope":"data","key":"meta.host","each":true,"per_second":0.5,"reason":"guests"}`},
		{"admin limit set --user Alice --running 3 --reason more", "jobs of alice limited to", `PUT /admin/limits/7 {"max_running":3,"reason":"more"}`},
		{"admin limit remove --user alice", "jobs of alice limited no more", "DELETE /admin/limits/7"},
	} {
		c := f.console(t)
		c.run(t.Context(), strings.Fields(tt.line)...)
		if last := strings.Join(sent, "\n"); c.code != exit.OK || !strings.Contains(c.out, tt.says) || !strings.HasSuffix(last, tt.sends) {
			t.Errorf("%s: code %d %s, %q does not say %q, or %q does not end with %q", tt.line, c.code, c.err, c.out, tt.says, last, tt.sends)
		}
	}
	c := f.console(t)
	if c.run(t.Context(), "admin", "limit", "remove", "--queue", "slow"); c.code != exit.NotFound || !strings.Contains(c.err, "kg admin limits lists what is") {
		t.Errorf("code %d %s", c.code, c.err)
	}
}
