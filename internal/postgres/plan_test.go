package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// maxClaimPages is what finding and locking one job may touch, for a lane of up
// to four types; each further type adds one descent of the index, 4 pages.
const maxClaimPages = 25

// planLane is a lane with room for any claim of the tests that read plans.
const planLane = "plans"

// likeTheStore sets a transaction as the store's connections are set, and as a
// prepared statement runs for long.
const likeTheStore = `SET LOCAL plan_cache_mode = 'force_generic_plan'; SET LOCAL enable_hashjoin = off;
	SET LOCAL enable_mergejoin = off; SET LOCAL random_page_cost = 1.1; SET LOCAL jit = off`

func TestQ48_ClaimPages(t *testing.T) {
	t.Parallel()
	checkClaimPages(t, 1_000, 5_000)
}

func TestQ48_ClaimPages_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkClaimPages(t, 1_000, 100_000, 1_000_000)
}

// checkClaimPages reads the plan of a claim of one job: how many pages it touches
// to find and lock it must not depend on how many jobs wait, nor on how they are
// spread over types and priorities. Pages are the measure, for they do not depend
// on the machine.
func checkClaimPages(t *testing.T, waiting ...int) {
	t.Helper()
	types := []string{"alpha", "beta", "gamma", "delta"}
	for name, shape := range map[string]struct {
		jobType, priority string // SQL of job number n
		claim             []string
	}{
		"one type":                  {"'alpha'", "0", types[:1]},
		"four types":                {"(ARRAY['alpha','beta','gamma','delta'])[n % 4 + 1]", "0", types[:4]},
		"one type rare":             {"CASE WHEN n % 1000 = 0 THEN 'beta' ELSE 'alpha' END", "0", types[1:2]},
		"a rare type beside others": {"CASE WHEN n % 1000 = 0 THEN 'beta' ELSE 'alpha' END", "0", types[:3]},
		"priorities mixed":          {"(ARRAY['alpha','beta','gamma'])[n % 3 + 1]", "(n % 201 * 79) % 201 - 100", types[:3]},
		"types that nobody submits": {"'alpha'", "0", types[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
			must(t, err)
			defer conn.Close(t.Context())
			addPlanLane(t, conn)
			var pages []int
			have := 0
			for _, jobs := range waiting {
				addJobs(t, conn, have, jobs, shape.jobType, shape.priority)
				have = jobs
				pages = append(pages, claimPages(t, conn, shape.claim, 1))
			}
			t.Logf("pages of a claim at %d approved jobs: %d", waiting, pages)
			if most := slices.Max(pages); most > maxClaimPages {
				t.Errorf("a claim touches %v pages, want at most %d", pages, maxClaimPages)
			}
		})
	}
}

// TestClaimPlan makes sure that no claim of a connection is planned for its
// arguments: that would take longer than the claim, under the lock of the lane.
func TestClaimPlan(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	addPlanLane(t, conn)
	for range 3 {
		var claim pgx.Batch
		claim.Queue(db.LaneLock, planLane)
		claim.Queue(postgres.ClaimSQL, postgres.ClaimArgs(planRequest([]string{"alpha"}, 1))...)
		must(t, conn.SendBatch(t.Context(), &claim).Close())
	}
	var generic, custom int
	must(t, conn.QueryRow(t.Context(), "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", postgres.ClaimSQL).
		Scan(&generic, &custom))
	if generic != 3 || custom != 0 {
		t.Errorf("of 3 claims %d had the plan for any arguments and %d one for theirs", generic, custom)
	}
}

// TestEventsPages reads the plan of a look at the events of a few jobs: it goes
// to each of them, however many others there are.
func TestEventsPages(t *testing.T) {
	t.Parallel()
	checkEventsPages(t, 5_000)
}

func TestEventsPages_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkEventsPages(t, 20_000)
}

func checkEventsPages(t *testing.T, jobs int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	addJobs(t, conn, 0, jobs, "'alpha'", "0")
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.job_events (job_id, seq, kind, payload) SELECT job_id, 1, 'status', '{}' FROM kg_api.jobs;
		UPDATE kg_api.jobs SET status = 'completed', lane = 'plans', claimed_at = now(), completed_at = now(), event_seq = 4, claim_seq = 2, end_seq = 3;
		ANALYZE kg_api.jobs, kg_api.job_events`)
	must(t, err)
	read := explain(t, conn, db.JobEvents, []string{"job_000000000001", "job_000000000999"}, []int64{0, 2}, 100)
	if rows, _ := read["Actual Rows"].(float64); rows != 4+2 {
		t.Errorf("%v events, want 6", rows)
	}
	if pages := pagesIn(read); pages > 40 {
		t.Errorf("the events of two jobs touch %d pages, want at most 40", pages)
	}
}

func TestQ08_DuePages(t *testing.T) {
	t.Parallel()
	checkDuePages(t, 6_000)
}

func TestQ08_DuePages_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkDuePages(t, 1_100_000)
}

// checkDuePages reads the plans of the query for jobs that are due, which the
// scheduler asks every other second at least: it goes to the suspects, and to what
// waits for its time, however many jobs wait for a slot or have ended, and however
// many of them have crashed. Every eleventh job has ended.
func checkDuePages(t *testing.T, jobs int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	// Where a changed row goes is not to depend on when autovacuum came by.
	_, err = conn.Exec(t.Context(), "ALTER TABLE kg_api.jobs SET (autovacuum_enabled = false)")
	must(t, err)
	addJobs(t, conn, 0, jobs, "'alpha'", "0")
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`
		UPDATE kg_api.jobs SET status = 'failed', completed_at = now(), crash_count = 3, crash_since = now() WHERE right(job_id, 1) = '0' AND job_id < '%[1]s';
		UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE status = 'approved' AND job_id < '%[1]s';
		UPDATE kg_api.jobs SET crash_count = 1, crash_since = now() WHERE status = 'approved' AND right(job_id, 3) = '000';
		UPDATE kg_api.jobs SET due = false, run_at = now() + interval '1 hour' WHERE status = 'approved' AND right(job_id, 3) = '001'`,
		fmt.Sprintf("job_%012x", jobs/11)))
	must(t, err)
	var pages [][2]int
	for _, suspects := range []int{0, 15} {
		_, err = conn.Exec(t.Context(), `UPDATE kg_api.jobs SET due = false, crash_count = 2, crash_since = now() WHERE job_id IN (
			SELECT j.job_id FROM kg_api.jobs j WHERE j.status = 'approved' AND right(j.job_id, 2) = '02' ORDER BY j.job_id LIMIT $1)`, suspects)
		must(t, err)
		_, err = conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
		must(t, err)
		due := explain(t, conn, db.JobDue, work.QuarantineCrashes, work.CrashWindow, work.SuspectTurn)
		next := explain(t, conn, db.JobNextRun, 2000, 250, work.QuarantineCrashes, work.CrashWindow)
		if scansJobs(due) || scansJobs(next) {
			t.Errorf("a look scans the whole table: %v, %v", due, next)
		}
		pages = append(pages, [2]int{pagesIn(due), pagesIn(next)})
	}
	t.Logf("pages to make jobs due and to find the next time, with no suspect and with 15 that wait: %v", pages)
	if pages[0][0] > 10 || pages[0][1] > 10 || pages[1][0] > 80 || pages[1][1] > 50 {
		t.Errorf("a look touches %v pages, want at most 10 of each without suspects, and 80 and 50 with 15 of them", pages)
	}
}

func addPlanLane(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(t.Context(), "INSERT INTO kg_api.worker_lanes (name, job_types, max_slots) VALUES ($1, '{alpha,beta,gamma,delta}', 1000)", planLane)
	must(t, err)
}

// addJobs stores approved jobs number from to to-1.
func addJobs(t *testing.T, conn *pgx.Conn, from, to int, jobType, priority string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), fmt.Sprintf(`
		INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, priority, approved_at, approved_by)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), %s, 'approved', 1, %s, now(), 'test'
		FROM generate_series(%d, %d) AS n`, jobType, priority, from, to-1))
	must(t, err)
	_, err = conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
	must(t, err)
}

// claimPages returns how many pages a claim touches to find and lock its jobs.
func claimPages(t *testing.T, conn *pgx.Conn, types []string, most int) int {
	t.Helper()
	return pagesOf(t, conn, "CTE picked", planRequest(types, most))
}

// pagesOf returns how many pages a part of a claim touches, as the store's
// connections run it, with all that the part reads from. It fails when the claim
// scans the table, or claims nothing. The claim is rolled back.
func pagesOf(t *testing.T, conn *pgx.Conn, part string, r work.ClaimRequest) int {
	t.Helper()
	plan := explain(t, conn, postgres.ClaimSQL, postgres.ClaimArgs(r)...)
	if scansJobs(plan) {
		t.Errorf("the claim scans the whole table: %v", plan)
	}
	found := subplan(plan, part)
	if found == nil {
		t.Fatalf("the plan has no part %s: %v", part, plan)
	}
	return pagesIn(found)
}

// explain runs a statement as the store's connections run it, rolls it back, and
// returns its plan: the one for any arguments.
func explain(t *testing.T, conn *pgx.Conn, sql string, args ...any) map[string]any {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	must(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), likeTheStore+"; PREPARE explained AS "+sql)
	must(t, err)
	defer tx.Exec(t.Context(), "DEALLOCATE explained")
	places := make([]string, len(args))
	for i := range args {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	execute := "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained"
	if len(args) > 0 {
		execute += " (" + strings.Join(places, ", ") + ")"
	}
	var raw []byte
	must(t, tx.QueryRow(t.Context(), execute, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...).Scan(&raw))
	var plans []struct{ Plan map[string]any }
	must(t, json.Unmarshal(raw, &plans))
	return plans[0].Plan
}

// pagesIn returns how many pages a part of a plan touched.
func pagesIn(part map[string]any) int {
	hit, _ := part["Shared Hit Blocks"].(float64)
	read, _ := part["Shared Read Blocks"].(float64)
	return int(hit + read)
}

// leaves returns the parts of a plan that read from tables, indexes and functions: those without
// parts of their own, but for scans of a CTE, which is a part itself.
func leaves(plan map[string]any) []map[string]any {
	parts, _ := plan["Plans"].([]any)
	if len(parts) == 0 && plan["Node Type"] != "CTE Scan" {
		return []map[string]any{plan}
	}
	var found []map[string]any
	for _, p := range parts {
		if part, ok := p.(map[string]any); ok {
			found = append(found, leaves(part)...)
		}
	}
	return found
}

// planRequest is a look at the whole index.
func planRequest(types []string, most int) work.ClaimRequest {
	return work.ClaimRequest{Lane: planLane, Worker: workerA, Types: types, Most: most}
}

// subplan returns the part of a plan with a name; it contains the parts that it
// reads from.
func subplan(plan map[string]any, name string) map[string]any {
	if plan["Subplan Name"] == name {
		return plan
	}
	parts, _ := plan["Plans"].([]any)
	for _, p := range parts {
		if part, ok := p.(map[string]any); ok {
			if found := subplan(part, name); found != nil {
				return found
			}
		}
	}
	return nil
}

// scansJobs reports a sequential scan of the jobs in a plan.
func scansJobs(plan map[string]any) bool {
	if plan["Node Type"] == "Seq Scan" && plan["Relation Name"] == "jobs" {
		return true
	}
	parts, _ := plan["Plans"].([]any)
	return slices.ContainsFunc(parts, func(p any) bool {
		part, ok := p.(map[string]any)
		return ok && scansJobs(part)
	})
}
