package graphgen

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Shape says which graph is made.
type Shape struct {
	Concepts int // at least 2
	Edges    int // far fewer than there are pairs of concepts
	Types    int // relationship types, 1 to Types; 0 is one
	Seed     uint64
}

// The graphs that figures are given for.
var (
	Small  = Shape{Concepts: 1_000, Edges: 10_000, Types: 20, Seed: 1}
	Medium = Shape{Concepts: 50_000, Edges: 500_000, Types: 20, Seed: 1}
	Large  = Shape{Concepts: 1_000_000, Edges: 10_000_000, Types: 20, Seed: 1}
)

// Edge is a relationship between two different concepts.
type Edge struct {
	Src, Dst   int32
	Type       int32
	Confidence float32 // 0 to 1
}

// Concepts are drawn with a probability proportional to (rank + flat)^-steep: the
// largest hub of Medium has thousands of neighbours, most concepts have few, and
// two hops around two concepts of 80 and 70 neighbours are some 17,000 concepts.
const (
	steep = 0.7
	flat  = 5.0
)

// Make returns the edges, ordered by both ends. No two have the same Src and Dst.
func (s Shape) Make() []Edge {
	random := rand.New(rand.NewPCG(s.Seed, 0x6b61707061))
	number := random.Perm(s.Concepts) // the rank of a concept says nothing about its number
	most := math.Pow(float64(s.Concepts)+flat, 1-steep) - math.Pow(flat, 1-steep)
	draw := func() int64 {
		rank := math.Pow(random.Float64()*most+math.Pow(flat, 1-steep), 1/(1-steep)) - flat
		return int64(number[min(s.Concepts-1, max(0, int(rank)))]) + 1
	}
	pairs := make([]int64, 0, s.Edges+s.Edges/8)
	for len(pairs) < s.Edges {
		for len(pairs) < cap(pairs) {
			if src, dst := draw(), draw(); src != dst {
				pairs = append(pairs, src<<32|dst)
			}
		}
		slices.Sort(pairs)
		pairs = slices.Compact(pairs)
	}
	for len(pairs) > s.Edges { // evenly, not the last ones
		drop := len(pairs) - s.Edges
		step := len(pairs) / drop
		i := 0
		pairs = slices.DeleteFunc(pairs, func(int64) bool { i++; return i%step == 0 && i/step <= drop })
	}
	edges := make([]Edge, len(pairs))
	for i, p := range pairs {
		edges[i] = Edge{
			Src: int32(p >> 32), Dst: int32(p), Type: int32(1 + random.IntN(max(1, s.Types))),
			Confidence: float32(random.IntN(101)) / 100,
		}
	}
	return edges
}

// Degrees returns how many edges each of the concepts 1 to concepts has, in both
// directions; index 0 is unused.
func Degrees(edges []Edge, concepts int) []int {
	degrees := make([]int, concepts+1)
	for _, e := range edges {
		degrees[e.Src]++
		degrees[e.Dst]++
	}
	return degrees
}

// WithDegree returns the concept whose degree is nearest to the wanted one, of
// several the first.
func WithDegree(degrees []int, wanted int) int {
	distance := func(c int) int { return max(degrees[c]-wanted, wanted-degrees[c]) }
	best := 1
	for c := 2; c < len(degrees); c++ {
		if cmp.Less(distance(c), distance(best)) {
			best = c
		}
	}
	return best
}
