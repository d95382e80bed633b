package postgres_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// TestLimitedPages reads how many pages a claim touches while ever more jobs wait for a limit
// that is full, and for one that has room: as many beside 20,000 as beside 1,000.
func TestLimitedPages(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	addPlanLane(t, conn)
	_, err = conn.Exec(t.Context(), `INSERT INTO kg_api.limits (scope, value, max_running, reason, set_by, applied)
		VALUES ('type', 'alpha', 1, 'r', 'bob', true), ('type', 'beta', 2, 'r', 'bob', true)`)
	must(t, err)
	addJobs(t, conn, 0, 2, "'alpha'", "0")
	if n := claimedOf(t, conn, "alpha"); n != 1 {
		t.Fatalf("claimed %d of a type that is limited to 1", n)
	}
	var pages []int
	have := 2
	for _, jobs := range []int{1_000, 20_000} {
		addJobs(t, conn, have, jobs, "CASE n % 2 WHEN 0 THEN 'alpha' ELSE 'beta' END", "0")
		have = jobs
		var held, found int
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.jobs WHERE held_by = 0").Scan(&held))
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.limited_jobs('{alpha,beta}', 16, '{}', NULL, true)").Scan(&found))
		if held != jobs-1 || found != 2 {
			t.Fatalf("%d of %d jobs are held, and %d may be claimed, want 2", held, jobs, found)
		}
		var plan map[string]any
		for range 2 { // the first one plans the function
			plan = explain(t, conn, "SELECT * FROM kg_api.limited_jobs('{alpha,beta}', 16, '{}', NULL, true)")
		}
		pages = append(pages, pagesIn(plan))
	}
	t.Logf("pages of a claim of what is limited: %d", pages)
	if most := slices.Max(pages); most > 80 {
		t.Errorf("a claim touches %v pages, want at most 80", pages)
	}
}

// claimedOf has a claim of the plan lane take jobs of a type, and returns how many.
func claimedOf(t *testing.T, conn *pgx.Conn, jobType string) int64 {
	t.Helper()
	var claim pgx.Batch
	claim.Queue(db.LaneLock, planLane)
	claim.Queue(postgres.ClaimSQL, postgres.ClaimArgs(planRequest([]string{jobType}, 10))...)
	results := conn.SendBatch(t.Context(), &claim)
	_, err := results.Exec()
	must(t, err)
	tag, err := results.Exec()
	must(t, err)
	must(t, results.Close())
	return tag.RowsAffected()
}
