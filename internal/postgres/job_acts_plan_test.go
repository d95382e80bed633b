package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// TestActPlans reads the plans of the statements that act on a part of many jobs, in a table
// that was never analyzed and in one that was: each goes to its jobs by their ids.
func TestActPlans(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, approved_at, approved_by, due, run_at)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'noop', CASE n % 3 WHEN 0 THEN 'awaiting_approval' ELSE 'approved' END, 1, now() - n * interval '1 second', now(), 'test', n % 3 = 1, now() + interval '1 hour'
		FROM generate_series(1, 6000) n`)
	must(t, err)
	var ids []string
	for n := range 500 {
		ids = append(ids, fmt.Sprintf("job_%012x", 1+n*11))
	}
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			_, err := conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
			must(t, err)
		}
		for name, plan := range map[string]map[string]any{
			"JobsApprove":      explain(t, conn, db.JobsApprove, ids, "test", false, nil, nil),
			"JobsCancel":       explain(t, conn, db.JobsCancel, ids),
			"JobsRunNow":       explain(t, conn, db.JobsRunNow, ids, work.QuarantineCrashes, work.CrashWindow),
			"JobsMove":         explain(t, conn, db.JobsMove, ids, "q"),
			"JobsReprioritize": explain(t, conn, db.JobsReprioritize, ids, 1),
			"JobsPurge":        explain(t, conn, db.JobsPurge, ids, false),
			"JobStates":        explain(t, conn, db.JobStates, ids),
			"JobBudgets":       explain(t, conn, db.JobBudgets, ids),
		} {
			if scansJobs(plan) {
				t.Errorf("%s reads all jobs (analyzed: %t)", name, analyzed)
			}
			t.Logf("%s, analyzed %t: %d pages", name, analyzed, pagesIn(plan))
		}
	}
}
