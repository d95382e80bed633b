package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// randomEdges draws edges between the concepts 1 to n, all different.
func randomEdges(n, count int, random *rand.Rand) []knowledge.Edge {
	seen := map[string]bool{}
	var edges []knowledge.Edge
	for len(edges) < count {
		e := knowledge.Edge{
			From: 1 + random.IntN(n), To: 1 + random.IntN(n), Forward: true,
			Type:       []string{"CAUSES", "PART_OF", "USES", vocabulary.TypeRelatedTo}[random.IntN(4)],
			Confidence: float64(1+random.IntN(10)) / 10,
		}
		if vocabulary.SymmetricType(e.Type) && e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		if key := fmt.Sprint(e.From, e.To, e.Type); e.From != e.To && !seen[key] {
			seen[key] = true
			edges = append(edges, e)
		}
	}
	return edges
}

// hops returns the distance of every concept that can be reached from start.
func hops(edges []knowledge.Edge, start int, types ...string) map[int]int {
	distance, level := map[int]int{start: 0}, []int{start}
	for depth := 1; len(level) > 0; depth++ {
		var next []int
		for _, e := range edges {
			if len(types) > 0 && !slices.Contains(types, e.Type) {
				continue
			}
			for _, ends := range [][2]int{{e.From, e.To}, {e.To, e.From}} {
				if _, known := distance[ends[1]]; !known && slices.Contains(level, ends[0]) {
					distance[ends[1]] = depth
					next = append(next, ends[1])
				}
			}
		}
		level = next
	}
	return distance
}

func TestWalksOnARealGraph(t *testing.T) {
	const concepts = 300
	random := rand.New(rand.NewPCG(5, 6))
	g := newRealGraph(t, graph.Config{})
	labels := make([]string, concepts)
	for i := range labels {
		labels[i] = fmt.Sprintf("concept number %d", i+1)
	}
	g.addConcepts(t, labels)
	edges := randomEdges(concepts-10, 420, random) // the last ten are alone
	g.addEdges(t, edges)

	t.Run("related concepts lie where a naive search finds them", func(t *testing.T) {
		for range 20 {
			start, depth := 1+random.IntN(concepts), 1+random.IntN(questions.MaxRelatedDepth)
			types := [][]string{nil, {"CAUSES", "USES"}}[random.IntN(2)]
			q := questions.RelatedQuery{ConceptID: conceptID(start), RelationshipFilter: questions.RelationshipFilter{Types: types}, MaxDepth: depth}
			q.IncludeWeak = true
			result, err := g.Related(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, want := map[string]int{}, map[string]int{}
			for _, r := range result.Results {
				got[r.ConceptID] = r.Distance
			}
			for c, d := range hops(edges, start, types...) {
				if d > 0 && d <= depth {
					want[conceptID(c)] = d
				}
			}
			if !reflect.DeepEqual(got, want) || result.Truncated {
				t.Fatalf("%+v: got %v, want %v", q, got, want)
			}
			if again, _ := g.Related(t.Context(), q); !reflect.DeepEqual(result, again) {
				t.Fatal("asked twice, answered differently")
			}
		}
	})

	t.Run("paths are as short as a naive search finds them, and exist", func(t *testing.T) {
		connected := 0
		for range 40 {
			from, to, most := 1+random.IntN(concepts), 1+random.IntN(concepts), 1+random.IntN(questions.MaxConnectHops)
			q := questions.ConnectQuery{FromID: conceptID(from), ToID: conceptID(to), MaxHops: most, IncludeEvidence: true}
			q.IncludeWeak = true
			result, err := g.Connect(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			distance, reachable := hops(edges, from)[to]
			if reachable = reachable && distance <= most; reachable != (result.Count > 0) || result.Truncated {
				t.Fatalf("%+v: %d paths, a naive search says %d hops (%v)", q, result.Count, distance, reachable)
			}
			for i, p := range result.Paths {
				connected++
				if i == 0 && p.Hops != distance {
					t.Fatalf("%+v: %d hops, want %d", q, p.Hops, distance)
				}
				checkRealPath(t, p, edges, from, to)
			}
		}
		if connected < 20 {
			t.Errorf("only %d paths were checked", connected)
		}
	})
}

// checkRealPath checks that p leads from one concept to the other over edges
// that exist.
func checkRealPath(t *testing.T, p questions.Path, edges []knowledge.Edge, from, to int) {
	t.Helper()
	if p.Nodes[0].ID != conceptID(from) || p.Nodes[p.Hops].ID != conceptID(to) {
		t.Errorf("a path from %s to %s", p.Nodes[0].ID, p.Nodes[p.Hops].ID)
	}
	for i, relationship := range p.Relationships {
		a, b := p.Nodes[i].ID, p.Nodes[i+1].ID
		if !p.Forward[i] {
			a, b = b, a
		}
		if !slices.ContainsFunc(edges, func(e knowledge.Edge) bool {
			return conceptID(e.From) == a && conceptID(e.To) == b && e.Type == relationship
		}) {
			t.Errorf("there is no %s %s %s", a, relationship, b)
		}
	}
	for _, n := range p.Nodes {
		if len(n.Sample) != 1 || n.Sample[0].Quote != "about "+n.Label || *n.Level == knowledge.LevelInsufficient {
			t.Errorf("node %+v", n)
		}
	}
}

func TestSearchOnARealGraph(t *testing.T) {
	g := newRealGraph(t, graph.Config{})
	labels := []string{
		"worker lane", "claim token", "job", "lease", "lane", "heartbeat", "claim", "knowledge graph", "PostgreSQL",
		"notification", "concept", "embedding",
	}
	for i := range 300 {
		labels = append(labels, fmt.Sprintf("filler %c%c%d", 'a'+i%26, 'a'+i/26, i))
	}
	g.addConcepts(t, labels)
	ask := func(t *testing.T, q questions.SearchQuery) questions.SearchResult {
		t.Helper()
		q.Limit = max(q.Limit, 5)
		result, err := g.Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	found := func(result questions.SearchResult) (list []string) {
		for _, h := range result.Results {
			list = append(list, h.Label)
		}
		return list
	}

	t.Run("a label is found whatever its case", func(t *testing.T) {
		result := ask(t, questions.SearchQuery{Query: "POSTGRESQL", IncludeEvidence: true})
		h := result.Results[0]
		if h.Label != "PostgreSQL" || h.Score != 1 || h.EvidenceCount != 1 || h.Sample[0].Quote != "about PostgreSQL" || !slices.Equal(h.Documents, []string{"odd"}) {
			t.Errorf("got %+v", h)
		}
	})
	t.Run("inflections are found by their embedding", func(t *testing.T) {
		if got := found(ask(t, questions.SearchQuery{Query: "worker lanes"})); got[0] != "worker lane" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a question finds the concepts it names", func(t *testing.T) {
		got := found(ask(t, questions.SearchQuery{Query: "How does a lane claim its job?"}))
		for _, want := range []string{"claim", "job", "lane"} {
			if !slices.Contains(got, want) {
				t.Errorf("got %q without %s", got, want)
			}
		}
	})
	t.Run("an ontology keeps what it shows", func(t *testing.T) {
		ontology := "even"
		got := found(ask(t, questions.SearchQuery{Query: "how do lanes claim a job", Ontology: &ontology}))
		if slices.Contains(got, "claim") || slices.Contains(got, "job") { // numbers 7 and 3
			t.Errorf("got %q, which are odd", got)
		}
		if got := found(ask(t, questions.SearchQuery{Query: "claim token", Ontology: &ontology})); len(got) == 0 || got[0] != "claim token" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("pages are the list in pieces", func(t *testing.T) {
		low := 0.2
		whole := found(ask(t, questions.SearchQuery{Query: "filler ab", Limit: 100, MinSimilarity: &low}))
		var pieces []string
		for offset := 0; offset < 100; offset += 20 {
			pieces = append(pieces, found(ask(t, questions.SearchQuery{Query: "filler ab", Limit: 20, Offset: offset, MinSimilarity: &low}))...)
		}
		if len(whole) != 100 || !slices.Equal(whole, pieces) {
			t.Errorf("got %d and %d, or another order", len(whole), len(pieces))
		}
	})
	t.Run("what is unlike everything finds nothing", func(t *testing.T) {
		for _, query := range []string{"zzzzzz", "?!", strings.Repeat("x ", 900)} {
			if result := ask(t, questions.SearchQuery{Query: query}); result.Count != 0 || result.Results == nil {
				t.Errorf("%.10s: got %q", query, found(result))
			}
		}
	})
}

func TestConceptOnARealGraph(t *testing.T) {
	g := newRealGraph(t, graph.Config{})
	g.addConcepts(t, []string{"lane", "slot", "job"})
	g.addEdges(t, []knowledge.Edge{
		{From: 1, To: 2, Type: vocabulary.TypeRelatedTo, Confidence: 0.9},
		{From: 1, To: 2, Type: "HAS_PART", Confidence: 0.35},
		{From: 3, To: 1, Type: "REQUIRES", Confidence: 1},
	})
	c, err := g.Concept(t.Context(), questions.ConceptQuery{ConceptID: "c_1"})
	if err != nil {
		t.Fatal(err)
	}
	var outgoing []string
	for _, r := range c.Relationships {
		outgoing = append(outgoing, fmt.Sprint(r.Type, " ", r.ToLabel, " ", *r.Confidence, " ", *r.Category))
	}
	if want := []string{"HAS_PART slot 0.35 composition", "RELATED_TO slot 0.9 semantic"}; !slices.Equal(outgoing, want) {
		t.Errorf("got %q, want %q", outgoing, want)
	}
	if len(c.Instances) != 1 || c.Instances[0].Start != 1 || !slices.Equal(c.Documents, []string{"odd"}) || c.SearchTerms == nil || c.Description != nil {
		t.Errorf("got %+v", c)
	}
	if *c.Level != knowledge.LevelTentative || *c.Confidence != 0.444 {
		t.Errorf("confidence %s %v, want tentative 0.444", *c.Level, *c.Confidence)
	}
	if _, err := g.Concept(t.Context(), questions.ConceptQuery{ConceptID: "c_9"}); kappa.ErrorMessage(err) != "Concept 'c_9' not found" {
		t.Errorf("got %v", err)
	}
}

// brief gives a question a second.
func brief() knowledge.GraphSettings {
	s := knowledge.DefaultGraphSettings()
	s.TimeoutSeconds = 1
	return s
}

// TestGraphDeadline locks the tables that questions read, and expects each
// question to end in time all the same.
func TestGraphDeadline(t *testing.T) {
	g := newRealGraph(t, graph.Config{Settings: brief})
	g.addConcepts(t, []string{"lane", "slot"})
	tx, err := g.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(t.Context()))
	if _, err := tx.Exec(t.Context(), "LOCK TABLE kg_api.edges, kg_api.instances, kg_api.ontologies IN ACCESS EXCLUSIVE MODE", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func() error{
		"search": func() error {
			_, err := g.Search(t.Context(), questions.SearchQuery{Query: "lane", Limit: 1})
			return err
		},
		"concept":    func() error { _, err := g.Concept(t.Context(), questions.ConceptQuery{ConceptID: "c_1"}); return err },
		"ontologies": func() error { _, err := g.Ontologies(t.Context()); return err },
		"stats":      func() error { _, err := g.Stats(t.Context()); return err },
		"related": func() error {
			_, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_1", MaxDepth: 1})
			return err
		},
		"connect": func() error {
			_, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 1})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			err := ask()
			if kappa.ErrorCode(err) != kappa.CodeUnavailable || !strings.Contains(kappa.ErrorMessage(err), "took longer than ") {
				t.Errorf("got %v", err)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}
