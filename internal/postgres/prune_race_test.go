package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TestQ11_AForgottenWorkerLeavesNoJob has a worker claim, and its transaction stay
// open for so long that the leader takes the worker for dead and forgets it: for
// it holds no job that anybody could see. When the claim is committed after all,
// its job has a worker that is in no table.
func TestQ11_AForgottenWorkerLeavesNoJob(t *testing.T) {
	t.Parallel()
	// late claims so, and returns the job, which runs for nobody.
	late := func(t *testing.T) (job work.Job, dsn string) {
		t.Helper()
		s, dsn := newStore(t)
		register(t, s, workerA)
		job = submit(t, s, "polarity")
		claimer := connect(t, dsn)
		run(t, claimer, "BEGIN")
		run(t, claimer, `UPDATE kg_api.jobs SET status = 'processing', lane = 'interactive', attempt = 1, claimed_by = $1, claimed_at = clock_timestamp(),
			claim_token = nextval('kg_api.claim_tokens'), event_seq = event_seq + 1, claim_seq = event_seq + 1`, workerA)
		execSQL(t, dsn, "UPDATE kg_api.workers SET state = 'dead', lease_until = now() - interval '2 hours'")
		if taken := rescue(t, dsn, db.JobRescue); len(taken) != 0 {
			t.Errorf("a rescue took %v before the claim was there", taken)
		}
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.workers"); n != 0 {
			t.Errorf("%d workers are left: the race is not there", n)
		}
		run(t, claimer, "COMMIT")
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs WHERE status = 'processing'"); n != 1 {
			t.Fatalf("%d jobs are claimed", n)
		}
		return job, dsn
	}
	t.Run("the next rescue takes it back", func(t *testing.T) {
		t.Parallel()
		job, dsn := late(t)
		if taken := rescue(t, dsn, db.JobRescue); taken[job.ID] != work.StatusApproved {
			t.Errorf("the rescue took %v", taken)
		}
	})
	t.Run("a rescue that looks for dead workers only never does", func(t *testing.T) {
		t.Parallel()
		_, dsn := late(t)
		blind := replaced(t, db.JobRescue, `FROM kg_api\.jobs j LEFT JOIN kg_api\.workers w`, "FROM kg_api.jobs j JOIN kg_api.workers w")
		if taken := rescue(t, dsn, blind); len(taken) != 0 {
			t.Errorf("it took %v: nothing shows that the outer join is needed", taken)
		}
	})
	t.Run("a worker that holds a job is not forgotten", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		submit(t, s, "polarity")
		claim(t, s, workerA, 1)
		execSQL(t, dsn, "UPDATE kg_api.workers SET state = 'dead', lease_until = now() - interval '2 hours'")
		must(t, db.New(connect(t, dsn)).WorkerReap(t.Context(), 0))
		if n := number(t, dsn, "SELECT count(*) FROM kg_api.workers"); n != 1 {
			t.Error("it was")
		}
	})
}
