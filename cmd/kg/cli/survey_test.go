package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const communitiesAnswer = `{"ontology":"earth","concepts":13,"relationships":11,"count":7,"modularity":0.4321,"communities":[
	{"name":"rock, ice, water","size":4,"share":0.3077,"concepts":[{"label":"rock"},{"label":"ice"},{"label":"water"},{"label":"soil"}]},
	{"name":"body","size":1,"share":0.0769,"concepts":[{"label":"body"}]}]}`

func TestGraphSurvey(t *testing.T) {
	const table = "CONCEPTS  SHARE  ABOUT\n       4   31 %  rock, ice, water, soil\n       1    8 %  body\n\nof 13 concepts and 11 relationships\n7 communities, modularity 0.43\n"
	for line, want := range map[string]struct{ out, err, asked string }{
		"graph centrality --ontology earth --limit 2": {
			out:   "  RANK  CONCEPT  IN  OUT  GROUNDING  ID\n0.2500  rock      3    1      -0.10  rock_5\n0.1000  ice       0    2          –  ice_2\n\nof 13 concepts and 11 relationships\n",
			asked: `{"ontology":"earth","limit":2}`,
		},
		"graph communities --resolution 1.5": {out: table, asked: `{"resolution":1.5,"limit":20,"per_community":5}`},
		"ontology about earth":               {out: table},
	} {
		f, asked := newFakeAPI(t), ""
		for pattern, answer := range map[string]string{
			"POST /graph/centrality": `{"concepts":13,"relationships":11,"results":[
				{"concept_id":"rock_5","label":"rock","page_rank":0.25,"in_degree":3,"out_degree":1,"grounding_strength":-0.1},{"concept_id":"ice_2","label":"ice","page_rank":0.1,"out_degree":2}]}`,
			"POST /graph/communities":   communitiesAnswer,
			"GET /ontology/earth/about": communitiesAnswer,
		} {
			f.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				asked = string(body)
				f.json(w, answer)
			})
		}
		if c := f.console(t).run(t.Context(), strings.Fields(line)...); c.code != exit.OK || c.out != want.out || c.err != want.err {
			t.Errorf("%s: code %d, stdout\n%s\nstderr %s", line, c.code, c.out, c.err)
		}
		if asked != want.asked {
			t.Errorf("%s asked %q, want %q", line, asked, want.asked)
		}
	}
	f := newFakeAPI(t)
	f.answer("POST /graph/communities", `{"communities":[]}`)
	if c := f.console(t).run(t.Context(), "graph", "communities"); c.code != exit.OK || c.out != "" || c.err != "There are no concepts yet.\n" {
		t.Errorf("an empty graph: code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}

func TestMeasureFlags(t *testing.T) {
	f, asked := newFakeAPI(t), map[string]string{}
	for pattern, answer := range map[string]string{
		"POST /query/search": `{"results":[{"concept_id":"lane_1","label":"lane","score":0.9,"evidence_count":2,"diversity_score":0.456,"diversity_related_count":7},{"concept_id":"slot_2","label":"slot","score":0.8}]}`,
		"GET /query/concept/lane_1": `{"concept_id":"lane_1","label":"lane","documents":["demo"],"grounding_strength":-0.25,"confidence_level":"confident","confidence_score":0.7,
			"grounding_display":"Contested","diversity_score":0.456,"authenticated_diversity":-0.2}`,
		"POST /query/related":           `{"results":[]}`,
		"POST /query/connect-by-search": `{"paths":[]}`,
	} {
		f.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			var body json.RawMessage
			_ = json.NewDecoder(r.Body).Decode(&body)
			asked[r.URL.Path] = r.URL.RawQuery + string(body)
			f.json(w, answer)
		})
	}
	run := func(line, out, path, want string) {
		t.Helper()
		if c := f.console(t).run(t.Context(), strings.Fields(line)...); c.code != exit.OK || c.out != out {
			t.Errorf("%s: code %d, stdout\n%s\nstderr %s", line, c.code, c.out, c.err)
		}
		if !strings.Contains(asked[path], want) {
			t.Errorf("%s asked %s, want %s", line, asked[path], want)
		}
	}
	run("search query lanes --diversity-max-hops 3", "SCORE  CONCEPT  QUOTES  DIVERSITY  AROUND  ID\n 0.90  lane          2       0.46       7  lane_1\n 0.80  slot          0          –       –  slot_2\n",
		"/query/search", `"include_diversity":true,"diversity_max_hops":3`)
	run("search show lane_1 --diversity", "lane  lane_1\nin:   demo\nis:   Contested, grounding -0.25, confidence 0.70 (confident), diversity 0.46\n      (authenticated -0.20)\n",
		"/query/concept/lane_1", "diversity_max_hops=2&include_diversity=true&include_grounding=true")
	run("search related lane_1 --include-status WELL_GROUNDED --exclude-status historical,CONTRADICTED --no-grounding", "", "/query/related",
		`"include_epistemic_status":["WELL_GROUNDED"],"exclude_epistemic_status":["historical","CONTRADICTED"],"include_grounding":false`)
	run("connect lanes slots --include-status WELL_GROUNDED --diversity", "", "/query/connect-by-search", `"include_epistemic_status":["WELL_GROUNDED"],"include_diversity":true`)
}
