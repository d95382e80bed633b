package graph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
)

func TestStrongestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strongestFirst{most: rapid.IntRange(1, 6).Draw(t, "most")}
		var all []found
		for i := range rapid.IntRange(0, 20).Draw(t, "added") {
			f := found{i, adjacency.Neighbour{
				Concept: 1, Type: 1, Forward: rapid.Bool().Draw(t, "forward"),
				Confidence: rapid.SampledFrom([]float32{0.5, 0.9}).Draw(t, "confidence"),
			}, rapid.Bool().Draw(t, "weakest")}
			s.add(f)
			all = append(all, f)
		}
		if len(all) >= s.most {
			slices.SortFunc(all, found.compare)
			all = all[:s.most]
		}
		if got := s.first(); !slices.Equal(got, all) {
			t.Fatalf("got %v, want %v", got, all)
		}
	})
}
