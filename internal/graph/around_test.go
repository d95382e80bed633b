package graph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestAround compares with every simple path over the relationships that the filters leave.
func TestAround(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := randomMemory(r)
		seeds := rapid.SliceOfN(rapid.IntRange(0, m.concepts-1), 1, 3).Draw(r, "seeds")
		q := questions.AroundQuery{MaxHops: rapid.IntRange(1, 5).Draw(r, "hops"), Limit: rapid.IntRange(1, 4).Draw(r, "limit")}
		q.IncludeWeak, q.MinConfidence = true, rapid.SampledFrom([]float64{0, 0.5, 0.9}).Draw(r, "confidence")
		q.Types = rapid.SampledFrom([][]string{nil, {"causes"}}).Draw(r, "types")
		left := &memory{concepts: m.concepts}
		for _, e := range m.edges {
			if e.Confidence >= q.MinConfidence {
				left.edges = append(left.edges, e)
			}
		}
		want := map[string]int{}
		for _, seed := range seeds {
			q.SeedIDs = append(q.SeedIDs, conceptID(seed))
			for _, p := range left.simplePaths(seed, typeNames(q.Types)) {
				id, length := conceptID(p.end(seed)), len(p.edges)
				if old, known := want[id]; length <= q.MaxHops && (!known || length < old) {
					want[id] = length
				}
			}
		}
		for _, id := range q.SeedIDs {
			delete(want, id)
		}
		g := New(Config{View: viewOf(m)})
		seen, last := 0, 0
		for {
			got, err := g.Around(t.Context(), q)
			if err != nil || got.Total != len(want) || !got.Complete {
				r.Fatalf("got %+v, %v, want %v", got, err, want)
			}
			for _, c := range got.Results {
				if want[c.ConceptID] != c.Distance || c.Distance < last {
					r.Fatalf("%s is at %d after %d, want %v", c.ConceptID, c.Distance, last, want)
				}
				seen, last = seen+1, c.Distance
			}
			if q.Offset += q.Limit; q.Offset >= got.Total {
				if seen != got.Total {
					r.Fatalf("the pages have %d concepts, want %d", seen, got.Total)
				}
				return
			}
		}
	})
}

func TestAroundStatistics(t *testing.T) {
	m := comb(6)
	settings := knowledge.DefaultGraphSettings()
	settings.ParallelFrom, settings.ChunkSize = 2, 2
	s := &sluggish{memory: m}
	g := New(Config{View: s.view, Settings: func() knowledge.GraphSettings { return settings }})
	q := questions.AroundQuery{SeedIDs: []string{"c_0"}, MaxHops: 2, Limit: 1, IncludeStatistics: true}
	got, err := g.Around(t.Context(), q)
	if err != nil || got.Count != 1 || !slices.Equal(got.PerHop, []int{6, 6}) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if s := got.Statistics; s.InMemory || !slices.Equal(s.Frontier, []int{1, 6}) || s.Rows != 6+12 || s.Chunks != 1+3 || s.Workers != 2 {
		t.Errorf("got %+v", s)
	}
	q.IncludeStatistics = false
	if got, _ := g.Around(t.Context(), q); got.Statistics != nil {
		t.Errorf("unasked: %+v", got.Statistics)
	}
}
