package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const twoConcepts = `{"results":[
	{"concept_id":"lane_1","label":"a \"lane\", so","documents":["x","y"],"grounding_strength":null,"evidence_count":3},
	{"concept_id":"slot_2","label":"slot","documents":[],"grounding_strength":0.5,"evidence_count":1,"more":{"a":{"b":7}}}],"total":2}`

// TestForms shows one list in each form.
func TestForms(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"-o name", "lane_1\nslot_2\n"},
		{"-o csv", "concept_id,label,documents,grounding_strength,evidence_count,more\n" +
			`lane_1,"a ""lane"", so","[""x"",""y""]",,3,` + "\n" + `slot_2,slot,[],0.5,1,"{""a"":{""b"":7}}"` + "\n"},
		{"-o csv --columns label,more.a.b", "label,more.a.b\n" + `"a ""lane"", so",` + "\nslot,7\n"},
		{"--columns evidence_count,concept_id", "EVIDENCE_COUNT  CONCEPT_ID\n3               lane_1\n1               slot_2\n"},
		{"-o yaml", "results:\n- concept_id: lane_1\n  label: a \"lane\", so\n"},
	} {
		f := newFakeAPI(t)
		f.answer("POST /query/search", twoConcepts)
		got := f.console(t).run(t.Context(), append([]string{"search", "lane"}, strings.Fields(c.flags)...)...)
		if got.code != exit.OK || !strings.HasPrefix(got.out, c.want) {
			t.Errorf("%s: %d %s\n%s\nwant\n%s", c.flags, got.code, got.err, got.out, c.want)
		}
	}
	f := newFakeAPI(t)
	f.answer("POST /query/search", twoConcepts)
	if got := f.console(t).run(t.Context(), "search", "lane", "--columns", "nme"); got.code != exit.Misused || !strings.Contains(got.err, `nothing has "nme"; there are concept_id, label, `) {
		t.Errorf("a column that is not there: %d %s", got.code, got.err)
	}
	f = newFakeAPI(t)
	f.answer("POST /query/search", `{"results":[],"total":0}`)
	for flags, want := range map[string]string{"-o csv --columns a": "a\n", "-o name": "", "-o csv": ""} {
		if got := f.console(t).run(t.Context(), append([]string{"search", "lane"}, strings.Fields(flags)...)...); got.code != exit.OK || got.out != want {
			t.Errorf("nothing, with %s: %d %q %s", flags, got.code, got.out, got.err)
		}
	}
}
