package graph

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestMinEpoch asks a graph whose tables are at epoch 9 while memory is at 7.
func TestMinEpoch(t *testing.T) {
	epoch := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		name   string
		least  *int64
		await  func(g *adjacency.Graph) func(context.Context, int64) error
		epoch  int64 // of the answer
		waited time.Duration
	}{
		{name: "without one memory answers", epoch: 7},
		{name: "memory is new enough", least: epoch(7), epoch: 7},
		{name: "memory does not get there: the tables answer", least: epoch(8), epoch: 9, waited: epochWait, await: func(*adjacency.Graph) func(context.Context, int64) error {
			return func(ctx context.Context, _ int64) error { <-ctx.Done(); return ctx.Err() }
		}},
		{name: "memory gets there", least: epoch(8), epoch: 8, waited: time.Millisecond, await: func(g *adjacency.Graph) func(context.Context, int64) error {
			return func(_ context.Context, least int64) error {
				time.Sleep(time.Millisecond)
				return g.Apply(adjacency.Delta{Epoch: least})
			}
		}},
		{name: "nobody says when memory gets there", least: epoch(9), epoch: 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memory{concepts: 3, edges: star(0, 1, 2), at: 9}
				loaded := m.load(t)
				cfg := Config{View: viewOf(m), Memory: loaded.View}
				if c.await != nil {
					cfg.Await = c.await(loaded)
				}
				g := New(cfg)
				begin := time.Now()
				related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 1, MinEpoch: c.least})
				if err != nil || related.Epoch != c.epoch || related.Count != 2 || time.Since(begin) != c.waited {
					t.Errorf("after %s: %+v, %v", time.Since(begin), related, err)
				}
				if fromTables := c.epoch == 9; (m.queries > 0) != fromTables {
					t.Errorf("the tables were read %d times", m.queries)
				}
				path, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 2, MinEpoch: c.least})
				if err != nil || path.Epoch != c.epoch || path.Count != 1 {
					t.Errorf("%+v, %v", path, err)
				}
				around, err := g.Neighborhood(t.Context(), questions.NeighborhoodQuery{ConceptID: "c_0", MaxHops: 1, Limit: 9, MinEpoch: c.least})
				if err != nil || around.Epoch != c.epoch || around.NodeCount != 3 {
					t.Errorf("%+v, %v", around, err)
				}
				enriched, err := g.EnrichedPath(t.Context(), questions.EnrichedPathQuery{FromID: "c_1", ToID: "c_2", MaxHops: 2, PerNode: 1, MinEpoch: c.least})
				if err != nil || enriched.Epoch != c.epoch || enriched.Count != 1 {
					t.Errorf("%+v, %v", enriched, err)
				}
			})
		})
	}
	t.Run("an epoch that the graph has not reached", func(t *testing.T) {
		m := &memory{concepts: 3, edges: star(0, 1, 2), at: 9}
		_, err := New(Config{View: viewOf(m), Memory: m.load(t).View}).
			Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 1, MinEpoch: epoch(10)})
		if kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), "at most the epoch of the graph, 9, got 10") {
			t.Errorf("got %v", err)
		}
	})
}

func TestMemoryIsBehind(t *testing.T) {
	m := &memory{concepts: 3, edges: star(0, 1)}
	loaded := m.load(t)
	m.concepts, m.edges = 5, append(m.edges, star(0, 4)...)
	g := New(Config{View: viewOf(m), Memory: loaded.View})
	t.Run("a concept that only the tables know is read from them", func(t *testing.T) {
		related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_4", MaxDepth: 2})
		path, pathErr := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_4", MaxHops: 2})
		v := viewOver(m)
		v.memory = inMemory{View: loaded.View()}
		around, ballErr := v.nhop(t.Context(), nhopQuery{seeds: []int{4}, hops: 1})
		if err != nil || related.Count != 2 || pathErr != nil || path.Count != 1 || ballErr != nil || len(around.concepts) != 1 {
			t.Errorf("%+v, %v, %+v, %v, %+v, %v", related, err, path, pathErr, around, ballErr)
		}
	})
	t.Run("a concept that nobody knows", func(t *testing.T) {
		_, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_9", MaxDepth: 2})
		if kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("got %v", err)
		}
	})
	t.Run("memory that is not ready", func(t *testing.T) {
		g := New(Config{View: viewOf(m), Memory: func() *adjacency.View { return nil }})
		related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_4", MaxDepth: 2})
		if err != nil || related.Count != 2 {
			t.Errorf("%+v, %v", related, err)
		}
	})
}

// TestHopsInMemoryAtTheDeadline asks after the deadline: what was found until then
// is the answer, and says so.
func TestHopsInMemoryAtTheDeadline(t *testing.T) {
	m := &memory{concepts: 3, edges: star(0, 1, 2)}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	b, err := view{memory: inMemory{View: m.load(t).View()}}.nhop(ctx, nhopQuery{seeds: []int{0}, hops: 2})
	if err != nil || b.Complete || !b.TimedOut || b.Missing == "" || len(b.concepts) > 0 {
		t.Errorf("got %+v, %v", b, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := (view{memory: inMemory{View: m.load(t).View()}}).nhop(ctx, nhopQuery{seeds: []int{0}, hops: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
