package postgres_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestJobListPages reads the plans of pages at two sizes: what an index finds costs the same,
// and what none finds no more than what a page looks at.
func TestJobListPages(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	pages := func(from, to int) map[string]int {
		_, err := conn.Exec(t.Context(), fmt.Sprintf(`
			INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at, approved_at, approved_by, lane, claimed_by, claimed_at, claim_token, error, error_key, queue)
			SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'noop', s.status, 1, timestamptz '2026-01-01' + n * interval '1 second',
				CASE WHEN s.status IN ('completed', 'failed', 'cancelled') THEN timestamptz '2026-02-01' + n * interval '1 second' END, now(), 'test', 'plans', gen_random_uuid(), now(), n,
				CASE WHEN s.status = 'failed' THEN 'call ' || n || ' timed out' END, CASE WHEN s.status = 'failed' THEN 'call # timed out' END, CASE WHEN n < 300 THEN 'rare' ELSE 'default' END
			FROM generate_series(%d, %d) n CROSS JOIN LATERAL (SELECT CASE WHEN n %% 400 = 0 THEN 'failed' WHEN n %% 400 = 1 THEN 'awaiting_approval' WHEN n %% 400 = 2 THEN 'approved'
				WHEN n %% 400 = 3 THEN 'cancelled' WHEN n > 4000 AND n < 4050 THEN 'processing' ELSE 'completed' END AS status) s`, from, to-1))
		must(t, err)
		_, err = conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
		must(t, err)
		cost := map[string]int{}
		for _, query := range []string{
			"", "sort=oldest", "status=failed", "dead=true", "status=awaiting_approval", "status=approved,failed,cancelled", "status=processing", "status=failed,processing,completed",
			"waits_for=slot", "submitted_from=2026-01-01T00:05:00Z&submitted_to=2026-01-01T00:10:00Z&job_type=sleep", "error_key=call %23 timed out", "job_type=noop", "lane=plans",
		} {
			plan := explainList(t, conn, query)
			if scansJobs(plan) {
				t.Errorf("%q of %d jobs scans the whole table", query, to)
			}
			cost[query] = pagesIn(plan)
		}
		return cost
	}
	small := pages(0, 10_000)
	large := pages(10_000, 40_000)
	for query, n := range large {
		if n > 2*small[query]+60 || n > 900 {
			t.Errorf("%q: %d pages of 10,000 jobs and %d of 40,000", query, small[query], n)
		}
	}
	t.Log(small, large)
	if plan := explain(t, conn, postgres.AllErrors, "", 200); scansJobs(plan) {
		t.Error("what has failed is grouped by a scan of the whole table")
	}
}

// explainList returns the plan of the first page of a list.
func explainList(t *testing.T, conn *pgx.Conn, query string) map[string]any {
	t.Helper()
	words, err := url.ParseQuery(query)
	must(t, err)
	f, err := work.ParseJobFilter(words)
	must(t, err)
	f.Limit = 50
	must(t, f.Validate())
	sql, args := postgres.JobPageSQL(f)
	return explain(t, conn, sql, args...)
}
