package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// The controls of this file prove that the predicates of the fence are needed:
// each is taken out of each statement, one at a time, and a scenario in which
// nothing else protects the job must then see the stale write accepted. A
// predicate without such a scenario would be one that no test holds in place.

// mutant runs one statement with another text.
type mutant struct {
	db.DBTX
	original, text string
}

func (m mutant) rewrite(sql string) string {
	if sql == m.original {
		return m.text
	}
	return sql
}

func (m mutant) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return m.DBTX.Query(ctx, m.rewrite(sql), args...)
}

func (m mutant) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return m.DBTX.QueryRow(ctx, m.rewrite(sql), args...)
}

// without takes the one comparison that the pattern finds out of a statement.
// The parameter of the comparison stays, for PostgreSQL must know its type.
func without(t *testing.T, sql, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatchIndex(sql, -1)
	if len(found) != 1 {
		t.Fatalf("the statement has the predicate %s %d times, want once:\n%s", pattern, len(found), sql)
	}
	at := found[0]
	operand := sql[at[2]:at[3]]
	return sql[:at[0]] + operand + " IS NOT NULL" + sql[at[1]:]
}

// fencedWrite is a statement that a worker runs for its claim.
type fencedWrite struct {
	sql   string
	write func(ctx context.Context, q *db.Queries, c work.Claim) error // pgx.ErrNoRows when refused
}

var progress = []byte(`{"stage":"late"}`)

// fencedWrites returns the statements behind which every write for a job goes.
func fencedWrites() map[string]fencedWrite {
	return map[string]fencedWrite{
		"JobFinish": {db.JobFinish, func(ctx context.Context, q *db.Queries, c work.Claim) error {
			rows, err := q.JobFinish(ctx, db.JobFinishParams{
				Worker: c.Worker, JobIds: []string{c.JobID}, Tokens: []int64{c.Token}, Statuses: []string{"completed"},
				Results: []string{"{}"}, Errors: []string{""}, DelaysMs: []int64{0}, Retries: []int32{0},
			})
			if err == nil && len(rows) == 0 {
				return pgx.ErrNoRows
			}
			return err
		}},
		"JobCheckpoint": {db.JobCheckpoint, func(ctx context.Context, q *db.Queries, c work.Claim) error {
			_, err := q.JobCheckpoint(ctx, db.JobCheckpointParams{JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, Progress: progress})
			return err
		}},
		"JobEffect": {db.JobEffect, func(ctx context.Context, q *db.Queries, c work.Claim) error {
			_, err := q.JobEffect(ctx, db.JobEffectParams{JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, Step: "1", Progress: progress})
			return err
		}},
		"JobFence": {db.JobFence, func(ctx context.Context, q *db.Queries, c work.Claim) error {
			_, err := q.JobFence(ctx, c.JobID, c.Token, c.Worker)
			return err
		}},
		"IngestionDocument": {db.IngestionDocument, func(ctx context.Context, q *db.Queries, c work.Claim) error {
			_, err := q.IngestionDocument(ctx, c.JobID, c.Token, c.Worker)
			return err
		}},
	}
}

// fencePredicate is a comparison of the fence, and how a worker comes by a
// stale claim that this comparison alone tells from the current one.
type fencePredicate struct {
	pattern string
	zombie  func(t *testing.T, s *postgres.DB, dsn string) work.Claim
}

func fencePredicates() map[string]fencePredicate {
	return map[string]fencePredicate{
		"claim_token": {`\bj\.claim_token = (\S+)`, zombieOfAnEarlierAttempt},
		"claimed_by":  {`\bj\.claimed_by = (\S+)`, zombieWithTheSameToken},
		"status":      {`\bj\.status = ('processing'|e\.held)`, zombieOfAReleasedJob},
	}
}

// zombieOfAnEarlierAttempt gives a job back and claims it again by the same
// worker: the first claim is stale.
func zombieOfAnEarlierAttempt(t *testing.T, s *postgres.DB, _ string) work.Claim {
	zombie := zombieOfAReleasedJob(t, s, "")
	if again := claim(t, s, workerA, 1); len(again) != 1 || again[0].JobID != zombie.JobID {
		t.Fatalf("claimed %v again, want %s", ids(again), zombie.JobID)
	}
	return zombie
}

// zombieWithTheSameToken sets the sequence back, as a crash does that lost its
// last numbers: another worker gets the token of the first one.
func zombieWithTheSameToken(t *testing.T, s *postgres.DB, dsn string) work.Claim {
	register(t, s, workerB)
	zombie := zombieOfAReleasedJob(t, s, "")
	execSQL(t, dsn, "SELECT setval('kg_api.claim_tokens', $1, false)", zombie.Token)
	again := claim(t, s, workerB, 1)
	if len(again) != 1 || again[0].JobID != zombie.JobID || again[0].Token != zombie.Token {
		t.Fatalf("claimed %+v again, want %s with token %d", again, zombie.JobID, zombie.Token)
	}
	return zombie
}

// zombieOfAReleasedJob claims a job and gives it back; the row keeps its last
// token and worker.
func zombieOfAReleasedJob(t *testing.T, s *postgres.DB, _ string) work.Claim {
	register(t, s, workerA)
	submit(t, s, "polarity")
	claims := claim(t, s, workerA, 1)
	if len(claims) != 1 {
		t.Fatalf("claimed %v, want one job", ids(claims))
	}
	back, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: claims[0], Status: work.StatusApproved}})
	must(t, err)
	if len(back) != 1 {
		t.Fatal("the job was not given back")
	}
	return claims[0]
}

// TestM01_EachFencePredicateIsNeeded takes each predicate of the fence out of
// each fenced statement.
func TestM01_EachFencePredicateIsNeeded(t *testing.T) {
	t.Parallel()
	for statement, w := range fencedWrites() {
		for name, p := range fencePredicates() {
			t.Run(fmt.Sprintf("%s without %s accepts a stale write", statement, name), func(t *testing.T) {
				t.Parallel()
				s, dsn := newStore(t)
				conn, err := pgx.Connect(t.Context(), dsn)
				must(t, err)
				defer conn.Close(t.Context())
				zombie := p.zombie(t, s, dsn)
				if err := w.write(t.Context(), db.New(conn), zombie); !errors.Is(err, pgx.ErrNoRows) {
					t.Errorf("the statement as it is: %v, want no row", err)
				}
				mutated := mutant{conn, w.sql, without(t, w.sql, p.pattern)}
				if err := w.write(t.Context(), db.New(mutated), zombie); err != nil {
					t.Errorf("without %s: %v, want the stale write accepted: nothing shows that the predicate is needed", name, err)
				}
			})
		}
	}
}

// TestM01_HeartbeatPredicatesAreNeeded takes each predicate out of the renewal
// of a lease: a worker whose lease is gone would then go on.
func TestM01_HeartbeatPredicatesAreNeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pattern, lose string }{
		"worker_id":   {`\bw\.worker_id = (\S+)`, "UPDATE kg_api.workers SET worker_id = '" + workerB + "' WHERE worker_id = $1"},
		"state":       {`\bw\.state = ('live')`, "UPDATE kg_api.workers SET state = 'dead' WHERE worker_id = $1"},
		"lease_until": {`\bw\.lease_until > (clock_timestamp\(\))`, "UPDATE kg_api.workers SET lease_until = clock_timestamp() WHERE worker_id = $1"},
	} {
		t.Run("without "+name+" a lost lease is renewed", func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			conn, err := pgx.Connect(t.Context(), dsn)
			must(t, err)
			defer conn.Close(t.Context())
			register(t, s, workerA)
			if _, err := db.New(conn).WorkerHeartbeat(t.Context(), time.Minute, workerA); err != nil {
				t.Fatalf("a live worker: %v", err)
			}
			execSQL(t, dsn, c.lose, workerA)
			if _, err := db.New(conn).WorkerHeartbeat(t.Context(), time.Minute, workerA); !errors.Is(err, pgx.ErrNoRows) {
				t.Errorf("the statement as it is: %v, want no row", err)
			}
			mutated := mutant{conn, db.WorkerHeartbeat, without(t, db.WorkerHeartbeat, c.pattern)}
			if _, err := db.New(mutated).WorkerHeartbeat(t.Context(), time.Minute, workerA); err != nil {
				t.Errorf("without %s: %v, want the lease renewed: nothing shows that the predicate is needed", name, err)
			}
		})
	}
}

// TestM07_LeaderTermsAreNeeded takes the term out of what only the leader may
// do: a deposed one would then take jobs back.
func TestM07_LeaderTermsAreNeeded(t *testing.T) {
	t.Parallel()
	const deposed = 41
	for name, c := range map[string]struct {
		sql     string
		prepare string // makes the job one that the leader takes back
		take    func(ctx context.Context, q *db.Queries) (int, error)
	}{
		"JobRescue": {db.JobRescue, "UPDATE kg_api.workers SET state = 'dead'", func(ctx context.Context, q *db.Queries) (int, error) {
			rows, err := q.JobRescue(ctx, db.JobRescueParams{Term: deposed, CrashWindow: time.Hour, Quarantine: 3, MaxJobs: 10})
			return len(rows), err
		}},
		"JobStale": {db.JobStale, "UPDATE kg_api.jobs SET progress_at = now() - interval '1 day'", func(ctx context.Context, q *db.Queries) (int, error) {
			rows, err := q.JobStale(ctx, deposed, 10)
			return len(rows), err
		}},
	} {
		t.Run(name+" without the term lets a deposed leader act", func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			conn, err := pgx.Connect(t.Context(), dsn)
			must(t, err)
			defer conn.Close(t.Context())
			register(t, s, workerA)
			submit(t, s, "polarity")
			claim(t, s, workerA, 1)
			execSQL(t, dsn, c.prepare)
			if n, err := c.take(t.Context(), db.New(conn)); n != 0 || err != nil {
				t.Errorf("the statement as it is took %d jobs back, %v; want none", n, err)
			}
			mutated := mutant{conn, c.sql, without(t, c.sql, `\bt\.term = (\S+)`)}
			if n, err := c.take(t.Context(), db.New(mutated)); n != 1 || err != nil {
				t.Errorf("without the term it took %d jobs back, %v; want 1: nothing shows that the predicate is needed", n, err)
			}
		})
	}
}
