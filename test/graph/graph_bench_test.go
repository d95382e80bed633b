package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	benchConcepts = 50_000
	benchEdges    = 500_000
)

// BenchmarkGraph asks a graph of 50,000 concepts and 500,000 relationships, with
// random ends, from one client. Besides the mean it reports the slowest 5 %.
//
//	go test -run '^$' -bench Graph -benchtime 200x .
func BenchmarkGraph(b *testing.B) {
	g := newRealGraph(b, graph.Config{})
	random := rand.New(rand.NewPCG(7, 8))
	labels := benchLabels(random)
	g.addConcepts(b, labels)
	g.exec(b, `INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
		SELECT c.id, 1 + n % 2, 'quote ' || n || ' about ' || c.label, n, n + 1 FROM kg_api.concepts c, generate_series(1, 4) n`)
	g.exec(b, `INSERT INTO kg_api.edges (src, dst, type, confidence)
		SELECT s, d, t, random() FROM (
			SELECT 1 + floor(random() * $1)::int AS s, 1 + floor(random() * $1)::int AS d, 1 + floor(random() * 20)::smallint AS t
			FROM generate_series(1, $2::int)) e
		WHERE s < d OR s > d AND NOT (SELECT y.is_symmetric FROM kg_api.relationship_types y WHERE y.id = t) ON CONFLICT DO NOTHING`, float64(benchConcepts), benchEdges)
	g.exec(b, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence)
		SELECT e.src, e.dst, e.type, 1 + (e.src + e.dst) % 2, e.confidence FROM kg_api.edges e`)
	g.exec(b, "VACUUM ANALYZE")

	concept := func() string { return conceptID(1 + random.IntN(benchConcepts)) }
	ontology := "even"
	for _, c := range []struct {
		name string
		ask  func() error
	}{
		{"search for a name", func() error {
			_, err := g.Search(b.Context(), questions.SearchQuery{Query: labels[random.IntN(len(labels))], Limit: 10})
			return err
		}},
		{"search for a question", func() error {
			question := fmt.Sprintf("how does %s work with %s", labels[random.IntN(len(labels))], labels[random.IntN(len(labels))])
			_, err := g.Search(b.Context(), questions.SearchQuery{Query: question, Limit: 10, IncludeEvidence: true})
			return err
		}},
		{"search in an ontology", func() error {
			_, err := g.Search(b.Context(), questions.SearchQuery{Query: labels[random.IntN(len(labels))], Limit: 10, Ontology: &ontology})
			return err
		}},
		{"concept", func() error {
			_, err := g.Concept(b.Context(), questions.ConceptQuery{ConceptID: concept()})
			return err
		}},
		{"related, depth 2", func() error {
			_, err := g.Related(b.Context(), questions.RelatedQuery{ConceptID: concept(), MaxDepth: 2})
			return err
		}},
		{"related in an ontology, depth 2", func() error {
			_, err := g.Related(b.Context(), questions.RelatedQuery{ConceptID: concept(), MaxDepth: 2, Ontology: ontology})
			return err
		}},
		{"connect in an ontology", func() error {
			_, err := g.Connect(b.Context(), questions.ConnectQuery{FromID: concept(), ToID: concept(), MaxHops: 5, Ontology: ontology})
			return err
		}},
		{"concept in an ontology", func() error {
			_, err := g.Concept(b.Context(), questions.ConceptQuery{ConceptID: concept(), Ontology: ontology})
			return err
		}},
		{"related, depth 5", func() error {
			_, err := g.Related(b.Context(), questions.RelatedQuery{ConceptID: concept(), MaxDepth: 5})
			return err
		}},
		{"connect", func() error {
			_, err := g.Connect(b.Context(), questions.ConnectQuery{FromID: concept(), ToID: concept(), MaxHops: 5})
			return err
		}},
		{"stats", func() error { _, err := g.Stats(b.Context()); return err }},
		{"ontologies", func() error { _, err := g.Ontologies(b.Context()); return err }},
	} {
		b.Run(c.name, func(b *testing.B) { measure(b, c.ask) })
	}
}

// measure reports the median and the 95th percentile of ask.
func measure(b *testing.B, ask func() error) {
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := ask(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "p95-ms")
}

// benchLabels makes labels of one to three words out of 4,000.
func benchLabels(random *rand.Rand) []string {
	words := make([]string, 4000)
	for i := range words {
		for range 2 + random.IntN(3) {
			words[i] += string("bcdfghklmnprstvz"[random.IntN(16)]) + string("aeiou"[random.IntN(5)])
		}
	}
	labels := make([]string, benchConcepts)
	for i := range labels {
		labels[i] = words[random.IntN(len(words))]
		for range random.IntN(3) {
			labels[i] += " " + words[random.IntN(len(words))]
		}
	}
	return labels
}
