package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestGraphNeighborhood(t *testing.T) {
	f := graphAPI(t)
	f.answer("POST /query/neighborhood", `{"nodes":[{"concept_id":"lane_1","label":"lane","degree":3},{"concept_id":"slot_2","label":"slot","distance":1,"degree":1}],
		"edges":[{"from_concept_id":"lane_1","to_concept_id":"slot_2","relationship_type":"HAS_PART","confidence":1}],"complete":false,"truncated":true,"missing":"there are more"}`)
	c := f.console(t).run(t.Context(), "graph", "neighborhood", "lane_1")
	want := "AWAY  CONCEPT  RELATIONSHIPS  ID\n   0  lane                 3  lane_1\n   1  slot                 1  slot_2\n\nlane —HAS_PART→ slot\n"
	if c.code != exit.OK || c.out != want || c.err != "Not complete: there are more.\n" {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
	if c := f.console(t).run(t.Context(), "graph", "neighborhood", "lane_1", "--max-hops", "6"); c.code != exit.Misused {
		t.Errorf("six hops: code %d", c.code)
	}
}

func TestGraphEnrichedPath(t *testing.T) {
	f := graphAPI(t)
	f.answer("POST /query/enriched-path", `{"paths":[{"nodes":[{"id":"lane_1","label":"lane"},{"id":"slot_2","label":"slot"}],"relationships":["HAS_PART"],"forward":[true],"hops":1}],
		"surroundings":[{"concept_id":"slot_2","neighbor_count":3,"neighbors":[{"label":"job","relationship_type":"USES","forward":false}]}],"complete":true}`)
	c := f.console(t).run(t.Context(), "graph", "enriched-path", "lane_1", "worker-lane_8")
	if want := "lane —HAS_PART→ slot\n\nslot\n  ←USES— job\n  and 2 more\n"; c.code != exit.OK || c.out != want {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
}

func TestGraphExport(t *testing.T) {
	f := graphAPI(t)
	f.HandleFunc("GET /graph/export", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.URL.RawQuery))
		if r.URL.Query().Get("ontology") == "broken" {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	})
	c := f.console(t).run(t.Context(), "graph", "export", "lane_1", "--format", "dot")
	if c.code != exit.OK || c.out != "concept_id=lane_1&format=dot&max_hops=2" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	file := filepath.Join(t.TempDir(), "graph.xml")
	c = f.console(t).run(t.Context(), "graph", "export", "--ontology", "broken", "--format", "gexf", "--file", file)
	if _, err := os.Stat(file); c.code == exit.OK || !os.IsNotExist(err) {
		t.Errorf("an export that is cut: code %d, stderr %q, file %v", c.code, c.err, err)
	}
	f.console(t).run(t.Context(), "graph", "export", "--ontology", "demo", "--format", "gexf", "--file", file)
	if body, err := os.ReadFile(file); err != nil || string(body) != "format=gexf&max_hops=2&ontology=demo" {
		t.Errorf("the file has %q, %v", body, err)
	}
	if c := f.console(t).run(t.Context(), "graph", "export", "--format", "xls"); c.code != exit.Misused {
		t.Errorf("a format that nobody knows: code %d", c.code)
	}
}
