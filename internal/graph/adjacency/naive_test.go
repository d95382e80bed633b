package adjacency_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
)

// edgeKey is what there is at most one edge of.
type edgeKey struct {
	src, dst int32
	typ      int32
}

// naive is a graph as the tables would hold it.
type naive struct {
	edges    map[edgeKey]float32
	concepts map[int32]string
}

// numbers are those of the concepts of a drawn graph: in three pages, the first of
// which has its first and its last row.
var numbers = []int32{0, 1, 2, 3, 254, 255, 256, 300, 1023, 1024}

var types = []adjacency.Type{{Number: 1, Name: "CAUSES"}, {Number: 2, Name: "PART_OF"}, {Number: 70000, Name: "RELATED_TO"}}

func id(number int32) string { return fmt.Sprintf("c_%d", number) }

func drawEdge(t *rapid.T) adjacency.Edge {
	concept := rapid.SampledFrom(numbers)
	e := adjacency.Edge{
		Src: concept.Draw(t, "src"), Dst: concept.Draw(t, "dst"),
		Type:       rapid.SampledFrom(types).Draw(t, "type").Number,
		Confidence: rapid.SampledFrom([]float32{0, 0.35, 0.7, 1}).Draw(t, "confidence"),
	}
	if e.Src == e.Dst {
		e.Dst = numbers[(slices.Index(numbers, e.Src)+1)%len(numbers)]
	}
	return e
}

// drawNaive draws a graph.
func drawNaive(t *rapid.T) naive {
	n := naive{edges: map[edgeKey]float32{}, concepts: map[int32]string{}}
	for range rapid.IntRange(0, 25).Draw(t, "edges") {
		n.put(drawEdge(t))
	}
	for _, c := range numbers {
		if rapid.Bool().Draw(t, "concept") {
			n.concepts[c] = id(c)
		}
	}
	return n
}

func (n naive) put(e adjacency.Edge) { n.edges[edgeKey{e.Src, e.Dst, e.Type}] = e.Confidence }

// build makes a graph of n, with its edges in the order of a map.
func (n naive) build(t testing.TB, epoch int64) *adjacency.Graph {
	b := adjacency.NewBuilder(0)
	for k, confidence := range n.edges {
		if err := b.AddEdge(adjacency.Edge{Src: k.src, Dst: k.dst, Type: k.typ, Confidence: confidence}); err != nil {
			t.Fatal(err)
		}
	}
	for number, id := range n.concepts {
		if err := b.AddConcept(adjacency.Concept{Number: number, ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	for _, typ := range types {
		b.AddType(typ)
	}
	g, err := b.Build(t.Context(), epoch)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// around returns what View.Around does, in no order.
func (n naive) around(concept int32) map[adjacency.Neighbour]bool {
	list := map[adjacency.Neighbour]bool{}
	for k, confidence := range n.edges {
		if k.src == concept {
			list[adjacency.Neighbour{Concept: k.dst, Type: k.typ, Forward: true, Confidence: confidence}] = true
		}
		if k.dst == concept {
			list[adjacency.Neighbour{Concept: k.src, Type: k.typ, Confidence: confidence}] = true
		}
	}
	return list
}

// distances returns the hops from the nearest of some seeds to each concept.
func (n naive) distances(seeds []int32, types adjacency.TypeSet) map[int32]int {
	hops := map[int32]int{}
	for _, s := range seeds {
		hops[s] = 0
	}
	for level := 1; level <= len(numbers); level++ {
		for k := range n.edges {
			for _, ends := range [][2]int32{{k.src, k.dst}, {k.dst, k.src}} {
				near, reached := hops[ends[0]]
				if _, known := hops[ends[1]]; !known && reached && near == level-1 && types.Has(k.typ) {
					hops[ends[1]] = level
				}
			}
		}
	}
	return hops
}

// compare fails the test when v does not show n.
func (n naive) compare(t *rapid.T, v *adjacency.View) {
	for _, c := range numbers {
		got := map[adjacency.Neighbour]bool{}
		last := int32(-1)
		for neighbour := range v.Around(c) {
			if got[neighbour] || neighbour.Concept < last {
				t.Fatalf("around %d: %v is out of order", c, neighbour)
			}
			got[neighbour], last = true, neighbour.Concept
		}
		want := n.around(c)
		if fmt.Sprint(got) != fmt.Sprint(want) || v.Degree(c) != len(want) {
			t.Fatalf("around %d: got %v, want %v", c, got, want)
		}
		number, known := v.Number(id(c))
		if v.ID(c) != n.concepts[c] || known != (n.concepts[c] != "") || known && number != c {
			t.Fatalf("concept %d: got %q, number %d %t, want %q", c, v.ID(c), number, known, n.concepts[c])
		}
	}
	if s := v.Stats(); s.Edges != len(n.edges) || s.Concepts != len(n.concepts) {
		t.Fatalf("got %+v, want %d edges and %d concepts", s, len(n.edges), len(n.concepts))
	}
}
