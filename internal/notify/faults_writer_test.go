package notify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/work"
)

const (
	faultJobs    = 20                     // at any time, in each world
	faultPace    = 200 * time.Millisecond // between two steps of a job, on average
	faultSteps   = 50                     // of a job, at most
	commitWithin = 5 * time.Second
)

// faultBoard is the jobs that are there at present: each place has one, and the
// next when that has ended.
type faultBoard struct {
	mu   sync.Mutex // guards jobs
	jobs []string   // "" in a place that has had none yet
}

func (b *faultBoard) put(place int, job string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs[place] = job
}

// pick returns up to n different jobs.
func (b *faultBoard) pick(rng *rand.Rand, n int) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var jobs []string
	for _, i := range rng.Perm(len(b.jobs)) {
		if len(jobs) < n && b.jobs[i] != "" {
			jobs = append(jobs, b.jobs[i])
		}
	}
	return jobs
}

// write has jobs in one place live one after the other until done is closed. The
// last one ends before it returns.
func (w *faultWorld) write(ctx context.Context, t testing.TB, rng *rand.Rand, place int, done <-chan struct{}) {
	for number := 0; ; number++ {
		job := fmt.Sprintf("job_%04x%08x", place, number)
		w.must(ctx, t, "add a job", func(ctx context.Context) (bool, error) {
			tag, err := w.server(rng).store.pool.Exec(ctx, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id)
				VALUES ($1, 'polarity', 'pending', 1) ON CONFLICT DO NOTHING`, job)
			return tag.Insert(), err
		})
		w.board.put(place, job)
		for range 5 + rng.IntN(faultSteps) {
			select {
			case <-done:
			case <-time.After(upTo(rng, 2*faultPace)):
				w.step(ctx, rng, job)
				continue
			}
			break
		}
		w.end(ctx, t, rng, job)
		w.ends.Add(1)
		select {
		case <-done:
			return
		default:
		}
	}
}

// step adds to the history of a job, and now and then on two servers at once.
// What fails is not repeated: it may have been committed all the same, as with
// any server whose connection is cut.
func (w *faultWorld) step(ctx context.Context, rng *rand.Rand, job string) {
	kinds := []work.EventKind{work.EventProgress}
	if rng.IntN(3) == 0 {
		kinds = append(kinds, work.EventStatus)
	}
	if rng.IntN(8) > 0 {
		_, _ = w.commit(ctx, w.server(rng), []string{job}, work.StatusPending, kinds...)
		return
	}
	var both sync.WaitGroup
	for _, s := range []*faultServer{w.server(rng), w.server(rng)} {
		both.Go(func() { _, _ = w.commit(ctx, s, []string{job}, work.StatusPending, kinds...) })
	}
	both.Wait()
}

// end ends a job, in a transaction with the status change as everywhere.
func (w *faultWorld) end(ctx context.Context, t testing.TB, rng *rand.Rand, job string) {
	status := []work.Status{work.StatusCompleted, work.StatusFailed, work.StatusCancelled}[rng.IntN(3)]
	w.must(ctx, t, "end a job", func(ctx context.Context) (bool, error) {
		s := w.server(rng)
		n, err := w.commit(ctx, s, []string{job}, status, work.EventStatus, work.EventKind(status))
		if err != nil || n > 0 {
			return n > 0, err
		}
		var over bool // by an attempt whose outcome was unknown
		err = s.store.pool.QueryRow(ctx, "SELECT completed_at IS NOT NULL FROM kg_api.jobs WHERE job_id = $1", job).Scan(&over)
		return over, err
	})
}

// must repeats what a broken connection prevents. Whatever else goes wrong goes
// wrong for ever, and ends with ctx.
func (w *faultWorld) must(ctx context.Context, t testing.TB, what string, try func(ctx context.Context) (bool, error)) {
	for {
		tryCtx, cancel := context.WithTimeout(ctx, commitWithin)
		done, err := try(tryCtx)
		cancel()
		if done && err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("%s: %v", what, err)
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// writeToAll adds a status change to all jobs with one statement, now and then,
// as who cancels many does.
func (w *faultWorld) writeToAll(ctx context.Context, rng *rand.Rand, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-time.After(upTo(rng, 2*time.Second)):
			_, _ = w.commit(ctx, w.server(rng), w.board.pick(rng, len(w.board.jobs)), work.StatusPending, work.EventStatus)
		}
	}
}

// commit adds events to those of the jobs that are not over, under the locks of
// their rows, and notifies of them as a server does. The payload says who did it. It
// returns how many events were added.
func (w *faultWorld) commit(ctx context.Context, s *faultServer, jobs []string, status work.Status, kinds ...work.EventKind) (n int, err error) {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	ctx, cancel := context.WithTimeout(ctx, commitWithin)
	defer cancel()
	rows, err := s.store.pool.Query(ctx, `WITH locked AS MATERIALIZED (
			SELECT job_id FROM kg_api.jobs WHERE job_id = ANY ($1) ORDER BY job_id FOR UPDATE
		), job AS (
			UPDATE kg_api.jobs j SET event_seq = event_seq + cardinality($2::text[]), status = $3,
				completed_at = CASE WHEN $3 <> 'pending' THEN clock_timestamp() END
			FROM locked WHERE j.job_id = locked.job_id AND j.completed_at IS NULL
			RETURNING j.job_id, event_seq - cardinality($2::text[]) AS before
		)
		INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
		SELECT job_id, before + n, kind, jsonb_build_object('by', $4::text)
		FROM job, unnest($2::text[]) WITH ORDINALITY AS added (kind, n) RETURNING job_id`, jobs, names, string(status), s.name)
	if err != nil {
		return 0, err
	}
	changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, err
	}
	s.committed(slices.Compact(changed)...)
	return len(changed), nil
}
