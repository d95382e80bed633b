package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

func TestGraphView(t *testing.T) {
	g := newRandomGraph(t, 3, 2)

	t.Run("sees the graph as of its start", func(t *testing.T) {
		err := g.store.View(t.Context(), func(s *GraphSnapshot) error {
			before, err := s.GraphStats(t.Context())
			if err != nil {
				return err
			}
			g.exec(t, `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE VALUES (1000, 'new_1', 'new', '{new}')`)
			if _, err := s.ConceptNumber(t.Context(), "new_1"); kappa.ErrorCode(err) != kappa.CodeNotFound {
				t.Errorf("the view sees a later concept: %v", err)
			}
			after, err := s.GraphStats(t.Context())
			if before.Nodes != after.Nodes {
				t.Errorf("%+v became %+v", before.Nodes, after.Nodes)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.now.ConceptNumber(t.Context(), "new_1"); err != nil {
			t.Errorf("after the view: %v", err)
		}
	})

	t.Run("cannot write", func(t *testing.T) {
		err := g.store.View(t.Context(), func(s *GraphSnapshot) error {
			err := raiseEpoch(t.Context(), s.q, change{kind: knowledge.EpochEdit, act: "test"})
			return err
		})
		if sqlState(err) != "25006" {
			t.Errorf("got %v, want a read-only transaction", err)
		}
	})

	t.Run("passes on the error of the reader", func(t *testing.T) {
		mine := kappa.NewError(kappa.CodeNotFound, "mine")
		if err := g.store.View(t.Context(), func(*GraphSnapshot) error { return mine }); !errors.Is(err, mine) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("ends at the deadline, here and on the server", func(t *testing.T) {
		block(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := g.store.View(ctx, func(s *GraphSnapshot) error {
			_, err := s.EdgesAround(ctx, []int{1}, nil, 10)
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) || kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("took %s", took)
		}
		waitUntilIdle(t, g)
	})
}

// block holds a lock that readers of edges wait for, until the end of the test.
func block(t *testing.T, g *randomGraph) {
	t.Helper()
	tx, err := g.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	if _, err := tx.Exec(t.Context(), "LOCK TABLE kg_api.edges IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
}

// waitUntilIdle waits until no statement waits for a lock any more.
func waitUntilIdle(t *testing.T, g *randomGraph) {
	t.Helper()
	await.That(t, "no statement waits on the server", func() bool {
		var waiting int
		err := g.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		return waiting == 0
	})
}

func TestGraphCounts(t *testing.T) {
	g := newRandomGraph(t, 40, 60)

	t.Run("stats", func(t *testing.T) {
		stats, err := g.now.GraphStats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := ontologies.NodeStats{Concepts: 40, Sources: fixtureSources, Instances: len(g.quotes), Documents: 4}
		if stats.Nodes != want || stats.Relationships.Total != 60 {
			t.Errorf("got %+v, want %+v and 60 relationships", stats, want)
		}
		counts := map[string]int{}
		for _, e := range g.edges {
			counts[e.Type]++
		}
		for i, c := range stats.Relationships.ByType {
			if c.Count != counts[c.Type] || (i > 0 && c.Count > stats.Relationships.ByType[i-1].Count) {
				t.Errorf("%+v, want %v, the most frequent first", stats.Relationships.ByType, counts)
			}
		}
	})

	t.Run("an empty graph has lists", func(t *testing.T) {
		d := newDB(t)
		s := &GraphSnapshot{q: db.New(d.graph), store: d.Graph()}
		stats, err := s.GraphStats(t.Context())
		if err != nil || stats.Relationships.ByType == nil {
			t.Errorf("got %+v, %v", stats, err)
		}
		if list, err := s.Ontologies(t.Context()); err != nil || list == nil {
			t.Errorf("got %v, %v", list, err)
		}
	})

	t.Run("ontologies by name", func(t *testing.T) {
		list, err := g.now.Ontologies(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		concepts := func(ontology string) (n int) {
			for c := 1; c <= g.concepts; c++ {
				if g.shownIn(c, ontology) {
					n++
				}
			}
			return n
		}
		var got []string
		for _, o := range list {
			got = append(got, fmt.Sprint(o.Name, " ", o.SourceCount, o.FileCount, o.ConceptCount, " ", o.LifecycleState))
		}
		want := []string{
			fmt.Sprint("apples ", 6, 2, concepts("apples"), " active"), "bare 0 0 0 active",
			fmt.Sprint("zebras ", 6, 2, concepts("zebras"), " active"),
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})

	t.Run("the epoch rises", func(t *testing.T) {
		before, err := g.now.GraphEpoch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.exec(t, "UPDATE kg_api.graph_epoch SET epoch = epoch + 1")
		if after, err := g.now.GraphEpoch(t.Context()); err != nil || after != before+1 {
			t.Errorf("epoch %d after %d, err %v", after, before, err)
		}
	})
}
