package cli

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// brokenAPI is a server whose graph breaks two rules, one of which can be repaired.
func brokenAPI(t *testing.T) *fakeAPI {
	f := wellAPI(t, wellStatus)
	repaired := false
	f.answer("GET /admin/graph/checks", `{"checks":[{"name":"references","rule":"nothing refers to what is gone","remedy":"restore it","repair":""},
		{"name":"confidence","rule":"a relationship is as sure as its evidence","remedy":"kg doctor --deep --repair","repair":"gives them that"},{"name":"quotes","rule":"all is quoted","remedy":"x","repair":""}]}`)
	f.answer("GET /admin/graph/checks/references", `{"name":"references","rule":"nothing refers to what is gone","broken":2,"examples":["quote 7"]}`)
	f.answer("GET /admin/graph/checks/quotes", `{"broken":0,"examples":[]}`)
	f.HandleFunc("GET /admin/graph/checks/confidence", func(w http.ResponseWriter, _ *http.Request) {
		if repaired {
			f.json(w, `{"broken":0,"examples":[]}`)
			return
		}
		f.json(w, `{"broken":1,"examples":["a_1 CAUSES b_2 has 0.5, its best evidence 1"]}`)
	})
	f.HandleFunc("POST /admin/graph/checks/confidence/repair", func(w http.ResponseWriter, _ *http.Request) {
		repaired = true
		f.json(w, `{"name":"confidence","repaired":1}`)
	})
	return f
}

func TestDoctorDeep(t *testing.T) {
	c := withPostgres(t, brokenAPI(t).console(t)).run(t.Context(), "doctor", "--deep")
	for _, says := range []string{"fail  references", "quote 7", "→ restore it", "fail  confidence", "a_1 CAUSES b_2", "gives them that", "ok    quotes          all is quoted"} {
		if !strings.Contains(strings.Join(strings.Fields(c.out), " "), strings.Join(strings.Fields(says), " ")) {
			t.Errorf("it does not say %q:\n%s", says, c.out)
		}
	}
	if c.code != exit.Failed || !strings.Contains(c.err, "2 checks failed") {
		t.Errorf("code %d, stderr %s", c.code, c.err)
	}
}

func TestDoctorRepairs(t *testing.T) {
	c := withPostgres(t, brokenAPI(t).console(t)).run(t.Context(), "doctor", "--deep", "--repair")
	if c.code != exit.Failed || !strings.Contains(c.err, "1 check failed") || !strings.Contains(c.out, "repaired: 1 row") {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
	c = withPostgres(t, brokenAPI(t).console(t)).run(t.Context(), "doctor", "--repair")
	if c.code != exit.Misused || !strings.Contains(c.err, "--repair needs --deep") {
		t.Errorf("code %d, stderr %s", c.code, c.err)
	}
}
