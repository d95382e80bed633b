package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

func TestQ47_ClaimWhilePinned(t *testing.T) {
	t.Parallel()
	checkPinnedClaim(t, 16_000)
}

func TestQ47_ClaimWhilePinned_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkPinnedClaim(t, 150_000)
}

// checkPinnedClaim has an old transaction pin the entries of ended claims, so that
// they are not removed. A claim that reads the whole index walks over all of them;
// one that begins where the last claim ended, and a count of the slots from the
// token floor on, touch about as many pages as when nothing is pinned.
func checkPinnedClaim(t *testing.T, deadClaims int) {
	t.Helper()
	dsn := pgtest.NewDSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	addPlanLane(t, conn)
	addJobs(t, conn, 0, deadClaims+1000, "'alpha'", "0")
	types := []string{"alpha"}
	unpinned, roomUnpinned := claimPages(t, conn, types, 100), pagesOf(t, conn, "CTE room", planRequest(types, 100))

	pin, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer pin.Close(t.Context())
	_, err = pin.Exec(t.Context(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM kg_api.worker_lanes")
	must(t, err)
	first, last, floor := endClaims(t, conn, deadClaims)
	_, err = conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
	must(t, err)

	whole, room := claimPages(t, conn, types, 100), pagesOf(t, conn, "CTE room", planRequest(types, 100))
	next := planRequest(types, 100)
	next.TokenFloor, next.After = floor, []work.ClaimPosition{last}
	after, roomFloor := pagesOf(t, conn, "CTE picked", next), pagesOf(t, conn, "CTE room", next)
	next.After = []work.ClaimPosition{first} // of who has not claimed since then, but others have
	stale := pagesOf(t, conn, "CTE picked", next)
	t.Logf("pages of a claim of 100: %d; with %d ended claims pinned %d, %d after the last position, %d after the first one",
		unpinned, deadClaims, whole, after, stale)
	t.Logf("pages of the count of slots: %d; pinned %d, and %d from the token floor", roomUnpinned, room, roomFloor)
	if whole < 10*unpinned || room < 10*(roomUnpinned+1) {
		t.Errorf("nothing is pinned: the test shows nothing")
	}
	if after > 2*unpinned {
		t.Errorf("a claim after the last position touches %d pages, want at most twice %d", after, unpinned)
	}
	if stale > 2*unpinned {
		t.Errorf("a claim after the latest one of others touches %d pages, want at most twice %d", stale, unpinned)
	}
	if roomFloor > maxClaimPages {
		t.Errorf("the count from the token floor touches %d pages, want at most %d", roomFloor, maxClaimPages)
	}
}

// endClaims claims the first deadClaims jobs and completes them but for the last,
// and returns the positions of the first and the last one, and the lowest token of
// the last ten.
func endClaims(t *testing.T, conn *pgx.Conn, deadClaims int) (first, last work.ClaimPosition, floor int64) {
	t.Helper()
	_, err := conn.Exec(t.Context(), `UPDATE kg_api.jobs j SET status = 'processing', lane = 'plans',
			claimed_by = '00000000-0000-4000-8000-00000000000a', claimed_at = now(), claim_token = first.token
		FROM (SELECT job_id, nextval('kg_api.claim_tokens') AS token
			FROM (SELECT job_id FROM kg_api.jobs ORDER BY created_at, job_id LIMIT $1) AS o) AS first
		WHERE j.job_id = first.job_id`, deadClaims)
	must(t, err)
	tag, err := conn.Exec(t.Context(), `UPDATE kg_api.jobs SET status = 'completed', completed_at = now()
		WHERE status = 'processing' AND claim_token < (SELECT max(claim_token) FROM kg_api.jobs)`)
	must(t, err)
	if tag.RowsAffected() != int64(deadClaims)-1 {
		t.Fatalf("%d jobs ended, want %d", tag.RowsAffected(), deadClaims-1)
	}
	position := "SELECT job_type, priority, user_id, created_at, job_id FROM kg_api.jobs WHERE claim_token IS NOT NULL ORDER BY claim_token "
	must(t, conn.QueryRow(t.Context(), position+"LIMIT 1").Scan(&first.JobType, &first.Priority, &first.UserID, &first.CreatedAt, &first.JobID))
	must(t, conn.QueryRow(t.Context(), position+"DESC LIMIT 1").Scan(&last.JobType, &last.Priority, &last.UserID, &last.CreatedAt, &last.JobID))
	must(t, conn.QueryRow(t.Context(), "SELECT max(claim_token) - 9 FROM kg_api.jobs").Scan(&floor))
	return first, last, floor
}
