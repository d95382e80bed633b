package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/graph/follow"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
)

// followed is a graph in memory that follows a database of its own.
type followed struct {
	*follow.Follower
	conn *pgx.Conn // of whoever changes the graph
}

// newFollowed returns one that is ready. With listens it is notified; otherwise it
// only polls.
func newFollowed(t *testing.T, listens bool) followed {
	t.Helper()
	dsn := newDSN(t)
	db, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, AcquireTimeout: 20 * time.Second})
	must(t, err)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	f := followed{Follower: follow.New(follow.Config{Store: db.Graph(), Limit: 64 << 20, Log: slog.New(slog.DiscardHandler)}), conn: conn}
	f.exec(t, "INSERT INTO kg_api.relationship_types (name, category) VALUES ('TYPE', 'test')")
	f.exec(t, `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
		SELECT n, 'c_' || n, 'Concept ' || n, '{}' FROM generate_series(1, 1000) n`)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = f.Run(ctx) })
	if listens {
		heard := make(chan struct{}, 1)
		listener := notify.NewListener(notify.ListenConfig{
			DSN: dsn, ID: "test", Log: slog.New(slog.DiscardHandler),
			Handle: map[string]func(string){"kg_graph": func(string) { f.Wake() }},
			Resync: func() { heard <- struct{}{} },
		})
		running.Go(func() { _ = listener.Run(ctx) })
		<-heard
	}
	t.Cleanup(func() {
		stop()
		running.Wait()
		_ = conn.Close(context.WithoutCancel(t.Context()))
		db.Close()
	})
	f.until(t, "the graph is loaded", func() bool { return f.View() != nil })
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (f followed) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := f.conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// until waits for a condition, and returns how long that took.
func (f followed) until(t *testing.T, what string, condition func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	until(t, condition, func() string { return fmt.Sprintf("waited in vain until %s: %+v", what, f.Status(t.Context())) })
	return time.Since(began)
}

const addEdge = "INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT $1, $2, t.id, 0.5 FROM kg_api.relationship_types t WHERE t.name = 'TYPE'"

// TestGraphFollowsCommits measures how long after its commit a relationship is seen.
func TestGraphFollowsCommits(t *testing.T) {
	t.Parallel()
	f := newFollowed(t, true)
	var took []time.Duration
	for n := 2; n <= 21; n++ {
		f.exec(t, addEdge, n-1, n)
		took = append(took, f.until(t, "an edge is seen", func() bool { return f.View().Degree(int32(n)) == 1 }))
	}
	slices.Sort(took)
	t.Logf("commit to seen: p50 %s, p95 %s", took[10], took[19])
	if took[2] > 500*time.Millisecond { // on a busy machine many are late
		t.Errorf("all but two of %v took more than half of the poll: nobody was notified", took)
	}
	f.exec(t, "DELETE FROM kg_api.concepts WHERE id = 10")
	f.until(t, "a concept goes with its edges", func() bool { return f.View().ID(10) == "" && f.View().Degree(9) == 1 })
	f.exec(t, "TRUNCATE kg_api.edges CASCADE")
	f.until(t, "the graph is loaded anew", func() bool { v := f.View(); return v != nil && v.Stats().Edges == 0 })
	if s := f.Status(t.Context()); s.State != knowledge.GraphReady || s.Loads != 2 || s.Behind == nil || *s.Behind != 0 {
		t.Errorf("at last %+v", s)
	}
}

// TestGraphPolls follows without a listener, over a cut of every connection.
func TestGraphPolls(t *testing.T) {
	t.Parallel()
	f := newFollowed(t, false)
	f.exec(t, "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()")
	f.exec(t, addEdge, 1, 2)
	f.until(t, "an edge is seen", func() bool { return f.View().Degree(1) == 1 })
	f.exec(t, "UPDATE kg_api.graph_epoch SET epoch = epoch + 1")
	if err := f.Await(t.Context(), 1); err != nil || f.View().Epoch() != 1 {
		t.Errorf("the epoch that was committed is not there: %v", err)
	}
	if s := f.Figures(); s.Loads != 1 {
		t.Errorf("%d loads", s.Loads)
	}
}
