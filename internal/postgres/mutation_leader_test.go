package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// TestM07_AWeakLockOnTheTermLetsTheNextOneBegin takes the next term while a write
// under the last one is open. FOR SHARE makes it wait; FOR KEY SHARE, with which
// an update of the term does not conflict, lets the old leader's write be
// committed under a term that is over.
func TestM07_AWeakLockOnTheTermLetsTheNextOneBegin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql     string
		prepare string // makes the job one that the leader takes back
		write   func(ctx context.Context, q *db.Queries) (int, error)
	}{
		"JobRescue": {db.JobRescue, "UPDATE kg_api.workers SET state = 'dead'", func(ctx context.Context, q *db.Queries) (int, error) {
			taken, err := q.JobRescue(ctx, db.JobRescueParams{CrashWindow: time.Hour, Quarantine: 3, MaxJobs: 10})
			return len(taken), err
		}},
		"JobStale": {db.JobStale, "UPDATE kg_api.jobs SET progress_at = now() - interval '1 day'", func(ctx context.Context, q *db.Queries) (int, error) {
			taken, err := q.JobStale(ctx, 0, 10)
			return len(taken), err
		}},
		"LeaderHolds": {db.LeaderHolds, "SELECT 1", func(ctx context.Context, q *db.Queries) (int, error) {
			_, err := q.LeaderHolds(ctx, 0)
			return 1, err
		}},
	} {
		if strings.Count(c.sql, "FOR SHARE") != 1 {
			t.Fatalf("%s does not hold the term once", name)
		}
		// next writes as the old leader, in the given words, takes the next term
		// before the commit of that, and returns it.
		next := func(t *testing.T, text string) (term int64, err error) {
			t.Helper()
			s, dsn := newStore(t)
			register(t, s, workerA)
			submit(t, s, "polarity")
			claim(t, s, workerA, 1)
			execSQL(t, dsn, c.prepare)
			old, successor := connect(t, dsn), connect(t, dsn)
			_, err = successor.Exec(t.Context(), "SET lock_timeout = '300ms'")
			must(t, err)
			must(t, pgx.BeginFunc(t.Context(), old, func(tx pgx.Tx) error {
				written, writeErr := c.write(t.Context(), db.New(mutant{tx, c.sql, text}))
				if written != 1 {
					t.Fatalf("the old leader wrote %d times, %v", written, writeErr)
				}
				term, err = db.New(successor).LeaderTake(t.Context(), workerB)
				return writeErr
			}))
			return term, err
		}
		t.Run(name+" as it is makes the next term wait", func(t *testing.T) {
			t.Parallel()
			var refused *pgconn.PgError
			if term, err := next(t, c.sql); !errors.As(err, &refused) || refused.Code != "55P03" {
				t.Errorf("term %d, %v; want the lock not available", term, err)
			}
		})
		t.Run(name+" with a weak lock does not", func(t *testing.T) {
			t.Parallel()
			if term, err := next(t, strings.Replace(c.sql, "FOR SHARE", "FOR KEY SHARE", 1)); term != 1 || err != nil {
				t.Errorf("term %d, %v; want 1: nothing shows that the lock is needed", term, err)
			}
		})
	}
}

// TestM07_ALeaderOnAPooledConnectionIsDeposedByThePool elects leaders on a
// connection of a pool that recycles its connections, and on one of their own
// (Q40). The lock ends with the connection, whatever the leader believes.
func TestM07_ALeaderOnAPooledConnectionIsDeposedByThePool(t *testing.T) {
	t.Parallel()
	const life, lives = 200 * time.Millisecond, 2
	s, dsn := newStore(t)
	pc, err := pgxpool.ParseConfig(dsn)
	must(t, err)
	pc.MaxConns, pc.MaxConnLifetime, pc.HealthCheckPeriod = 1, life, life/4
	recycled := make(chan struct{}, 100)
	pc.BeforeClose = func(*pgx.Conn) { recycled <- struct{}{} }
	pool, err := pgxpool.NewWithConfig(t.Context(), pc)
	must(t, err)
	t.Cleanup(pool.Close)
	live := func() { // as long as a pool lets few connections live
		for range lives {
			must(t, pool.Ping(t.Context()))
			<-recycled
		}
	}

	var won bool
	must(t, pool.QueryRow(t.Context(), "SELECT pg_try_advisory_lock(100000001)").Scan(&won))
	if !won {
		t.Fatal("the lock is not free")
	}
	live()
	leader := dialLeader(t, s)
	if _, won, err = leader.Campaign(t.Context(), workerA); err != nil || !won {
		t.Errorf("the lock of a pooled connection stayed (%v): nothing shows that a connection of its own is needed", err)
	}
	live()
	if _, won, err := dialLeader(t, s).Campaign(t.Context(), workerB); won || err != nil {
		t.Errorf("a leader on a connection of its own was deposed: %v", err)
	}
	must(t, leader.Check(t.Context()))
}

func TestQ41_TheLockDoesNotStack(t *testing.T) {
	t.Parallel()
	checkLockCycles(t, 50)
}

func TestQ41_TheLockDoesNotStack_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkLockCycles(t, 1000)
}

// checkLockCycles campaigns again and again, each time on a new
// connection, as after a loss: there is one lock while somebody leads, and none
// afterwards.
func checkLockCycles(t *testing.T, cycles int) {
	t.Helper()
	s, dsn := newStore(t)
	locks := func() int {
		return number(t, dsn, `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND d.datname = current_database()`)
	}
	for cycle := range cycles {
		leader := dialLeader(t, s)
		var term int64
		await.That(t, "the lock is free after its connection", func() bool {
			var won bool
			var err error
			term, won, err = leader.Campaign(t.Context(), workerA)
			must(t, err)
			return won
		})
		if term != int64(cycle)+1 {
			t.Fatalf("cycle %d has term %d", cycle+1, term)
		}
		if cycle%10 == 0 {
			if n := locks(); n != 1 {
				t.Errorf("%d locks in cycle %d", n, cycle+1)
			}
		}
		must(t, leader.Close(t.Context()))
	}
	await.That(t, "no lock is left", func() bool { return locks() == 0 })
}

// dialLeader opens a connection for a leader until the test ends.
func dialLeader(t *testing.T, s *postgres.DB) *postgres.LeaderSession {
	t.Helper()
	leader, err := s.DialLeader(t.Context(), 5*time.Second)
	must(t, err)
	t.Cleanup(func() { _ = leader.Close(context.WithoutCancel(t.Context())) })
	return leader
}
