package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	waiting "github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/work"
)

// actedJobs are so many that a job acts on them.
const actedJobs = 3 * work.MaxActedAtOnce

// failedJobs stores so many failed jobs in a database, whose ids rise with their age.
func failedJobs(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `INSERT INTO kg_api.jobs (job_id, job_type, status, queue, priority, user_id, is_system, run_at, due, error, started_at, completed_at, created_at, max_retries, event_seq)
		SELECT 'job_' || lpad(to_hex(i), 12, '0'), 'noop', 'failed', 'default', 0, u.id, false, now(), true, 'broken', now(), now(), now() - interval '1 hour' + i * interval '1 second', 3, 1
		FROM generate_series(1, $1) i, kg_api.users u WHERE u.username = 'admin'`, actedJobs)
	check(t, err)
}

// failedID returns the id of one of failedJobs, counted from 1.
func failedID(n int) string { return fmt.Sprintf("job_%012x", n) }

// TestServerIsKilledInAnAct kills the server that acts on many jobs with -9, in the middle of
// a part: another one goes on. Each job is submitted again once, those that have changed
// meanwhile are refused, and it is one act in the audit.
func TestServerIsKilledInAnAct(t *testing.T) {
	t.Parallel()
	ctx, dsn := t.Context(), newDSN(t)
	settings := map[string]string{"DATABASE_URL": dsn, "KG_TEST_LEASE_SECONDS": "3"}
	first := startChild(t, t.TempDir(), "DATABASE_URL="+dsn, "KG_TEST_TYPES=1", "KG_TEST_LEASE_SECONDS=3")
	conn, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer conn.Close(ctx)
	failedJobs(t, conn)
	// A lock has the act wait within a part in the middle.
	lock, err := pgx.Connect(ctx, dsn)
	check(t, err)
	defer lock.Close(ctx)
	tx, err := lock.Begin(ctx)
	check(t, err)
	_, err = tx.Exec(ctx, "SELECT 1 FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE", failedID(actedJobs/2+7))
	check(t, err)
	api := login(t, first.url)
	act := work.JobAct{Act: work.ActRetry, Filter: work.JobFilter{Type: "noop", Statuses: []work.Status{work.StatusFailed}}, Expect: new(int64(actedJobs))}
	reply, err := api.Jobs.Act(ctx, act)
	check(t, err)
	if reply.JobID == nil || reply.Selected != actedJobs {
		t.Fatalf("the act is %+v", reply)
	}
	second := startServer(t, settings)
	waiting.That(t, "the act waits for the lock", func() bool {
		return rows(t, dsn, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'") == 1
	})
	first.kill()
	done := rows(t, dsn, "SELECT coalesce(sum(done), 0) FROM kg_api.job_action_parts WHERE action_id = $1", *reply.JobID)
	if done == 0 || done >= actedJobs/2+7 {
		t.Fatalf("%d jobs were submitted again when the server was killed", done)
	}
	var changed []string
	for i := range 5 {
		changed = append(changed, failedID(actedJobs-7*i))
	}
	_, err = conn.Exec(ctx, "UPDATE kg_api.jobs SET status = 'completed', error = NULL WHERE job_id = ANY($1)", changed)
	check(t, err)
	check(t, tx.Rollback(ctx))

	job := await(t, second.client, *reply.JobID, work.StatusCompleted)
	if job.Attempt != 2 {
		t.Errorf("it took %d attempts, want 2", job.Attempt)
	}
	wantActed(t, second, *reply.JobID, changed)
	entries, err := second.client.Users.Audit(ctx, access.AuditFilter{Action: "job", Limit: 500})
	check(t, err)
	if len(entries) != 1 || entries[0].Action != "job.retry" || entries[0].ObjectID != *reply.JobID {
		t.Errorf("recorded %+v, want the act alone", entries)
	}
}

// wantActed wants each of failedJobs submitted again once, but those that have changed, and
// what became of each told.
func wantActed(t *testing.T, s *testServer, id string, changed []string) {
	t.Helper()
	told := map[string]work.ActOutcome{}
	for cursor := ""; ; {
		page, err := s.client.Jobs.ActStatus(t.Context(), id, "", cursor, 500)
		check(t, err)
		if page.Done != int64(actedJobs-len(changed)) || page.Refused != int64(len(changed)) || page.Open != 0 {
			t.Fatalf("%d were done, %d refused, %d are open", page.Done, page.Refused, page.Open)
		}
		for _, o := range page.Outcomes {
			if _, twice := told[o.JobID]; twice {
				t.Errorf("%s is told of twice", o.JobID)
			}
			told[o.JobID] = o
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if len(told) != actedJobs {
		t.Errorf("%d jobs are told of, want %d", len(told), actedJobs)
	}
	for jobID, o := range told {
		refused := slices.Contains(changed, jobID)
		if refused && (o.Outcome != work.OutcomeRefused || !strings.Contains(o.Reason, "completed") || o.NewID != "") || !refused && (o.Outcome != work.OutcomeDone || o.NewID == "") {
			t.Errorf("of %s it is told %+v", jobID, o)
		}
	}
	again := rows(t, s.dsn, "SELECT count(*) FROM kg_api.jobs WHERE retry_of IS NOT NULL")
	of := rows(t, s.dsn, "SELECT count(DISTINCT retry_of) FROM kg_api.jobs WHERE retry_of IS NOT NULL")
	if want := actedJobs - len(changed); again != want || of != want {
		t.Errorf("%d jobs were submitted again, for %d, want %d", again, of, want)
	}
	known := rows(t, s.dsn, `SELECT count(*) FROM kg_api.job_action_parts p, jsonb_to_recordset(p.outcomes) AS o (job_id text, new_job_id text)
		JOIN kg_api.jobs j ON j.job_id = o.new_job_id AND j.retry_of = o.job_id WHERE p.action_id = $1`, id)
	if known != again {
		t.Errorf("of %d jobs that were submitted again %d are those that are told of", again, known)
	}
}
