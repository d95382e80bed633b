//go:build unix

package adjacency_test

import (
	"fmt"
	"testing"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/internal/graphgen"
)

// BenchmarkGraph asks the generated graphs. L takes a minute to prepare.
//
//	go test ./internal/graph/adjacency -run '^$' -bench Graph/M -cpu 1
func BenchmarkGraph(b *testing.B) {
	for name, shape := range map[string]graphgen.Shape{"S": graphgen.Small, "M": graphgen.Medium, "L": graphgen.Large} {
		b.Run(name, func(b *testing.B) { benchmark(b, shape) })
	}
}

func benchmark(b *testing.B, shape graphgen.Shape) {
	edges := shape.Make()
	b.Run("build", func(b *testing.B) {
		var g *adjacency.Graph
		graphgen.ReportCPU(b, func(int) { g, _ = builder(b, shape.Concepts, edges).Build(b.Context(), 1) })
		stats := g.View().Stats()
		b.ReportMetric(float64(stats.EdgeBytes)/float64(stats.Edges), "bytes/edge")
		b.ReportMetric(float64(stats.Bytes)/float64(stats.Edges), "bytes/edge-in-all")
	})
	g, err := builder(b, shape.Concepts, edges).Build(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	v := g.View()
	degrees := graphgen.Degrees(edges, shape.Concepts)
	poles := []int32{int32(graphgen.WithDegree(degrees, 80)), int32(graphgen.WithDegree(degrees, 70))}
	for hops := 1; hops <= 3; hops++ {
		b.Run(fmt.Sprintf("%d-hops", hops), func(b *testing.B) {
			var ball adjacency.Ball
			graphgen.ReportCPU(b, func(int) {
				ball, _ = v.Ball(b.Context(), adjacency.BallQuery{Seeds: poles, Hops: hops})
			})
			b.ReportMetric(float64(len(ball.Concepts)), "found")
		})
	}
	b.Run("shortest", func(b *testing.B) {
		graphgen.ReportCPU(b, func(i int) {
			from, to := 1+(i*7919)%shape.Concepts, 1+(i*104729)%shape.Concepts
			if _, err := v.Shortest(b.Context(), int32(from), int32(to), 10, adjacency.TypeSet{}); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("apply", func(b *testing.B) {
		graphgen.ReportCPU(b, func(i int) {
			e := adjacency.Edge(edges[i*7919%len(edges)])
			e.Confidence = 0.5
			if err := g.Apply(adjacency.Delta{Epoch: int64(i + 2), Changes: []adjacency.Change{{Op: adjacency.Put, Edge: e}}}); err != nil {
				b.Fatal(err)
			}
		})
	})
}
