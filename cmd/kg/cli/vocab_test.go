package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// vocabularyAPI knows two relationship types, of which one was measured. What is asked
// of it is kept.
func vocabularyAPI(t *testing.T) (f *fakeAPI, asked *[]string) {
	f, asked = newFakeAPI(t), &[]string{}
	const supports = `{"relationship_type":"SUPPORTS","epistemic_status":"MIXED_GROUNDING","rationale":"The mean grounding of 3 concepts",
		"stats":{"avg_grounding":0.2,"std_grounding":0.08,"min_grounding":0.1,"max_grounding":0.3,"measured_concepts":3,"sampled_edges":100,"total_edges":1200},"status_measured_at":"2026-01-01T00:00:00.000Z"}`
	const heldBy = `{"relationship_type":"HELD_BY","epistemic_status":"INSUFFICIENT_DATA"}`
	keep := func(pattern, answer string) {
		f.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			*asked = append(*asked, strings.TrimSpace(r.URL.RequestURI()+" "+string(body)))
			f.json(w, answer)
		})
	}
	keep("GET /vocabulary/status", `{"vocab_size":34,"vocab_min":30,"vocab_max":90,"vocab_emergency":300,"aggressiveness":0.06,"zone":"comfort","builtin_types":33,"custom_types":1,"categories":11,"profile":"aggressive"}`)
	keep("GET /vocabulary/types", `{"types":[{"relationship_type":"SUPPORTS","category":"evidential","edge_count":1200,"axis_projection":0.91,"avg_grounding":0.2,"epistemic_status":"MIXED_GROUNDING"},{"relationship_type":"HELD_BY","category":"llm_generated"}]}`)
	keep("GET /vocabulary/epistemic-status", `{"total":2,"types":[`+supports+`,`+heldBy+`],"last_measurement_at":"2026-01-01T00:00:00.000Z","vocabulary_changes_since_measurement":1}`)
	keep("GET /vocabulary/epistemic-status/SUPPORTS", supports)
	f.refuse("GET /vocabulary/epistemic-status/{type}", http.StatusNotFound, "Relationship type 'X' not found")
	keep("POST /vocabulary/epistemic-status/measure", `{"message":"Measured 2 relationship types","total_types":2,"stored_count":2,"classifications":{"MIXED_GROUNDING":1,"INSUFFICIENT_DATA":1},"sample_results":[`+supports+`]}`)
	return f, asked
}

const statusTable = "TYPE      STATUS           GROUNDING  CONCEPTS  EDGES\nSUPPORTS  MIXED_GROUNDING       0.20         3  1,200\n"

func TestVocab(t *testing.T) {
	for line, want := range map[string]struct{ out, err, asked string }{
		"vocab status": {out: "34 types: 33 built in, 1 from documents, in 11 categories\nzone comfort, aggressiveness 0.06 (profile aggressive)\n" +
			"merged from 30 types on, ever more eagerly up to 90; none is added from 300 on\n", asked: "/vocabulary/status"},
		"vocab types --custom": {
			out:   "TYPE      CATEGORY       EDGES  AXIS  GROUNDING  STATUS\nSUPPORTS  evidential     1,200  0.91       0.20  MIXED_GROUNDING\nHELD_BY   llm_generated      –     –          –  –\n",
			asked: "/vocabulary/types?include_builtin=false",
		},
		"vocab epistemic-status list --status mixed_grounding": {
			out: "TYPE      STATUS             GROUNDING  CONCEPTS  EDGES\nSUPPORTS  MIXED_GROUNDING         0.20         3  1,200\nHELD_BY   INSUFFICIENT_DATA          –         –      –\n",
			err: "1 new type since the last measurement.\n", asked: "/vocabulary/epistemic-status?status_filter=MIXED_GROUNDING",
		},
		"vocab epistemic-status show supports": {
			out:   "SUPPORTS  MIXED_GROUNDING\nThe mean grounding of 3 concepts\ngrounding 0.20, from 0.10 to 0.30, standard deviation 0.08\n100 edges sampled of 1,200\n",
			asked: "/vocabulary/epistemic-status/SUPPORTS",
		},
		"vocab epistemic-status measure --dry-run --all --sample-size 9": {
			out:   statusTable + "\nMeasured 2 relationship types, 2 stored\n  1 INSUFFICIENT_DATA\n  1 MIXED_GROUNDING\n",
			asked: `/vocabulary/epistemic-status/measure {"sample_size":9,"store":false,"verbose":true}`,
		},
	} {
		f, asked := vocabularyAPI(t)
		if c := f.console(t).run(t.Context(), strings.Fields(line)...); c.code != exit.OK || c.out != want.out || c.err != want.err {
			t.Errorf("%s: code %d, stdout\n%s\nstderr %s", line, c.code, c.out, c.err)
		}
		if got := strings.Join(*asked, "\n"); got != want.asked {
			t.Errorf("%s asked %q, want %q", line, got, want.asked)
		}
	}
	t.Run("as lines", func(t *testing.T) {
		f, _ := vocabularyAPI(t)
		c := f.console(t).run(t.Context(), "vocab", "types", "-o", "jsonl")
		if c.code != exit.OK || strings.Count(c.out, "\n") != 2 || !strings.HasPrefix(c.out, `{"relationship_type":"SUPPORTS"`) {
			t.Errorf("code %d, stdout %s", c.code, c.out)
		}
	})
}

// TestWrongMeasures gives what is refused before the server is asked, and what it does
// not know.
func TestWrongMeasures(t *testing.T) {
	for line, want := range map[string]struct {
		code int
		err  string
	}{
		"vocab nothing":                                  {exit.Misused, "unknown command"},
		"vocab epistemic-status nothing":                 {exit.Misused, "unknown command"},
		"vocab status now":                               {exit.Misused, "unknown command"},
		"vocab epistemic-status list --status good":      {exit.Misused, "status: must be one of"},
		"vocab epistemic-status show":                    {exit.Misused, "accepts 1 arg"},
		"vocab epistemic-status show X":                  {exit.NotFound, "'X' not found"},
		"vocab epistemic-status measure --sample-size 0": {exit.Misused, "sample_size: must be at least 1"},
		"graph centrality --limit 0":                     {exit.Misused, "limit: must be at least 1"},
		"graph centrality glacier":                       {exit.Misused, "unknown command"},
		"graph communities --resolution 0":               {exit.Misused, "resolution: must be between 0.01 and 100"},
		"graph communities --per-community 101":          {exit.Misused, "per_community: must be at most 100"},
		"ontology about":                                 {exit.Misused, "accepts 1 arg"},
		"ontology about " + strings.Repeat("x", 201):     {exit.Misused, "ontology: must have at most 200"},
		"ontology about nothing":                         {exit.NotFound, "Ontology 'nothing' does not exist"},
		"search query x --diversity-max-hops 4":          {exit.Misused, "diversity_max_hops: must be at most 3"},
		"search query x --diversity-max-hops two":        {exit.Misused, `must be a whole number, got "two"`},
		"search show lane_1 --diversity-max-hops 0":      {exit.Misused, "diversity_max_hops: must be at least 1"},
		"search related lane_1 --include-status good":    {exit.Misused, "include_epistemic_status[0]: must be one of"},
		"connect a b --exclude-status CONTRADICTED,good": {exit.Misused, "exclude_epistemic_status[1]: must be one of"},
	} {
		f, asked := vocabularyAPI(t)
		f.refuse("GET /ontology/{name}/about", http.StatusNotFound, "Ontology 'nothing' does not exist")
		c := f.console(t).run(t.Context(), strings.Fields(line)...)
		if c.code != want.code || c.out != "" || !strings.Contains(c.err, want.err) {
			t.Errorf("%s: code %d, stdout %q, stderr %q", line, c.code, c.out, c.err)
		}
		if len(*asked) > 0 {
			t.Errorf("%s asked the server: %q", line, *asked)
		}
	}
}
