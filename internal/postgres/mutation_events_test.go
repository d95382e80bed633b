package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// TestM06_GlobalEventNumbersHideEvents stores progress of one job from two
// transactions at once, of which the one that began first commits last. Numbered
// under the lock of the job's row, the events become visible in their order. With
// numbers from a sequence, as a global feed has them, the later number is visible
// first, and a reader who goes on after it never sees the other one.
func TestM06_GlobalEventNumbersHideEvents(t *testing.T) {
	t.Parallel()
	global := replaced(t, db.JobCheckpoint, `UPDATE kg_api\.jobs j\s+SET [^;]*?WHERE j\.job_id`,
		`SELECT j.job_id, nextval('kg_api.claim_tokens') + 100 AS event_seq, j.cancel_requested, $1::jsonb AS checkpoint, $3::int AS emit
			FROM kg_api.jobs j WHERE j.job_id`)
	global = replaced(t, global, `\s+RETURNING j\.job_id, j\.event_seq, j\.cancel_requested\s`, "\n")
	t.Run("as it is, the second one waits for the first", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		second := connect(t, dsn)
		_, err := whileOpen(t, dsn,
			func(tx pgx.Tx) error { return report(t.Context(), tx, c) },
			func() (bool, error) { return true, report(t.Context(), second, c) })
		must(t, err)
		checkHistory(t, s, job.ID)
	})
	t.Run("with global numbers a reader misses the first", func(t *testing.T) {
		t.Parallel()
		s, dsn := newStore(t)
		register(t, s, workerA)
		job := submit(t, s, "polarity")
		c := claim(t, s, workerA, 1)[0]
		after := func(seq int) (n, last int) {
			return number(t, dsn, "SELECT count(*) FROM kg_api.job_events WHERE job_id = $1 AND seq > $2", job.ID, seq),
				number(t, dsn, "SELECT coalesce(max(seq), 0) FROM kg_api.job_events WHERE job_id = $1", job.ID)
		}
		_, read := after(0)
		seen := 0
		must(t, pgx.BeginFunc(t.Context(), connect(t, dsn), func(tx pgx.Tx) error {
			if err := report(t.Context(), mutant{tx, db.JobCheckpoint, global}, c); err != nil {
				return err
			}
			must(t, report(t.Context(), mutant{connect(t, dsn), db.JobCheckpoint, global}, c))
			seen, read = after(read)
			return nil
		}))
		more, _ := after(read)
		if seen+more != 1 {
			t.Errorf("a reader saw %d and then %d of 2 events: nothing shows that they must be numbered under the job's lock", seen, more)
		}
	})
}
