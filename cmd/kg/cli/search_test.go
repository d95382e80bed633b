package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// graphAPI is a server with the concepts lane (lane_1) and worker-lane
// (worker-lane_8).
func graphAPI(t *testing.T) *fakeAPI {
	f := newFakeAPI(t)
	f.answer("GET /query/concept/lane_1", `{"concept_id":"lane_1","label":"lane","description":"a named group","search_terms":["lanes"],"documents":["demo"],
		"instances":[{"quote":"A lane | a group","filename":"notes.md","paragraph":1,"start_byte":10,"end_byte":26}],
		"relationships":[{"to_id":"slot_2","to_label":"slot","rel_type":"HAS_PART"}]}`)
	f.answer("GET /query/concept/worker-lane_8", `{"concept_id":"worker-lane_8","label":"worker lane"}`)
	f.refuse("GET /query/concept/{id}", http.StatusNotFound, "Concept not found")
	f.HandleFunc("POST /query/search", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Query string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		switch q.Query {
		case "lanes", "poll-interval", "claimed lane":
			f.json(w, `{"query":"lanes","count":1,"results":[{"concept_id":"lane_1","label":"lane","score":0.954,"evidence_count":22,"documents":["demo"],
				"sample_evidence":[{"quote":"Lanes claim jobs.","document":"demo","paragraph":2,"page":3,"start_byte":1,"end_byte":18}]}]}`)
		default:
			f.json(w, `{"query":"`+q.Query+`","count":0,"results":[],"below_threshold_count":2,"suggested_threshold":0.41}`)
		}
	})
	return f
}

func TestSearchQuery(t *testing.T) {
	c := graphAPI(t).console(t)
	c.run(t.Context(), "search", "query", "lanes")
	want := "SCORE  CONCEPT  QUOTES  ID\n 0.95  lane         22  lane_1\n\nlane\n  “Lanes claim jobs.”\n    demo, page 3, bytes 1–18\n"
	if c.code != exit.OK || c.out != want || c.err != "" {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
	if c.run(t.Context(), "search", "lanes"); c.code != exit.OK || c.out != want {
		t.Errorf("a phrase alone: code %d, stdout\n%s", c.code, c.out)
	}
	c.run(t.Context(), "search", "query", "two", "words")
	if c.code != exit.OK || c.out != "" || c.err != "No concept is that similar to \"two words\".\nless similar: kg search query \"two words\" --min-similarity 0.41\n" {
		t.Errorf("nothing found: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}

func TestSearchShow(t *testing.T) {
	c := graphAPI(t).console(t)
	c.run(t.Context(), "search", "show", "lane_1")
	want := "lane  lane_1\na named group\nalso: lanes\nin:   demo\n\nRelationships\n  —HAS_PART→ slot  slot_2\n\nQuotes\n  “A lane | a group”\n    notes.md, chunk 1, bytes 10–26\n"
	if c.code != exit.OK || c.out != want || c.err != "" {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
}

func TestConceptsByPhrase(t *testing.T) {
	for _, tt := range []struct {
		name, word string
		code       int
		stderr     string
	}{
		{"an id", "worker-lane_8", exit.OK, ""},
		{"a phrase", "lanes", exit.OK, "\"lanes\" is taken as lane (lane_1, similarity 0.95)\n"},
		{"a phrase that looks like an id", "poll-interval", exit.OK, "\"poll-interval\" is taken as lane (lane_1, similarity 0.95)\n"},
		{"nothing", "zzz", exit.NotFound, "kg: no concept matches \"zzz\"\n    less similar: kg search query \"zzz\" --min-similarity 0.41\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := graphAPI(t).console(t).run(t.Context(), "search", "show", tt.word)
			if c.code != tt.code || c.err != tt.stderr {
				t.Errorf("code %d, stderr %q", c.code, c.err)
			}
		})
	}
}

func TestDrawPath(t *testing.T) {
	p := questions.Path{
		Nodes:         []questions.PathNode{{Label: "a"}, {Label: "b\nc"}, {Label: "d"}},
		Relationships: []string{"USES", "PART_OF"}, Forward: []bool{true, false},
	}
	if got := show.Path(p); got != "a —USES→ b c ←PART_OF— d" {
		t.Errorf("got %q", got)
	}
	p.Forward = nil // a server that does not say the directions
	if got := show.Path(p); got != "a —USES→ b c —PART_OF→ d" {
		t.Errorf("without directions: %q", got)
	}
}

func TestSearchRelated(t *testing.T) {
	f := graphAPI(t)
	f.answer("POST /query/related", `{"concept_id":"lane_1","max_depth":2,"count":1,"truncated":true,"missing":"there are more concepts around","results":[{"concept_id":"slot_2","label":"slot","distance":2,"path_types":["PART_OF","USES"]}]}`)
	c := f.console(t).run(t.Context(), "search", "related", "lane_1")
	if want := "AWAY  CONCEPT  OVER          ID\n   2  slot     PART_OF USES  slot_2\n"; c.out != want || !strings.Contains(c.err, "Not complete: there are more concepts around.") {
		t.Errorf("stdout\n%s\nstderr %s", c.out, c.err)
	}
	if c := f.console(t).run(t.Context(), "search", "related", "claimed lane"); !strings.Contains(c.out, "slot_2") {
		t.Errorf("a phrase: stdout\n%s\nstderr %s", c.out, c.err)
	}
}
