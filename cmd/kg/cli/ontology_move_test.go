package cli

import (
	"io"
	"net/http"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestReassign moves chunks, or says what would be moved.
func TestReassign(t *testing.T) {
	f := newFakeAPI(t)
	asked := ""
	f.HandleFunc("POST /ontology/{name}/reassign", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = r.PathValue("name") + " " + string(body)
		f.json(w, `{"sources_reassigned":2,"proposal_id":3,"dry_run":false}`)
	})
	c := f.console(t).run(t.Context(), "ontology", "reassign", "old notes", "src_1", "src_2", "--into", "energy")
	if c.code != exit.OK || c.out != "2 chunks moved; kg ontology proposal undo 3 takes it back\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	if want := `old notes {"dry_run":false,"source_ids":["src_1","src_2"],"target_ontology":"energy"}`; asked != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	f = newFakeAPI(t)
	f.answer("POST /ontology/{name}/reassign", `{"sources_reassigned":1,"proposal_id":0,"dry_run":true}`)
	if c := f.console(t).run(t.Context(), "ontology", "reassign", "notes", "src_1", "--into", "energy", "--dry-run"); c.out != "1 chunk would be moved\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	for _, args := range [][]string{{"notes", "--into", "energy"}, {"notes", "src_1"}, {"notes", "src_1", "--into", "notes"}} {
		if c := f.console(t).run(t.Context(), append([]string{"ontology", "reassign"}, args...)...); c.code != exit.Misused {
			t.Errorf("%v: code %d", args, c.code)
		}
	}
}

// TestOntologyEdges lists how an ontology overlaps with others.
func TestOntologyEdges(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /ontology/notes/edges", `{"edges":[{"from_ontology":"notes","to_ontology":"energy","edge_type":"SPECIALIZES","score":0.75,"shared_concept_count":3}]}`)
	f.answer("GET /ontology/alone/edges", `{"edges":[]}`)
	c := f.console(t).run(t.Context(), "ontology", "edges", "notes")
	if want := "FROM   TYPE         TO      SCORE  SHARED\nnotes  SPECIALIZES  energy   0.75       3\n"; c.code != exit.OK || c.out != want {
		t.Errorf("code %d, stdout\n%s\nwant\n%s\nstderr %s", c.code, c.out, want, c.err)
	}
	if c := f.console(t).run(t.Context(), "ontology", "edges", "alone"); c.code != exit.OK || c.out != "" || c.err == "" {
		t.Errorf("none: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}
