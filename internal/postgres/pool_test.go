package postgres_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
)

// TestQ32_BusyPool holds every connection for the graph.
func TestQ32_BusyPool(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), postgres.Config{
		DSN: pgtest.NewDSN(t), JobConns: 2, GraphConns: 2, AuthConns: 1, AcquireTimeout: time.Second,
	})
	must(t, err)
	defer s.Close()
	free, held := make(chan struct{}), make(chan struct{}, 2)
	release := sync.OnceFunc(func() { close(free) })
	defer release()
	done := make(chan error, 2)
	for range 2 {
		go func() {
			done <- s.Graph().View(t.Context(), func(*postgres.GraphSnapshot) error {
				held <- struct{}{}
				<-free
				return nil
			})
		}()
		select {
		case <-held:
		case err := <-done:
			t.Fatalf("a connection was not free at once: %v", err)
		}
	}
	began := time.Now()
	if err := readGraph(t, s); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("without a free connection a query returned %v", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it waited %s", took)
	}
	if _, err := s.Lanes().Lanes(t.Context()); err != nil {
		t.Errorf("another kind of work is held up too: %v", err)
	}
	release()
	for range 2 {
		must(t, <-done)
	}
	if err := readGraph(t, s); err != nil {
		t.Errorf("after the connections came free a query returned %v", err)
	}
}

// TestQ32_BusyAuthPool holds every connection for accounts: whoever begins waits,
// whoever follows a stream does not.
func TestQ32_BusyAuthPool(t *testing.T) {
	t.Parallel()
	dsn := pgtest.NewDSN(t)
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, AuthConns: 1, AcquireTimeout: time.Second})
	must(t, err)
	defer s.Close()
	_, err = s.Tokens().AccessEpoch(t.Context()) // connects, which may take its time on a busy machine
	must(t, err)
	_, err = s.Accounts().CreateFirstUser(t.Context(), admin(), "hash")
	must(t, err)
	addClient(t, s, "one")
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM kg_api.users WHERE id = $1 FOR UPDATE", access.AdminUserID)
	must(t, err)
	held := make(chan error, 1)
	go func() { held <- s.Accounts().SetPasswordHash(t.Context(), access.AdminUserID, "hash") }()
	await.That(t, "the only connection waits for a lock", func() bool {
		var waits bool
		must(t, conn.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = 'kg-auth' AND wait_event_type = 'Lock' AND datname = current_database())").Scan(&waits))
		return waits
	})
	if _, _, err := s.Tokens().TokenUser(t.Context(), "one", 1, "good"); kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("a request was authenticated over a busy pool: %v", err)
	}
	if _, err := s.Tokens().AccessEpoch(t.Context()); err != nil {
		t.Errorf("streams wait behind requests: %v", err)
	}
	if u, _, err := s.Tokens().StreamUser(t.Context(), "one", 1, "good"); err != nil || u.ID != access.AdminUserID {
		t.Errorf("the user of a stream is %+v, err %v", u, err)
	}
	must(t, tx.Rollback(t.Context()))
	must(t, <-held)
}

// TestPoolSurvivesAServerThatGoes ends every connection of a pool at once: one
// call finds out, and the others are not held up by what it found.
func TestPoolSurvivesAServerThatGoes(t *testing.T) {
	t.Parallel()
	const conns = 6
	dsn := pgtest.NewDSN(t)
	s, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 1, GraphConns: conns, AuthConns: 1})
	must(t, err)
	defer s.Close()
	for round := range 3 {
		var all sync.WaitGroup
		all.Add(conns)
		together(conns, func(int) { // each on a connection of its own
			if err := s.Graph().View(t.Context(), func(*postgres.GraphSnapshot) error {
				all.Done()
				all.Wait()
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
		execSQL(t, dsn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kg-graph'")
		failed := 0
		for range conns + 1 {
			if err := readGraph(t, s); err != nil {
				failed++
			}
		}
		if failed > 1 {
			t.Errorf("round %d: %d calls failed after the connections had ended, want at most 1", round, failed)
		}
	}
}

// readGraph asks the graph something.
func readGraph(t *testing.T, s *postgres.DB) error {
	t.Helper()
	return s.Graph().View(t.Context(), func(g *postgres.GraphSnapshot) error {
		_, err := g.GraphEpoch(t.Context())
		return err
	})
}
