package graph

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// sluggish is a memory whose tables take long to be read around some concepts.
type sluggish struct {
	*memory
	slow map[int]time.Duration // around a concept; the default is no time
	mu   sync.Mutex
	ctx  context.Context // of the view
}

func (s *sluggish) view(ctx context.Context, read func(s Snapshot) error) error {
	s.ctx = ctx
	return read(s)
}

// rest takes the time that the concepts take, and the error of what ends it.
func (s *sluggish) rest(ctx context.Context, concepts []int) error {
	var whole time.Duration
	for _, c := range concepts {
		whole += s.slow[c]
	}
	select {
	case <-time.After(whole):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sluggish) Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error) {
	ctx, cancel := context.WithTimeout(ctx, q.Within)
	defer cancel()
	if err := s.rest(ctx, toInts(q.Concepts)); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.memory.Neighbors(ctx, q)
}

func (s *sluggish) EdgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	if err := s.rest(ctx, concepts); err != nil {
		return nil, err
	}
	return s.memory.EdgesAround(ctx, concepts, types, most)
}

func (s *sluggish) Share(context.Context) (questions.Beside, error) {
	return func(_ context.Context, read func(n questions.Neighbors) error) error { return read(s.Neighbors) }, nil
}

// comb is a concept with teeth around it, each with a concept behind.
func comb(teeth int) *memory {
	m := &memory{concepts: 1 + 2*teeth}
	for i := range teeth {
		m.edges = append(m.edges, star(0, 1+i)...)
		m.edges = append(m.edges, star(1+i, 1+teeth+i)...)
	}
	return m
}

func graphOf(s *sluggish) *Graph {
	s.at = 8
	return New(Config{View: s.view, Embedder: wholeOnly{}})
}

func TestOneSlowConceptCostsNoHop(t *testing.T) {
	const teeth = 300
	synctest.Test(t, func(t *testing.T) {
		s := &sluggish{memory: comb(teeth), slow: map[int]time.Duration{77: time.Hour}}
		begin := time.Now()
		r, err := graphOf(s).Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 2})
		if err != nil || r.Count != 2*teeth-1 || r.Complete || r.FailedChunks != 1 || r.TimedOut || r.Missing == "" || time.Since(begin) > 20*time.Second {
			t.Errorf("related, after %s: %d of %d, %+v, %v", time.Since(begin), r.Count, 2*teeth-1, r.Completeness, err)
		}
		begin = time.Now()
		w, err := graphOf(s).Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_0"}, MaxHops: 2})
		if err != nil || len(w.Numbers) != 2*teeth-1 || w.FailedChunks != 1 || time.Since(begin) > 20*time.Second {
			t.Errorf("within, after %s: %d, %+v, %v", time.Since(begin), len(w.Numbers), w.Completeness, err)
		}
		begin = time.Now()
		c, err := graphOf(s).Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_500", MaxHops: 4})
		if err != nil || c.Count != 1 || time.Since(begin) > 20*time.Second {
			t.Errorf("connect, after %s: %+v, %v", time.Since(begin), c, err)
		}
	})
}

// TestPartialAnswers asks of tables that end to answer behind the first hop: what was found
// until then is the answer, in time, and says that there may be more.
func TestPartialAnswers(t *testing.T) {
	const teeth = 5
	stalled := func() *sluggish {
		s := &sluggish{memory: comb(teeth), slow: map[int]time.Duration{}}
		for c := 1; c <= teeth; c++ {
			s.slow[c] = time.Hour
		}
		return s
	}
	within := func(t *testing.T, begin time.Time, c questions.Completeness, err error) {
		t.Helper()
		if took := time.Since(begin); err != nil || c.Complete || c.FailedChunks == 0 || c.Missing == "" || took > 30*time.Second {
			t.Errorf("after %s: %+v, %v", took, c, err)
		}
	}
	for name, ask := range map[string]func(t *testing.T, g *Graph, begin time.Time){
		"related": func(t *testing.T, g *Graph, begin time.Time) {
			r, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 3})
			within(t, begin, r.Completeness, err)
			if r.Count != teeth {
				t.Errorf("%d concepts, want %d", r.Count, teeth)
			}
		},
		"neighborhood": func(t *testing.T, g *Graph, begin time.Time) {
			r, err := g.Neighborhood(t.Context(), questions.NeighborhoodQuery{ConceptID: "c_0", MaxHops: 3, Limit: 100})
			within(t, begin, r.Completeness, err)
			if r.NodeCount != teeth+1 || r.EdgeCount != teeth {
				t.Errorf("%d concepts and %d relationships", r.NodeCount, r.EdgeCount)
			}
		},
		"connect": func(t *testing.T, g *Graph, begin time.Time) {
			r, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_99", MaxHops: 9})
			within(t, begin, r.Completeness, err)
			if r.Count != 0 {
				t.Errorf("%+v", r.Paths)
			}
		},
		"enriched path": func(t *testing.T, g *Graph, begin time.Time) {
			r, err := g.EnrichedPath(t.Context(), questions.EnrichedPathQuery{FromID: "c_0", ToID: "c_99", MaxHops: 9, PerNode: 1})
			within(t, begin, r.Completeness, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stalled()
				s.concepts = 101 // 98 and 99 stand apart, with enough around them
				s.edges = append(s.edges, star(99, 90, 91, 92, 93, 94, 95, 96)...)
				s.slow[90], s.slow[91], s.slow[92], s.slow[93], s.slow[94], s.slow[95], s.slow[96] = time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour
				ask(t, graphOf(s), time.Now())
			})
		})
	}
	t.Run("the time of the question is over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := stalled()
			settings := knowledge.DefaultGraphSettings()
			settings.TimeoutSeconds, settings.ChunkTimeoutSeconds = 5, 60
			g := New(Config{View: s.view, Settings: func() knowledge.GraphSettings { return settings }})
			begin := time.Now()
			r, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 3})
			if took := time.Since(begin); err != nil || !r.TimedOut || r.Complete || r.Count != teeth || took > 5*time.Second {
				t.Errorf("after %s: %+v, %v", took, r, err)
			}
		})
	})
}

// TestNothingReadIsAnError asks of tables that do not even answer for the first hop.
func TestNothingReadIsAnError(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context, g *Graph) error{
		"related": func(ctx context.Context, g *Graph) error {
			_, err := g.Related(ctx, questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 2})
			return err
		},
		"neighborhood": func(ctx context.Context, g *Graph) error {
			_, err := g.Neighborhood(ctx, questions.NeighborhoodQuery{ConceptID: "c_0", MaxHops: 2, Limit: 10})
			return err
		},
		"connect": func(ctx context.Context, g *Graph) error {
			_, err := g.Connect(ctx, questions.ConnectQuery{FromID: "c_0", ToID: "c_9", MaxHops: 2})
			return err
		},
		"within": func(ctx context.Context, g *Graph) error {
			_, err := g.Within(ctx, questions.WithinQuery{SeedIDs: []string{"c_0"}, MaxHops: 2})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sluggish{memory: comb(5), slow: map[int]time.Duration{0: time.Hour, 9: time.Hour}}
				err := ask(t.Context(), graphOf(s))
				if kappa.ErrorCode(err) != kappa.CodeUnavailable || !retried(err) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestTruncatedIsRight: an enriched path is truncated when the search was, and not for
// concepts with more neighbours than are asked for, which each says by itself.
func TestTruncatedIsRight(t *testing.T) {
	m := &memory{concepts: 9, edges: star(0, 1, 2, 3, 4, 5)}
	s := &neighboring{m}
	g := New(Config{View: viewOf(s)})
	q := questions.EnrichedPathQuery{FromID: "c_1", ToID: "c_2", MaxHops: 2, PerNode: 1}
	r, err := g.EnrichedPath(t.Context(), q)
	if err != nil || !r.Complete || r.Truncated || r.Missing != "" || !slices.ContainsFunc(r.Surroundings, func(s questions.Surroundings) bool { return s.Count == 3 && len(s.Neighbors) == 1 }) {
		t.Errorf("got %+v, %v", r, err)
	}
	g.limits.visited = 2
	if r, err = g.EnrichedPath(t.Context(), q); err != nil || r.Complete || !r.Truncated || r.Missing == "" {
		t.Errorf("got %+v, %v", r.Completeness, err)
	}
}

// neighboring is a memory that knows the strongest neighbours.
type neighboring struct{ *memory }

func (n *neighboring) StrongestNeighbors(ctx context.Context, concepts []int, types []string, most int) ([]questions.NeighborEdge, error) {
	var list []questions.NeighborEdge
	for _, c := range concepts {
		around, _ := n.EdgesAround(ctx, []int{c}, types, 1000)
		around = slices.DeleteFunc(strongest(around), func(e knowledge.Edge) bool { return slices.Contains(concepts, e.To) })
		for _, e := range around[:min(most, len(around))] {
			list = append(list, questions.NeighborEdge{Edge: e, Neighbors: len(around)})
		}
	}
	return list, nil
}
