//go:build unix

package graph

import (
	"context"
	"fmt"
	"testing"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// nameless is a Snapshot that knows no names: what is measured is the search.
type nameless struct{ Snapshot }

func (nameless) ConceptSummaries(context.Context, []int) (map[int]knowledge.ConceptSummary, error) {
	return nil, nil
}

func (nameless) ConceptNames(context.Context, []int) (map[int]knowledge.ConceptSummary, error) {
	return nil, nil
}

func (nameless) TypeProjections(context.Context) (map[int32]float64, error) { return nil, nil }

// BenchmarkInMemory asks a generated graph in memory, without names.
//
//	go test ./internal/graph -run '^$' -bench InMemory/M -cpu 1
func BenchmarkInMemory(b *testing.B) {
	for name, shape := range map[string]graphgen.Shape{"S": graphgen.Small, "M": graphgen.Medium, "L": graphgen.Large} {
		b.Run(name, func(b *testing.B) { benchmarkInMemory(b, shape) })
	}
}

func benchmarkInMemory(b *testing.B, shape graphgen.Shape) {
	edges := shape.Make()
	degrees := graphgen.Degrees(edges, shape.Concepts)
	seeds := []int{graphgen.WithDegree(degrees, 80), graphgen.WithDegree(degrees, 70)}
	hub := graphgen.WithDegree(degrees, shape.Edges)
	memory := generated(b, shape.Concepts, edges)
	g := New(Config{View: viewOf(nameless{}), Memory: func() *adjacency.View { return memory }})
	concept := func(i int) string { return conceptID(1 + i%shape.Concepts) }
	for hops := 2; hops <= 3; hops++ {
		b.Run(fmt.Sprintf("%d-hops", hops), func(b *testing.B) {
			graphgen.ReportCPU(b, func(int) {
				if _, err := (view{memory: inMemory{View: memory}}).nhop(b.Context(), nhopQuery{seeds: seeds, hops: hops}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	b.Run("connect", func(b *testing.B) {
		graphgen.ReportCPU(b, func(i int) {
			if _, err := g.Connect(b.Context(), questions.ConnectQuery{FromID: concept(i * 7919), ToID: concept(i * 104_729), MaxHops: 5}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("related-2", func(b *testing.B) {
		graphgen.ReportCPU(b, func(i int) {
			if _, err := g.Related(b.Context(), questions.RelatedQuery{ConceptID: concept(i * 7919), MaxDepth: 2}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("neighborhood-2", func(b *testing.B) {
		graphgen.ReportCPU(b, func(int) {
			if _, err := g.Neighborhood(b.Context(), questions.NeighborhoodQuery{ConceptID: conceptID(seeds[0]), MaxHops: 2, Limit: 100}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("related-hub", func(b *testing.B) {
		graphgen.ReportCPU(b, func(int) {
			if _, err := g.Related(b.Context(), questions.RelatedQuery{ConceptID: conceptID(hub), MaxDepth: 2}); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// generated returns a generated graph in memory.
func generated(tb testing.TB, concepts int, edges []graphgen.Edge) *adjacency.View {
	tb.Helper()
	load := adjacency.NewBuilder(0)
	for t := range int32(20) {
		load.AddType(adjacency.Type{Number: t + 1, Name: fmt.Sprintf("TYPE_%d", t+1)})
	}
	for c := range concepts {
		if err := load.AddConcept(adjacency.Concept{Number: int32(c + 1), ID: conceptID(c + 1)}); err != nil {
			tb.Fatal(err)
		}
	}
	for _, e := range edges {
		if err := load.AddEdge(adjacency.Edge(e)); err != nil {
			tb.Fatal(err)
		}
	}
	loaded, err := load.Build(tb.Context(), 1)
	if err != nil {
		tb.Fatal(err)
	}
	return loaded.View()
}
