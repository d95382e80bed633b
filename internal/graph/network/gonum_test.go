package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/community"
	reference "gonum.org/v1/gonum/graph/network"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/kappagraph/kappa/knowledge"
)

// random is a graph with planted groups: most relationships stay in a group, and no two
// join the same concepts in the same direction.
func random(seed uint64, concepts, groups, edges int) (numbers []int, list []knowledge.Edge) {
	r := rand.New(rand.NewPCG(seed, 8))
	for c := range concepts {
		numbers = append(numbers, c)
	}
	seen := map[[2]int]bool{}
	for len(list) < edges {
		from, to := r.IntN(concepts), r.IntN(concepts)
		if from == to || seen[[2]int{from, to}] || from%groups != to%groups && r.IntN(6) > 0 {
			continue
		}
		seen[[2]int{from, to}] = true
		list = append(list, knowledge.Edge{From: from, To: to, Confidence: float64(1+r.IntN(10)) / 10})
	}
	return numbers, list
}

// TestPageRankAgreesWithGonum compares every rank. Gonum's ranks are not divided by
// their sum, so both are.
func TestPageRankAgreesWithGonum(t *testing.T) {
	for seed := range uint64(10) {
		numbers, edges := random(seed, 60, 4, 200)
		g := simple.NewWeightedDirectedGraph(0, 0)
		for _, c := range numbers {
			g.AddNode(simple.Node(c))
		}
		for _, e := range edges {
			g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(e.From), simple.Node(e.To), e.Confidence))
		}
		want := reference.PageRank(g, damping, 1e-12)
		got, err := New(numbers, edges).Centrality(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, r := range want {
			sum += r
		}
		for _, c := range got {
			if math.Abs(c.Rank-want[int64(c.Concept)]/sum) > 1e-7 {
				t.Errorf("seed %d: concept %d has %.9f, gonum says %.9f", seed, c.Concept, c.Rank, want[int64(c.Concept)]/sum)
			}
		}
	}
}

// TestCommunitiesAgreeWithGonum compares the modularity of our communities with what
// gonum computes of them, and with that of the communities that gonum finds.
func TestCommunitiesAgreeWithGonum(t *testing.T) {
	better, graphs := 0.0, 0.0 // by how much ours are better, added up
	for seed := range uint64(10) {
		for _, resolution := range []float64{0.5, 1, 2} {
			numbers, edges := random(seed, 80, 5, 300)
			g := simple.NewWeightedUndirectedGraph(0, 0)
			for _, c := range numbers {
				g.AddNode(simple.Node(c))
			}
			for _, e := range edges {
				w, _ := g.Weight(int64(e.From), int64(e.To))
				g.SetWeightedEdge(g.NewWeightedEdge(simple.Node(e.From), simple.Node(e.To), w+e.Confidence))
			}
			groups, modularity, err := New(numbers, edges).Communities(t.Context(), resolution)
			if err != nil {
				t.Fatal(err)
			}
			ours := make([][]graph.Node, len(groups))
			for i, group := range groups {
				for _, c := range group {
					ours[i] = append(ours[i], simple.Node(c))
				}
			}
			if q := community.Q(g, ours, resolution); math.Abs(q-modularity) > 1e-9 {
				t.Errorf("seed %d, resolution %v: modularity %.9f, gonum says %.9f", seed, resolution, modularity, q)
			}
			// Both are greedy, in an order of their own: neither need be the better one.
			theirs := community.Q(g, community.Modularize(g, resolution, rand.NewPCG(seed, 1)).Communities(), resolution)
			better, graphs = better+modularity-theirs, graphs+1
			if modularity < theirs-0.05 {
				t.Errorf("seed %d, resolution %v: modularity %.4f, gonum finds %.4f", seed, resolution, modularity, theirs)
			}
		}
	}
	if better/graphs < -0.005 {
		t.Errorf("on average our modularity is %.4f below gonum's", -better/graphs)
	}
	t.Logf("on average our modularity differs by %+.4f from gonum's", better/graphs)
}
