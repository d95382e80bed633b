package graph_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// newTown returns a real graph of seven concepts: a chain from 1 to 5 with a shortcut
// from 2 to 4, a hub (6) beside it, and 7 alone.
func newTown(t *testing.T) realGraph {
	t.Helper()
	g := newRealGraph(t, graph.Config{})
	g.addConcepts(t, []string{"worker lane", "claim token", "job queue", "heartbeat", "lease", "database", "island"})
	g.addEdges(t, []knowledge.Edge{
		{From: 1, To: 2, Type: "CAUSES", Confidence: 0.9},
		{From: 2, To: 3, Type: "REQUIRES", Confidence: 0.8},
		{From: 4, To: 3, Type: "PART_OF", Confidence: 0.7},
		{From: 4, To: 5, Type: "CAUSES", Confidence: 1},
		{From: 2, To: 4, Type: vocabulary.TypeRelatedTo, Confidence: 0.9},
		{From: 6, To: 2, Type: "SUPPORTS", Confidence: 0.5},
		{From: 6, To: 3, Type: "SUPPORTS", Confidence: 0.6},
		{From: 6, To: 3, Type: "CAUSES", Confidence: 0.2},
	})
	return g
}

func TestConnectBySearchOnARealGraph(t *testing.T) {
	g := newTown(t)
	ask := func(from, to string) (questions.ConnectBySearchResult, error) {
		return g.ConnectBySearch(t.Context(), questions.ConnectBySearchQuery{FromQuery: from, ToQuery: to, MaxHops: 5, Threshold: 0.5})
	}
	t.Run("phrases and ids mean concepts", func(t *testing.T) {
		result, err := ask("worker lanes", "c_5")
		if err != nil {
			t.Fatal(err)
		}
		if result.FromConcept.ID != "c_1" || result.ToConcept.Label != "lease" || *result.FromSimilarity >= 1 || *result.ToSimilarity != 1 {
			t.Errorf("from %+v (%v) to %+v (%v)", result.FromConcept, *result.FromSimilarity, result.ToConcept, *result.ToSimilarity)
		}
		var hops []int
		for _, p := range result.Paths {
			hops = append(hops, p.Hops)
		}
		if !slices.Equal(hops, []int{3, 4}) || result.Count != 2 || result.Truncated {
			t.Errorf("paths of %v hops, count %d", hops, result.Count)
		}
	})
	t.Run("what is not connected has no path, and that is no error", func(t *testing.T) {
		if result, err := ask("c_1", "island"); err != nil || result.Count != 0 || result.ToConcept.ID != "c_7" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
	t.Run("a concept and itself", func(t *testing.T) {
		if result, err := ask("lease", "c_5"); err != nil || result.Count != 1 || result.Paths[0].Hops != 0 {
			t.Errorf("got %+v, %v", result, err)
		}
	})
	t.Run("nothing matches, and nothing is near", func(t *testing.T) {
		_, err := ask("zzzzzz", "lease")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != "No concepts found matching 'zzzzzz' at 50% similarity" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("nothing matches, and the threshold that is suggested helps", func(t *testing.T) {
		q := questions.ConnectBySearchQuery{FromQuery: "lease", ToQuery: "basement", MaxHops: 5, Threshold: 0.9}
		_, err := g.ConnectBySearch(t.Context(), q)
		message := kappa.ErrorMessage(err)
		head, hint, _ := strings.Cut(message, ". Try: --min-similarity ")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || head != "No concepts found matching 'basement' at 90% similarity" {
			t.Fatalf("got %v", err)
		}
		var near int
		if _, err := fmt.Sscanf(hint, "%f (%d near-miss concepts available)", &q.Threshold, &near); err != nil || near == 0 {
			t.Fatalf("%q: %v", message, err)
		}
		result, err := g.ConnectBySearch(t.Context(), q)
		if err != nil || result.ToConcept == nil {
			t.Errorf("with the suggestion %v: %v", q.Threshold, err)
		}
	})
}

func TestNeighborhoodOnARealGraph(t *testing.T) {
	g := newTown(t)
	ask := func(t *testing.T, q questions.NeighborhoodQuery) (questions.Neighborhood, string) {
		t.Helper()
		result, err := g.Neighborhood(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, n := range result.Nodes {
			parts = append(parts, fmt.Sprint(n.ConceptID, "@", n.Distance, "/", n.Degree))
		}
		for _, e := range result.Edges {
			parts = append(parts, fmt.Sprint(e.FromID, " ", e.Type, " ", e.ToID, " ", e.Confidence))
		}
		if result.NodeCount != len(result.Nodes) || result.EdgeCount != len(result.Edges) {
			t.Errorf("counts %d and %d of %d and %d", result.NodeCount, result.EdgeCount, len(result.Nodes), len(result.Edges))
		}
		return result, strings.Join(parts, ", ")
	}
	for _, c := range []struct {
		name, want string
		query      questions.NeighborhoodQuery
		truncated  bool
	}{
		{
			"the nearest first, the best path before others, with every relationship among them",
			"c_1@0/1, c_2@1/4, c_3@2/4, c_6@2/3, c_4@2/3, c_1 CAUSES c_2 0.9, c_2 REQUIRES c_3 0.8, c_4 PART_OF c_3 0.7, " +
				"c_6 SUPPORTS c_3 0.6, c_6 SUPPORTS c_2 0.5, c_6 CAUSES c_3 0.2, c_2 RELATED_TO c_4 0.9",
			questions.NeighborhoodQuery{ConceptID: "c_1", MaxHops: 2, Limit: 50},
			false,
		},
		{
			"of the last hop the best are kept", "c_1@0/1, c_2@1/4, c_3@2/4, c_1 CAUSES c_2 0.9, c_2 REQUIRES c_3 0.8",
			questions.NeighborhoodQuery{ConceptID: "c_1", MaxHops: 2, Limit: 3},
			true,
		},
		{"one concept is the one that was asked for", "c_1@0/1", questions.NeighborhoodQuery{ConceptID: "c_1", MaxHops: 2, Limit: 1}, true},
		{
			"types restrict the way and what is shown", "c_2@0/4, c_1@1/1, c_1 CAUSES c_2 0.9",
			questions.NeighborhoodQuery{ConceptID: "c_2", MaxHops: 5, Limit: 50, RelationshipFilter: questions.RelationshipFilter{Types: []string{"causes"}}},
			false,
		},
		{"types that nothing has", "c_2@0/4", questions.NeighborhoodQuery{ConceptID: "c_2", MaxHops: 5, Limit: 50, RelationshipFilter: questions.RelationshipFilter{Types: []string{"NO_SUCH"}}}, false},
		{"a concept alone", "c_7@0/0", questions.NeighborhoodQuery{ConceptID: "c_7", MaxHops: 5, Limit: 50}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, got := ask(t, c.query)
			if got != c.want || result.Truncated != c.truncated || result.Complete == c.truncated || (result.Missing == "") == c.truncated {
				t.Errorf("got %s\nwant %s\n%+v", got, c.want, result.Completeness)
			}
		})
	}
	shown, _ := ask(t, questions.NeighborhoodQuery{ConceptID: "c_1", MaxHops: 1, Limit: 2, IncludeOntologies: true})
	for _, n := range shown.Nodes {
		d, err := g.Concept(t.Context(), questions.ConceptQuery{ConceptID: n.ConceptID})
		if err != nil || n.EvidenceCount == 0 || n.EvidenceCount != len(d.Instances) || !slices.Equal(n.Ontologies, d.Documents) {
			t.Errorf("%s has %d quotes in %v, and as a concept %d in %v (%v)", n.ConceptID, n.EvidenceCount, n.Ontologies, len(d.Instances), d.Documents, err)
		}
	}
	if plain, _ := ask(t, questions.NeighborhoodQuery{ConceptID: "c_1", MaxHops: 1, Limit: 2}); plain.Nodes[0].Ontologies != nil {
		t.Error("ontologies that nobody asked for are shown")
	}
	if _, err := g.Neighborhood(t.Context(), questions.NeighborhoodQuery{ConceptID: "c_9", MaxHops: 1, Limit: 1}); kappa.ErrorMessage(err) != "Concept 'c_9' not found" {
		t.Errorf("an unknown concept: %v", err)
	}
}

func TestEnrichedPathOnARealGraph(t *testing.T) {
	g := newTown(t)
	ask := func(t *testing.T, from, to string, perNode int) (questions.EnrichedPath, string) {
		t.Helper()
		result, err := g.EnrichedPath(t.Context(), questions.EnrichedPathQuery{FromID: from, ToID: to, MaxHops: 5, PerNode: perNode})
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, s := range result.Surroundings {
			parts = append(parts, fmt.Sprint(s.ConceptID, ":", s.Count))
			for _, n := range s.Neighbors {
				parts = append(parts, fmt.Sprint(n.Type, map[bool]string{true: ">", false: "<"}[n.Forward], n.ConceptID, " ", n.Certain))
			}
		}
		return result, strings.Join(parts, ", ")
	}
	t.Run("what is on a path is nobody's neighbour, and of several relationships the strongest is shown", func(t *testing.T) {
		result, got := ask(t, "c_1", "c_5", 5)
		want := "c_1:0, c_2:1, SUPPORTS<c_6 0.5, c_4:0, c_5:0, c_3:1, SUPPORTS<c_6 0.6"
		if got != want || result.Count != 2 || !result.Complete {
			t.Errorf("got %s, want %s; %d paths, %+v", got, want, result.Count, result.Completeness)
		}
	})
	t.Run("a concept and itself, and the rest of its neighbours is counted", func(t *testing.T) {
		result, got := ask(t, "c_2", "c_2", 2)
		if want := "c_2:4, CAUSES<c_1 0.9, REQUIRES>c_3 0.8"; got != want || result.Count != 1 || result.Paths[0].Hops != 0 || result.Truncated || !result.Complete || result.Missing != "" {
			t.Errorf("got %s, want %s; %+v", got, want, result.Completeness)
		}
	})
	t.Run("no path", func(t *testing.T) {
		if result, got := ask(t, "c_1", "c_7", 2); got != "" || result.Count != 0 || !result.Complete || result.Surroundings == nil {
			t.Errorf("got %+v", result)
		}
	})
	if _, err := g.EnrichedPath(t.Context(), questions.EnrichedPathQuery{FromID: "c_1", ToID: "c_9", MaxHops: 1, PerNode: 1}); kappa.ErrorMessage(err) != "Concept 'c_9' not found" {
		t.Errorf("an unknown concept: %v", err)
	}
}

func TestEdgeListOnARealGraph(t *testing.T) {
	g := newTown(t)
	g.exec(t, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence)
		SELECT e.src, e.dst, e.type, s.id, e.confidence FROM kg_api.edges e JOIN kg_api.sources s ON s.source_id = 'src_1' OR e.src = 6`)
	list := func(t *testing.T, f questions.EdgeFilter) (string, int) {
		t.Helper()
		f.Limit = max(f.Limit, 1)
		edges, total, err := g.ListEdges(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, e := range edges {
			parts = append(parts, fmt.Sprint(e.FromID, " ", e.Type, " ", e.ToID, " ", e.Confidence, " ", e.Sources, "/", e.Documents))
			if e.FromLabel == "" || e.ToLabel == "" || e.Category == "" || e.CreatedAt.IsZero() {
				t.Errorf("%+v lacks something", e)
			}
		}
		return strings.Join(parts, ", "), total
	}
	hub := "c_6 SUPPORTS c_2 0.5 2/2, c_6 CAUSES c_3 0.2 2/2, c_6 SUPPORTS c_3 0.6 2/2"
	for _, c := range []struct {
		name, want string
		filter     questions.EdgeFilter
		total      int
	}{
		{"by source", hub, questions.EdgeFilter{FromID: "c_6", Limit: 500}, 3},
		{"by target", "c_4 CAUSES c_5 1 1/1", questions.EdgeFilter{ToID: "c_5", Limit: 500}, 1},
		{"by both and type, in whatever case", "c_6 CAUSES c_3 0.2 2/2", questions.EdgeFilter{FromID: "c_6", ToID: "c_3", Type: "causes", Limit: 500}, 1},
		{"by confidence", "c_1 CAUSES c_2 0.9 1/1, c_2 RELATED_TO c_4 0.9 1/1, c_4 CAUSES c_5 1 1/1", questions.EdgeFilter{MinConfidence: 0.9, Limit: 500}, 3},
		{"by ontology, which counts its documents alone", "c_6 SUPPORTS c_2 0.5 1/1, c_6 CAUSES c_3 0.2 1/1, c_6 SUPPORTS c_3 0.6 1/1", questions.EdgeFilter{Ontology: "odd", Limit: 500}, 3},
		{"a page of an ontology", "c_6 CAUSES c_3 0.2 1/1", questions.EdgeFilter{Ontology: "odd", Limit: 1, Offset: 1}, 3},
		{"a page", "c_2 RELATED_TO c_4 0.9 1/1, c_4 PART_OF c_3 0.7 1/1", questions.EdgeFilter{Limit: 2, Offset: 2}, 8},
		{"beyond the end", "", questions.EdgeFilter{Limit: 2, Offset: 8}, 8},
		{"an ontology that is not there", "", questions.EdgeFilter{Ontology: "none"}, 0},
		{"a type that nothing has", "", questions.EdgeFilter{Type: "NO_SUCH"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, total := list(t, c.filter)
			if sorted(got) != sorted(c.want) || total != c.total {
				t.Errorf("got %d: %s\nwant %d: %s", total, got, c.total, c.want)
			}
		})
	}
	if _, _, err := g.ListEdges(t.Context(), questions.EdgeFilter{FromID: "c_9", Limit: 1}); kappa.ErrorMessage(err) != "Concept 'c_9' not found" {
		t.Errorf("an unknown concept: %v", err)
	}
}

// sorted puts the parts of a description into one order: that of the types depends on
// the vocabulary.
func sorted(description string) string {
	parts := strings.Split(description, ", ")
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// exported is a graph as an export in JSON has it.
type exported struct {
	questions.Completeness
	Nodes []questions.GraphNode
	Edges []questions.SubgraphEdge
}

// String shows an export as "c_1 c_2; c_1 CAUSES c_2".
func (e exported) String() string {
	var nodes, edges []string
	for _, n := range e.Nodes {
		nodes = append(nodes, n.ConceptID)
	}
	for _, e := range e.Edges {
		edges = append(edges, e.FromID+" "+e.Type+" "+e.ToID)
	}
	return strings.Join(nodes, " ") + "; " + strings.Join(edges, ", ")
}

func TestExportOfARealGraph(t *testing.T) {
	g := newTown(t)
	g.exec(t, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence)
		SELECT e.src, e.dst, e.type, s.id, e.confidence FROM kg_api.edges e JOIN kg_api.sources s ON s.source_id = 'src_1' AND e.src IN (2, 6)`) // even
	ask := func(q questions.ExportQuery) (exported, error) {
		var b bytes.Buffer
		var said questions.Completeness
		q.Format, q.MaxHops = questions.ExportJSON, max(1, q.MaxHops)
		err := g.Export(t.Context(), q, func(c questions.Completeness) io.Writer { said = c; return &b })
		var e exported
		if err == nil {
			err = json.Unmarshal(b.Bytes(), &e)
		}
		if e.Completeness != said {
			t.Errorf("said %+v before, and %+v in the document", said, e.Completeness)
		}
		return e, err
	}
	for _, c := range []struct {
		name, want string
		query      questions.ExportQuery
		truncated  bool
	}{
		{
			"all", "c_1 c_2 c_3 c_4 c_5 c_6 c_7; c_1 CAUSES c_2, c_2 REQUIRES c_3, c_2 RELATED_TO c_4, c_4 PART_OF c_3, c_4 CAUSES c_5, c_6 SUPPORTS c_2, c_6 CAUSES c_3, c_6 SUPPORTS c_3",
			questions.ExportQuery{},
			false,
		},
		{"an ontology: its concepts, and what was read in it between them", "c_2 c_4 c_6; c_2 RELATED_TO c_4, c_6 SUPPORTS c_2", questions.ExportQuery{Ontology: "even"}, false},
		{"an ontology where nothing was read", "c_1 c_3 c_5 c_7; ", questions.ExportQuery{Ontology: "odd"}, false},
		{"those with the most relationships", "c_2 c_3; c_2 REQUIRES c_3", questions.ExportQuery{Limit: 2}, true},
		{"around a concept", "c_4 c_5; c_4 CAUSES c_5", questions.ExportQuery{Seeds: []string{"c_5"}}, false},
		{
			"around two, by a type", "c_1 c_2 c_4 c_5; c_1 CAUSES c_2, c_4 CAUSES c_5",
			questions.ExportQuery{Seeds: []string{"c_5", "c_1", "c_5"}, Types: []string{"causes"}, MaxHops: 5},
			false,
		},
		{"the nearest", "c_1 c_2 c_3; c_1 CAUSES c_2, c_2 REQUIRES c_3", questions.ExportQuery{Seeds: []string{"c_1"}, MaxHops: 3, Limit: 3}, true},
		{"as many as there are", "c_7; ", questions.ExportQuery{Seeds: []string{"c_7"}, MaxHops: 3, Limit: 1}, false},
		{"fewer than the seeds", "c_1; ", questions.ExportQuery{Seeds: []string{"c_1", "c_2"}, MaxHops: 3, Limit: 1}, true},
		{"a type that nothing has", "c_1; ", questions.ExportQuery{Seeds: []string{"c_1"}, Types: []string{"NO_SUCH"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ask(c.query)
			if err != nil {
				t.Fatal(err)
			}
			gotNodes, gotEdges, _ := strings.Cut(got.String(), "; ")
			nodes, edges, _ := strings.Cut(c.want, "; ")
			if gotNodes != nodes || sorted(gotEdges) != sorted(edges) || got.Truncated != c.truncated || got.Complete == c.truncated {
				t.Errorf("got  %s\nwant %s\n%+v", got, c.want, got.Completeness)
			}
		})
	}
	for want, q := range map[string]questions.ExportQuery{
		"Concept 'c_9' not found":       {Seeds: []string{"c_1", "c_9"}},
		"Ontology 'x y' does not exist": {Ontology: "x y"},
	} {
		if _, err := ask(q); kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	t.Run("a third at a time is refused, and the first ends with its reader", func(t *testing.T) {
		all := questions.ExportQuery{Format: questions.ExportDOT, MaxHops: 1}
		gone := errors.New("the reader has gone")
		err := g.Export(t.Context(), all, func(questions.Completeness) io.Writer {
			inner := g.Export(t.Context(), all, func(questions.Completeness) io.Writer {
				if _, err := ask(questions.ExportQuery{}); kappa.ErrorCode(err) != kappa.CodeUnavailable {
					t.Errorf("the third: %v", err)
				}
				return io.Discard
			})
			if inner != nil {
				t.Errorf("the second: %v", inner)
			}
			return failing{gone}
		})
		if !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
		if _, err := ask(questions.ExportQuery{}); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// failing fails to write.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
