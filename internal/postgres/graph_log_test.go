package postgres_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// replica is a graph that is loaded, and follows its changes.
type replica struct {
	mark     knowledge.GraphMark
	concepts map[int32]string
	edges    map[knowledge.GraphEdge]float32 // confidence, by the edge without one
	types    map[int32]string
}

func (r *replica) AddType(t knowledge.GraphType) error { r.types[t.Number] = t.Name; return nil }

func (r *replica) AddConcept(c knowledge.GraphConcept) error { r.concepts[c.Number] = c.ID; return nil }

func (r *replica) AddEdge(e knowledge.GraphEdge) error {
	r.edges[edgeKey(e)] = e.Confidence
	return nil
}

func edgeKey(e knowledge.GraphEdge) knowledge.GraphEdge {
	e.Confidence = 0
	return e
}

func (r *replica) apply(c knowledge.GraphChange) {
	switch c.Op {
	case knowledge.OpAddConcept:
		r.concepts[c.Concept.Number] = c.Concept.ID
	case knowledge.OpRemoveConcept:
		delete(r.concepts, c.Concept.Number)
	case knowledge.OpSetEdge:
		r.edges[edgeKey(c.Edge)] = c.Edge.Confidence
	case knowledge.OpRemoveEdge:
		delete(r.edges, edgeKey(c.Edge))
	}
}

func loadReplica(t *testing.T, s postgres.GraphStore) *replica {
	t.Helper()
	r := &replica{concepts: map[int32]string{}, edges: map[knowledge.GraphEdge]float32{}, types: map[int32]string{}}
	var err error
	r.mark, err = s.LoadGraph(t.Context(), r)
	must(t, err)
	return r
}

// follow reads and applies what has changed.
func (r *replica) follow(t *testing.T, s postgres.GraphStore) knowledge.GraphChanges {
	t.Helper()
	changes, err := s.GraphChanges(t.Context(), r.mark, 10_000)
	must(t, err)
	for _, c := range changes.Changes {
		r.apply(c)
	}
	r.mark = changes.Until
	return changes
}

// same fails unless r holds what the tables hold.
func (r *replica) same(t *testing.T, s postgres.GraphStore) {
	t.Helper()
	want := loadReplica(t, s)
	if !maps.Equal(r.concepts, want.concepts) {
		t.Errorf("concepts %v, want %v", r.concepts, want.concepts)
	}
	if !maps.Equal(r.edges, want.edges) {
		t.Errorf("edges %v, want %v", r.edges, want.edges)
	}
}

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func exec(t *testing.T, on execer, sql string, args ...any) {
	t.Helper()
	if _, err := on.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

const (
	addConcepts = `INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
		SELECT n, 'c_' || n, 'Concept ' || n, '{}' FROM generate_series($1::int, $2::int) n ON CONFLICT DO NOTHING`
	setEdge = `INSERT INTO kg_api.edges (src, dst, type, confidence) VALUES ($1, $2, 1, $3)
		ON CONFLICT (src, dst, type) DO UPDATE SET confidence = excluded.confidence`
	removeEdge    = `DELETE FROM kg_api.edges WHERE src = $1 AND dst = $2`
	removeConcept = `DELETE FROM kg_api.concepts WHERE id = $1`
)

func newGraphPool(t *testing.T, dsn string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), dsn)
	must(t, err)
	t.Cleanup(pool.Close)
	return pool
}

// begin opens a transaction, which ends with the test at the latest.
func begin(t *testing.T, pool *pgxpool.Pool) pgx.Tx {
	t.Helper()
	tx, err := pool.Begin(t.Context())
	must(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
	return tx
}

func TestGraphChanges(t *testing.T) {
	t.Parallel()
	db, dsn := newStore(t)
	s, pool := db.Graph(), newGraphPool(t, dsn)
	exec(t, pool, addConcepts, 1, 5)
	exec(t, pool, setEdge, 1, 2, 0.5)
	r := loadReplica(t, s)
	if len(r.concepts) != 5 || len(r.edges) != 1 || len(r.types) == 0 {
		t.Fatalf("loaded %+v", r)
	}
	for _, c := range []struct {
		name, sql string
		args      []any
		changes   int
	}{
		{"nothing has changed", "SELECT 1", nil, 0},
		{"a new edge", setEdge, []any{2, 3, 0.25}, 1},
		{"another confidence", setEdge, []any{2, 3, 0.75}, 1},
		{"an edge goes", removeEdge, []any{1, 2}, 1},
		{"an edge that is not there", removeEdge, []any{1, 2}, 0},
		{"new concepts", addConcepts, []any{5, 7}, 2},
		{"a concept goes with its edges", removeConcept, []any{3}, 2},
		{"a description says nothing of the graph", "UPDATE kg_api.concepts SET description = 'other'", nil, 0},
		{"the epoch", "UPDATE kg_api.graph_epoch SET epoch = epoch + 1", nil, 0},
	} {
		before := r.mark.Epoch
		exec(t, pool, c.sql, c.args...)
		changes := r.follow(t, s)
		if len(changes.Changes) != c.changes || changes.Transactions != min(1, c.changes) {
			t.Errorf("%s: %d changes of %d transactions, want %d: %+v", c.name, len(changes.Changes), changes.Transactions, c.changes, changes.Changes)
		}
		if c.name == "the epoch" && r.mark.Epoch != before+1 {
			t.Errorf("the epoch is %d after %d", r.mark.Epoch, before)
		}
		r.same(t, s)
	}
}

// TestGraphChangesOrder has transactions commit in another order than that in which
// they changed something.
func TestGraphChangesOrder(t *testing.T) {
	t.Parallel()
	db, dsn := newStore(t)
	s, pool := db.Graph(), newGraphPool(t, dsn)
	exec(t, pool, addConcepts, 1, 9)
	begin := func() pgx.Tx { return begin(t, pool) }
	early, first := begin(), begin()
	exec(t, early, setEdge, 5, 6, 0.5) // before the load, and committed after it
	r := loadReplica(t, s)
	exec(t, first, setEdge, 1, 2, 0.5)
	second := begin()
	exec(t, second, setEdge, 3, 4, 0.5)
	third := begin()
	exec(t, third, setEdge, 7, 8, 0.5)
	must(t, third.Rollback(t.Context()))
	for i, tx := range []pgx.Tx{second, first, early} {
		must(t, tx.Commit(t.Context()))
		if n, err := s.GraphBehind(t.Context(), r.mark, 100); err != nil || n != 1 {
			t.Errorf("commit %d: %d transactions behind, want 1 (%v)", i+1, n, err)
		}
		if changes := r.follow(t, s); len(changes.Changes) != 1 {
			t.Errorf("commit %d: got %+v, want one change", i+1, changes.Changes)
		}
		r.same(t, s)
	}
}

// TestGraphChangesRandom has writers change the same few edges at once while a
// reader follows.
func TestGraphChangesRandom(t *testing.T) {
	t.Parallel()
	db, dsn := newStore(t)
	s, pool := db.Graph(), newGraphPool(t, dsn)
	exec(t, pool, addConcepts, 1, 6)
	r := loadReplica(t, s)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			for range 25 {
				tx, err := pool.Begin(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				exec(t, tx, "SET LOCAL deadlock_timeout = '10ms'")
				for range 1 + random.IntN(3) {
					if err = change(t, tx, random); err != nil {
						break
					}
				}
				if err == nil && random.IntN(5) > 0 {
					_ = tx.Commit(t.Context())
				} else {
					_ = tx.Rollback(t.Context()) // a deadlock, or nothing comes of it
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { writers.Wait(); close(ended) }()
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		default:
		}
		r.follow(t, s)
	}
	r.same(t, s)
}

// change makes one change at random.
func change(t *testing.T, tx pgx.Tx, random *rand.Rand) error {
	a, b := 1+random.IntN(6), 1+random.IntN(5)
	if b >= a {
		b++
	}
	var err error
	switch random.IntN(8) {
	case 0:
		_, err = tx.Exec(t.Context(), removeConcept, a)
	case 1, 2:
		_, err = tx.Exec(t.Context(), removeEdge, a, b)
	default:
		if _, err = tx.Exec(t.Context(), addConcepts, min(a, b), max(a, b)); err == nil {
			_, err = tx.Exec(t.Context(), setEdge, a, b, float64(random.IntN(100))/100)
		}
	}
	return err
}

func TestGraphReload(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"edges are truncated":          "TRUNCATE kg_api.edges CASCADE",
		"concepts are truncated":       "TRUNCATE kg_api.concepts CASCADE",
		"concepts get other ids":       "UPDATE kg_api.concepts SET concept_id = 'x_' || id",
		"edges get another end":        "UPDATE kg_api.edges SET dst = 4",
		"somebody asks for it":         "SELECT kg_api.reload_graph()",
		"there are too many changes":   "INSERT INTO kg_api.graph_log (op, src) SELECT 'remove concept', n FROM generate_series(1000, 12000) n",
		"the tables are restored":      "CREATE TABLE l (LIKE kg_api.graph_log_floor INCLUDING ALL); INSERT INTO l TABLE kg_api.graph_log_floor; DROP TABLE kg_api.graph_log_floor; ALTER TABLE l RENAME TO graph_log_floor; ALTER TABLE graph_log_floor SET SCHEMA kg_api",
		"another cluster was restored": "UPDATE kg_api.graph_log_floor SET cluster = 'other', floor = '123456789012'; INSERT INTO kg_api.graph_log (op, txid) VALUES ('reload', '123456789012')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, dsn := newStore(t)
			s, pool := db.Graph(), newGraphPool(t, dsn)
			exec(t, pool, addConcepts, 1, 5)
			exec(t, pool, setEdge, 1, 2, 0.5)
			r := loadReplica(t, s)
			exec(t, pool, sql)
			_, err := s.GraphChanges(t.Context(), r.mark, 10_000)
			if !errors.Is(err, knowledge.ErrGraphReload) {
				t.Fatalf("got %v", err)
			}
			r = loadReplica(t, s)
			exec(t, pool, addConcepts, 7, 8)
			r.follow(t, s)
			r.same(t, s)
		})
	}
}

// TestPruneGraphLog is not parallel: the floor stays below what is under way in any
// database of the cluster.
func TestPruneGraphLog(t *testing.T) { //nolint:paralleltest // see above
	db, dsn := newStore(t)
	s, retention, pool := db.Graph(), db.Retention(), newGraphPool(t, dsn)
	loadReplica(t, s)
	exec(t, pool, addConcepts, 1, 5)
	const term = 1
	exec(t, pool, "UPDATE kg_api.leader SET term = $1", term)
	awake := loadReplica(t, s)
	var stopped *replica
	await.That(t, "a read while nothing is under way, as autovacuum may be", func() bool {
		stopped = loadReplica(t, s)
		xmin, rest, _ := strings.Cut(stopped.mark.Snapshot, ":")
		return rest == xmin+":"
	})
	const keep = time.Hour
	rows := func() (n int) {
		must(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.graph_log").Scan(&n))
		return n
	}
	later := func() { // an hour passes
		exec(t, pool, "UPDATE kg_api.graph_log_floor SET since = since - interval '1 hour'")
		must(t, retention.AdvanceGraphLog(t.Context(), term, keep))
	}
	under := begin(t, pool)
	exec(t, under, setEdge, 1, 2, 0.5) // commits at last
	exec(t, pool, addConcepts, 6, 6)
	awake.follow(t, s)
	must(t, retention.AdvanceGraphLog(t.Context(), term, keep))
	n, err := retention.PruneGraphLog(t.Context(), term, 100)
	if err != nil || n != 0 {
		t.Errorf("%d rows were deleted at once (%v)", n, err)
	}
	later()
	later()
	before := rows()
	n, err = retention.PruneGraphLog(t.Context(), term, 3)
	if err != nil || n != 3 || rows() != before-3 {
		t.Errorf("%d rows were deleted, %d are left of %d (%v)", n, rows(), before, err)
	}
	for n > 0 {
		n, err = retention.PruneGraphLog(t.Context(), term, 3)
		must(t, err)
	}
	stopped.follow(t, s) // the transaction that has not ended holds the floor below it
	must(t, under.Commit(t.Context()))
	later()
	awake.follow(t, s)
	awake.same(t, s)
	exec(t, pool, addConcepts, 7, 7)
	later()
	awake.follow(t, s)
	awake.same(t, s)
	if _, err := s.GraphChanges(t.Context(), stopped.mark, 100); !errors.Is(err, knowledge.ErrGraphReload) {
		t.Errorf("one who slept for two hours got %v", err)
	}
	if _, err := retention.PruneGraphLog(t.Context(), term+1, 3); err == nil {
		t.Error("a server that does not lead pruned")
	}
}

// refusing is a sink that has no room for edges.
type refusing struct{ *replica }

var errRefused = errors.New("refused")

func (refusing) AddEdge(knowledge.GraphEdge) error { return errRefused }

// cutting has the database end the connection when the first edge arrives.
type cutting struct {
	*replica
	cut func()
}

func (c cutting) AddEdge(knowledge.GraphEdge) error { c.cut(); return nil }

func TestLoadGraphFails(t *testing.T) {
	t.Parallel()
	db, dsn := newStore(t)
	s, pool := db.Graph(), newGraphPool(t, dsn)
	exec(t, pool, addConcepts, 1, 500)
	exec(t, pool, "INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT n, m, 1, 0.5 FROM generate_series(1, 500) n, generate_series(1, 40) m WHERE n <> m")
	empty := &replica{concepts: map[int32]string{}, types: map[int32]string{}}
	if _, err := s.LoadGraph(t.Context(), refusing{empty}); err != errRefused { //nolint:errorlint // as it is
		t.Errorf("the sink refused, and LoadGraph returned %v", err)
	}
	var once sync.Once
	_, err := s.LoadGraph(t.Context(), cutting{empty, func() {
		once.Do(func() {
			exec(t, pool, "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.datname = current_database() AND a.query LIKE '%GraphLoadEdges%' AND a.pid <> pg_backend_pid()")
		})
	}})
	if kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("the connection was cut, and LoadGraph returned %v", err)
	}
	await.That(t, "every connection is given back", func() bool {
		return !slices.ContainsFunc(db.PoolFigures(), func(p work.PoolFigures) bool { return p.Acquired > 0 })
	})
	if r := loadReplica(t, s); len(r.edges) != 500*40-40 {
		t.Errorf("%d edges were loaded afterwards", len(r.edges))
	}
}
