package cli

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestGraphEdges(t *testing.T) {
	f := graphAPI(t)
	var asked string
	f.HandleFunc("GET /edges", func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.RawQuery
		if r.URL.Query().Get("ontology") == "empty" {
			f.json(w, `{"edges":[],"total":0}`)
			return
		}
		f.json(w, `{"edges":[{"from_label":"lane","to_label":"slot","relationship_type":"HAS_PART","confidence":0.9,"source_count":2,"document_count":1}],"total":3,"offset":1,"limit":1}`)
	})
	c := f.console(t).run(t.Context(), "graph", "edges", "--from", "lane_1", "--type", "has_part", "--min-confidence", "0.5", "--limit", "1", "--offset", "1")
	want := "FROM  TYPE      TO    CERTAIN  CHUNKS  DOCUMENTS\nlane  HAS_PART  slot     0.90       2          1\n"
	if c.code != exit.OK || c.out != want || c.err != "1 of 3 relationships; the next ones: --offset 2\n" {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
	if asked != "from_concept_id=lane_1&limit=1&min_confidence=0.5&offset=1&relationship_type=has_part" {
		t.Errorf("asked for %s", asked)
	}
	if c := f.console(t).run(t.Context(), "graph", "edges", "--ontology", "empty"); c.code != exit.OK || c.out != "" || c.err != "No relationship is like that.\n" {
		t.Errorf("none: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	if c := f.console(t).run(t.Context(), "graph", "edges", "--limit", "501"); c.code != exit.Misused {
		t.Errorf("too many: code %d", c.code)
	}
}

func TestGraphDraw(t *testing.T) {
	f := graphAPI(t)
	f.answer("GET /graph/export", `{"nodes":[{"concept_id":"a_1","label":"lane","degree":2},{"concept_id":"b_2","label":"slot","degree":2},{"concept_id":"c_3","label":"lonely","degree":1}],
		"edges":[{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"HAS_PART"}]}`)
	picture := f.console(t).run(t.Context(), "graph", "draw", "--limit", "3")
	if picture.code != exit.OK || picture.err != "Left out: 1 concept without a relationship to one of the others.\n" || strings.Contains(picture.out, "lonely") {
		t.Errorf("code %d, stderr %q, stdout\n%s", picture.code, picture.err, picture.out)
	}
	if err := xml.Unmarshal([]byte(picture.out), new(struct{})); err != nil || !strings.Contains(picture.out, "HAS_PART (1)") {
		t.Errorf("%v in\n%s", err, picture.out)
	}
	if again := f.console(t).run(t.Context(), "graph", "draw", "--limit", "3"); again.out != picture.out {
		t.Error("the same graph and seed give another picture")
	}
	if all := f.console(t).run(t.Context(), "graph", "draw", "--limit", "9"); !strings.Contains(all.out, "lonely") || all.err != "" {
		t.Errorf("the whole graph: stderr %q, stdout\n%s", all.err, all.out)
	}
	for _, limit := range []string{"0", "2001"} {
		if c := f.console(t).run(t.Context(), "graph", "draw", "--limit", limit); c.code != exit.Misused {
			t.Errorf("--limit %s: code %d", limit, c.code)
		}
	}
}
