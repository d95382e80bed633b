package graph

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestNHop(t *testing.T) {
	t.Run("a concept's distance is the length of a shortest path from a seed", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			m := randomMemory(t)
			hops := rapid.IntRange(1, 5).Draw(t, "hops")
			seeds := rapid.SliceOfN(rapid.IntRange(0, m.concepts-1), 1, 2).Draw(t, "seeds")
			types := rapid.SampledFrom([][]string{nil, {"causes"}}).Draw(t, "types")
			want := map[int]int{}
			for _, seed := range seeds {
				for _, r := range m.simplePaths(seed, typeNames(types)) {
					end, length := r.end(seed), len(r.edges)
					if old, known := want[end]; length <= hops && (!known || length < old) {
						want[end] = length
					}
				}
			}
			for _, seed := range seeds {
				delete(want, seed)
			}
			got, err := viewOver(m).nhop(t.Context(), nhopQuery{seeds: seeds, hops: hops, types: types})
			if err != nil || !got.Complete || !maps.Equal(got.distances(), want) || len(got.concepts) != len(want) {
				t.Fatalf("got %v (complete: %t, %v), want %v", got.distances(), got.Complete, err, want)
			}
		})
	})
	t.Run("what is cut is said", func(t *testing.T) {
		m := &memory{concepts: 4, edges: star(0, 1, 2, 3)}
		got, err := viewOver(m).nhop(t.Context(), nhopQuery{seeds: []int{0}, hops: 1, most: 2})
		if err != nil || got.Complete || !got.Truncated || got.Missing == "" || len(got.distances()) != 2 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}
