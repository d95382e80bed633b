package graph_test

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/pgproxy"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// throughProxy returns the address of a database, and a proxy with an address of
// the same.
func throughProxy(t *testing.T) (dsn, proxied string, p *pgproxy.Proxy) {
	t.Helper()
	dsn = pgtest.NewDSN(t)
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	_, socket := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	dir, err := os.MkdirTemp("", "kgf-") // its path must fit into that of a socket
	if err != nil {
		t.Fatal(err)
	}
	p = pgproxy.New(dir, func() string { return socket }, slog.New(slog.DiscardHandler))
	listener, err := p.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx, listener) })
	t.Cleanup(func() { stop(); running.Wait(); _ = os.RemoveAll(dir) })
	return dsn, p.DSN(dsn), p
}

// nothingGoesOn waits for connections that were given up to be closed, which happens
// in the background, and for the server to end what ran on them.
func nothingGoesOn(t *testing.T, g realGraph, conn *pgx.Conn) {
	t.Helper()
	await.That(t, "no connection is in use, and no statement goes on", func() bool {
		statements := 0
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'kg-graph' AND state <> 'idle'`).Scan(&statements)
		if err != nil {
			t.Fatal(err)
		}
		return acquired(g.db) == 0 && statements == 0 && g.Work().Workers == 0
	})
}

// TestGraphWhileTheDatabaseStalls lets nothing arrive any more in the middle of a
// question: that ends, says so, and leaves nothing behind.
func TestGraphWhileTheDatabaseStalls(t *testing.T) {
	dsn, proxied, proxy := throughProxy(t)
	stall := make(chan struct{}, 1)
	g := newRealGraphOn(t, postgres.Config{DSN: proxied, Hook: func(_ context.Context, point string) error {
		if point == "before Neighbors" {
			select {
			case <-stall:
				proxy.Set(pgproxy.EveryRole, pgproxy.Hole)
			default:
			}
		}
		return nil
	}}, graph.Config{Settings: narrowAndBrief})
	s := graphgen.Shape{Concepts: 100, Edges: 300, Seed: 4}
	if err := graphgen.Fill(t.Context(), dsn, s.Concepts, s.Make()); err != nil {
		t.Fatal(err)
	}
	direct, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = direct.Close(context.WithoutCancel(t.Context())) })
	within := func() (questions.Completeness, error) {
		w, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_1", "c_2"}, MaxHops: 3, OnTables: true})
		return w.Completeness, err
	}
	connect := func() (questions.Completeness, error) {
		_, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 5})
		return questions.Completeness{Complete: err == nil}, err
	}
	for name, ask := range map[string]func() (questions.Completeness, error){"hops": within, "path": connect} {
		stall <- struct{}{}
		begin := time.Now()
		got, err := ask()
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
		said := err == nil && !got.Complete && got.Missing != ""
		if !said && kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		proxy.Set(pgproxy.EveryRole, pgproxy.Pass)
		nothingGoesOn(t, g, direct)
		if got, err := ask(); err != nil || !got.Complete {
			t.Errorf("%s: after the stall %+v, %v", name, got, err)
		}
	}
}

// TestGraphDeadlineOfAMillisecond gives questions next to no time.
func TestGraphDeadlineOfAMillisecond(t *testing.T) {
	g := newRealGraphOn(t, postgres.Config{}, graph.Config{Settings: narrow})
	s := graphgen.Shape{Concepts: 100, Edges: 300, Seed: 4}
	if err := graphgen.Fill(t.Context(), g.dsn, s.Concepts, s.Make()); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		w, err := g.Within(ctx, questions.WithinQuery{SeedIDs: []string{"c_1"}, MaxHops: 5, OnTables: true})
		cancel()
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("took %s", took)
		}
		if err == nil && (w.Complete || !w.TimedOut || w.Missing == "") || err != nil && kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("%+v, %v", w.Completeness, err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		if _, err := g.Connect(ctx, questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 5}); kappa.ErrorCode(err) != kappa.CodeUnavailable {
			t.Errorf("path: %v", err)
		}
		cancel()
	}
	nothingGoesOn(t, g, g.conn)
}

// TestGraphBesideASlowConcept reads tables in which one concept takes longer than a chunk
// may: what is around all others is found, in one snapshot that goes on.
func TestGraphBesideASlowConcept(t *testing.T) {
	settings := knowledge.DefaultGraphSettings()
	settings.ChunkTimeoutSeconds = 1
	g := newRealGraphOn(t, postgres.Config{}, graph.Config{Settings: func() knowledge.GraphSettings { return settings }})
	const teeth = 200
	edges := make([]graphgen.Edge, 0, 2*teeth)
	for c := int32(2); c < 2+teeth; c++ {
		edges = append(edges, graphgen.Edge{Src: 1, Dst: c, Type: 1, Confidence: 1}, graphgen.Edge{Src: c, Dst: c + teeth, Type: 1, Confidence: 1})
	}
	if err := graphgen.Fill(t.Context(), g.dsn, 1+2*teeth, edges); err != nil {
		t.Fatal(err)
	}
	g.exec(t, `CREATE FUNCTION kg_api.slowly(n int) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
		BEGIN IF n = 77 AND current_query() ~ 'name: (EdgesAround|Neighbors) ' THEN PERFORM pg_sleep(60); END IF; RETURN true; END $$`)
	g.exec(t, `ALTER TABLE kg_api.edges RENAME TO quick_edges`)
	g.exec(t, `CREATE VIEW kg_api.edges AS SELECT * FROM kg_api.quick_edges q WHERE kg_api.slowly(q.src)`)
	begin := time.Now()
	related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_1", MaxDepth: 2})
	if took := time.Since(begin); err != nil || related.Count != 2*teeth-1 || related.Complete || related.FailedChunks != 1 || took > 30*time.Second {
		t.Errorf("related, after %s: %d of %d, %+v, %v", took, related.Count, 2*teeth-1, related.Completeness, err)
	}
	within, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_1"}, MaxHops: 2, OnTables: true})
	if err != nil || len(within.Numbers) != 2*teeth-1 || within.FailedChunks != 1 {
		t.Errorf("within: %d of %d, %+v, %v", len(within.Numbers), 2*teeth-1, within.Completeness, err)
	}
	if path, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_300", MaxHops: 3}); err != nil || path.Count != 1 {
		t.Errorf("connect: %+v, %v", path, err)
	}
	if _, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_77", MaxDepth: 1}); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("around the slow one: %v", err)
	}
	nothingGoesOn(t, g, g.conn)
}
