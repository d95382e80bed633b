package graph_test

import (
	"testing"

	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// generated is a Graph on the tables of a generated graph.
func generated(t testing.TB, cfg graph.Config, s graphgen.Shape) (realGraph, []graphgen.Edge) {
	t.Helper()
	g := newRealGraph(t, cfg)
	edges := s.Make()
	if err := graphgen.Fill(t.Context(), g.dsn, s.Concepts, edges); err != nil {
		t.Fatal(err)
	}
	return g, edges
}

// BenchmarkTables asks the tables of a graph of 50,000 concepts and 500,000
// relationships for what is around two poles of 80 and 70 neighbours.
//
//	go test -run '^$' -bench Tables -benchtime 100x .
func BenchmarkTables(b *testing.B) {
	g, edges := generated(b, graph.Config{}, graphgen.Medium)
	degrees := graphgen.Degrees(edges, graphgen.Medium.Concepts)
	poles := []string{conceptID(graphgen.WithDegree(degrees, 80)), conceptID(graphgen.WithDegree(degrees, 70))}
	for _, hops := range []int{1, 2, 3} {
		b.Run("two poles, hops "+string(rune('0'+hops)), func(b *testing.B) {
			found := 0
			measure(b, func() error {
				w, err := g.Within(b.Context(), questions.WithinQuery{SeedIDs: poles, MaxHops: hops, OnTables: true})
				if err == nil && !w.Complete {
					b.Fatalf("not complete: %s", w.Missing)
				}
				found = len(w.Numbers)
				return err
			})
			b.ReportMetric(float64(found), "found")
		})
	}
}
