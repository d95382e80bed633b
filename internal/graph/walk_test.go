package graph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDrop keeps the cheapest concepts of a wide frontier, as sorting all of it would.
func TestDrop(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 14))
	for _, room := range []int{0, 1, 19, 400, 999, 1000, 2000} {
		w := newWalk(0)
		w.frontier = nil
		for _, c := range random.Perm(1000) {
			w.nodes[c+1] = &node{level: 1, cost: random.IntN(300)}
			w.frontier = append(w.frontier, c+1)
		}
		want := slices.SortedFunc(slices.Values(w.frontier), w.compare)
		want = want[:min(room, len(want))]
		if room < 1000 && !slices.Contains(want, 7) {
			want = append(want, 7)
		}
		w.drop(room, func(c int) bool { return c == 7 })
		slices.Sort(want)
		if slices.Sort(w.frontier); !slices.Equal(w.frontier, want) || len(w.nodes) != 1+len(want) {
			t.Errorf("room for %d: kept %d concepts, want %d", room, len(w.frontier), len(want))
		}
	}
}
