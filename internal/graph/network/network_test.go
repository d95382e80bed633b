package network

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge"
)

func edge(from, to int) knowledge.Edge { return knowledge.Edge{From: from, To: to, Confidence: 1} }

// cliques are groups of five concepts, all of a group related with each other, and one
// relationship from each group to the next.
func cliques(groups int) *Network {
	var concepts []int
	var edges []knowledge.Edge
	for g := range groups {
		for i := range 5 {
			concepts = append(concepts, 5*g+i)
			for j := range i {
				edges = append(edges, edge(5*g+i, 5*g+j))
			}
		}
		edges = append(edges, edge(5*g, (5*g+5)%(5*groups)))
	}
	return New(concepts, edges)
}

func TestCentrality(t *testing.T) {
	t.Run("what a random walk visits most comes first", func(t *testing.T) {
		random := rand.New(rand.NewPCG(5, 6))
		const concepts = 12
		var edges []knowledge.Edge
		matrix := [concepts][concepts]float64{} // [from][to]
		for range 30 {
			e := knowledge.Edge{From: random.IntN(concepts - 1), To: random.IntN(concepts), Confidence: random.Float64()} // the last one leads nowhere
			if e.From != e.To {
				edges = append(edges, e)
				matrix[e.From][e.To] += e.Confidence
			}
		}
		want := slowRank(matrix[:])
		numbers := make([]int, concepts)
		for i := range numbers {
			numbers[i] = i
		}
		got, err := New(numbers, edges).Centrality(t.Context())
		if err != nil || len(got) != concepts {
			t.Fatal(len(got), err)
		}
		sum := 0.0
		for i, c := range got {
			sum += c.Rank
			if math.Abs(c.Rank-want[c.Concept]) > 1e-7 || i > 0 && c.Rank > got[i-1].Rank {
				t.Errorf("concept %d has %v, want %v, in order", c.Concept, c.Rank, want[c.Concept])
			}
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("the ranks add up to %v", sum)
		}
	})
	t.Run("degrees count concepts, and ends outside are left out", func(t *testing.T) {
		got, err := New([]int{7, 3, 9, 3}, []knowledge.Edge{edge(3, 7), edge(3, 7), edge(9, 7), edge(7, 8), edge(9, 9)}).Centrality(t.Context())
		if err != nil || got[0].Concept != 7 || got[0].In != 2 || got[0].Out != 0 || len(got) != 3 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("an empty graph", func(t *testing.T) {
		if got, err := New(nil, nil).Centrality(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("%v, %v", got, err)
		}
	})
}

// slowRank is PageRank by the definition, on a full matrix.
func slowRank(matrix [][12]float64) []float64 {
	n := len(matrix)
	now := make([]float64, n)
	for i := range now {
		now[i] = 1 / float64(n)
	}
	for range 500 {
		next := make([]float64, n)
		for from := range n {
			leaving := 0.0
			for _, w := range matrix[from] {
				leaving += w
			}
			for to := range n {
				share := 1 / float64(n)
				if leaving > 0 {
					share = matrix[from][to] / leaving
				}
				next[to] += 0.15/float64(n)*now[from] + 0.85*now[from]*share
			}
		}
		now = next
	}
	return now
}

func TestCommunities(t *testing.T) {
	n := cliques(6)
	groups, modularity, err := n.Communities(t.Context(), 1)
	if err != nil || len(groups) != 6 || modularity < 0.7 {
		t.Fatalf("%d groups, modularity %v, %v, want the six cliques", len(groups), modularity, err)
	}
	for g, group := range groups {
		if !slices.Equal(group, []int{5 * g, 5*g + 1, 5*g + 2, 5*g + 3, 5*g + 4}) {
			t.Errorf("group %d: %v", g, group)
		}
	}
	again, _, _ := cliques(6).Communities(t.Context(), 1)
	if !slices.EqualFunc(groups, again, slices.Equal[[]int]) {
		t.Error("the same graph has other communities")
	}
	if few, _, _ := n.Communities(t.Context(), 0.02); len(few) >= len(groups) {
		t.Errorf("a low resolution gives %d groups, want fewer than %d", len(few), len(groups))
	}
	if alone, q, err := New([]int{1, 2}, nil).Communities(t.Context(), 1); err != nil || len(alone) != 2 || q != 0 {
		t.Errorf("without relationships: %v, %v, %v", alone, q, err)
	}
}

// TestModularityOfAPartition computes one by hand.
func TestModularityOfAPartition(t *testing.T) {
	n := cliques(4)
	member := make([]int32, n.Concepts())
	for i := range member {
		member[i] = int32(i / 5)
	}
	// By hand: 44 relationships, 40 of them within; each group has 22 of 88 ends.
	if got, want := modularityOf(n.bothWays(), member, 1), 40./44-4*(22./88)*(22./88); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAnalysisEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cliques(3).Centrality(ctx); err == nil {
		t.Error("PageRank went on")
	}
	if _, _, err := cliques(3).Communities(ctx, 1); err == nil {
		t.Error("the communities went on")
	}
}
