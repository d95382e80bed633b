package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestLimitsShortWay has a claim that may take the short way find what the long way finds, in the
// same order, in states of few types, queues, owners and limits.
func TestLimitsShortWay(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "INSERT INTO kg_api.users (id, username, role) VALUES (2, 'two', 'contributor')")
	must(t, err)
	chance := rand.New(rand.NewPCG(1, 2))
	short, found := 0, 0
	for state := range 150 {
		tx, err := conn.Begin(t.Context())
		must(t, err)
		types, owners, queues, most := 1+chance.IntN(2), 1+chance.IntN(2), 1+chance.IntN(2), 1+chance.IntN(6)
		if state%2 == 0 {
			types, owners, queues = 1, 1, 1
		}
		_, err = tx.Exec(t.Context(), fmt.Sprintf(`INSERT INTO kg_api.limits (scope, value, max_running, reason, set_by, applied)
			SELECT 'type', t, %d, 'r', 'bob', true FROM unnest('{alpha,beta}'::text[]) AS t`, 1+chance.IntN(12)))
		must(t, err)
		for n := range chance.IntN(14) {
			_, err = tx.Exec(t.Context(), `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, queue, priority, created_at, approved_at, approved_by)
				VALUES ('job_' || lpad(to_hex($1::int), 12, '0'), $2, 'approved', $3, $4, $5, now() + make_interval(secs => $6), now(), 'test')`,
				n, []string{"alpha", "beta"}[chance.IntN(types)], 1+chance.IntN(owners), []string{"default", "other"}[chance.IntN(queues)], chance.IntN(3), chance.IntN(5))
			must(t, err)
		}
		_, err = tx.Exec(t.Context(), `UPDATE kg_api.jobs SET status = 'processing', lane = 'interactive', held_by = NULL, due = true, attempt = 1,
			claimed_by = gen_random_uuid(), claimed_at = now(), claim_token = nextval('kg_api.claim_tokens') WHERE job_id < 'job_00000000000' || $1::text`, fmt.Sprint(chance.IntN(4)))
		must(t, err)
		_, err = tx.Exec(t.Context(), "SELECT kg_api.lock_limits('{alpha,beta}')")
		must(t, err)
		const way = "SELECT array_agg(g.job_id ORDER BY g.n) FROM ROWS FROM (kg_api.%s('{alpha,beta}', $1, '{}', NULL, true)) WITH ORDINALITY AS g (place, job_id, priority, user_id, created_at, position, limited, n)"
		var got, want []string
		must(t, tx.QueryRow(t.Context(), fmt.Sprintf(way, "limited_jobs"), most).Scan(&got))
		must(t, tx.QueryRow(t.Context(), fmt.Sprintf(way, "limited_jobs_of_groups"), most).Scan(&want))
		if !slices.Equal(got, want) {
			t.Errorf("state %d: of at most %d jobs the short way finds %q, the long way %q", state, most, got, want)
		}
		if found += len(got); types*owners*queues == 1 && len(got) == most {
			short++
		}
		must(t, tx.Rollback(t.Context()))
	}
	if short < 10 || found < 100 {
		t.Errorf("%d states had room in one group, and %d jobs were found: the test tests little", short, found)
	}
}
