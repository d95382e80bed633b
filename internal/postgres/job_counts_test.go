package postgres_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// countsHold reports when the counts of jobs are not those of a recount.
func countsHold(t *testing.T, s *postgres.DB, conn *pgx.Conn, after string) {
	t.Helper()
	counted := map[work.Status]int{}
	rows, err := conn.Query(t.Context(), "SELECT status, count(*) FROM kg_api.jobs GROUP BY status")
	must(t, err)
	var status string
	var jobs int
	_, err = pgx.ForEachRow(rows, []any{&status, &jobs}, func() error {
		counted[work.Status(status)] = jobs
		return nil
	})
	must(t, err)
	kept, err := s.Figures().JobCounts(t.Context())
	must(t, err)
	for status, n := range work.AllStatuses(counted) {
		if kept[status] != n {
			t.Fatalf("after %s: %d jobs are %s, and %d are counted", after, n, status, kept[status])
		}
	}
}

// TestJobCounts has jobs end in all ways, and go again, in a random order: the counts are
// always those of a recount.
func TestJobCounts(t *testing.T) {
	t.Parallel()
	checkJobCounts(t, 120)
}

func TestJobCounts_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkJobCounts(t, 300)
}

func checkJobCounts(t *testing.T, steps int) {
	t.Helper()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	remoteOne := remoteWorker(t, s, "counts", workerB)
	random := rand.New(rand.NewPCG(36, 11))
	any1 := func(from string) (id string) {
		must(t, conn.QueryRow(t.Context(), "SELECT coalesce((SELECT job_id FROM kg_api.jobs WHERE "+from+" ORDER BY md5(job_id || $1::int) LIMIT 1), '')", random.IntN(1<<30)).Scan(&id))
		return id
	}
	ends := []work.Status{work.StatusCompleted, work.StatusFailed, work.StatusApproved}
	acts := []struct {
		name string
		act  func()
	}{
		{"a submission", func() { submit(t, s, "polarity") }},
		{"a submission", func() { submit(t, s, "exec", remote("q", 0)) }},
		{"a job that awaits approval", func() { submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false }) }},
		{"ends of attempts", func() {
			var outcomes []work.Outcome
			for _, c := range claim(t, s, workerA, 2) {
				o := work.Outcome{Claim: c, Status: ends[random.IntN(len(ends))]}
				if random.IntN(4) == 0 {
					_, err := s.Jobs().Cancel(t.Context(), c.JobID)
					must(t, err)
				}
				outcomes = append(outcomes, o)
			}
			_, err := s.Claims().Finish(t.Context(), workerA, outcomes)
			must(t, err)
		}},
		{"ends of remote runs", func() {
			var outcomes []work.RunOutcome
			for _, r := range claimRemote(t, s, remoteOne, 3, "q") {
				outcomes = append(outcomes, work.RunOutcome{RunKey: r.RunKey, Status: ends[random.IntN(len(ends))]})
			}
			_, err := s.Remote().Finish(t.Context(), outcomes)
			must(t, err)
		}},
		{"a cancel", func() {
			if id := any1("status IN ('approved', 'awaiting_approval')"); id != "" {
				_, err := s.Jobs().Cancel(t.Context(), id)
				must(t, err)
			}
		}},
		{"a purge", func() {
			if id := any1("status <> 'processing'"); id != "" {
				must(t, s.Jobs().Purge(t.Context(), id, false))
			}
		}},
		{"an older job", func() { aged(t, dsn, random.IntN(1<<40), work.StatusFailed, 300) }},
		{"pruning", func() { prune(t, s, 2) }},
		{"a deletion of many", func() {
			if random.IntN(10) == 0 {
				_, err := s.Jobs().BulkDelete(t.Context(), work.JobSelection{Status: work.StatusCancelled}, false)
				must(t, err)
			}
		}},
		{"a job that is opened again", func() {
			run(t, conn, "UPDATE kg_api.jobs SET status = 'approved', completed_at = NULL, end_seq = NULL, event_seq = event_seq + 10, approved_at = now(), approved_by = 'x' WHERE job_id = $1", any1("status = 'failed'"))
		}},
		{"truncating", func() {
			if random.IntN(20) == 0 {
				run(t, conn, "TRUNCATE kg_api.jobs CASCADE")
			}
		}},
	}
	for range steps {
		a := acts[random.IntN(len(acts))]
		a.act()
		if random.IntN(3) == 0 {
			_, err := s.Retention().FoldJobCounts(t.Context())
			must(t, err)
		}
		countsHold(t, s, conn, a.name)
	}
	off, err := s.Retention().RecountJobs(t.Context(), 0)
	if err != nil || off != 0 {
		t.Errorf("the counts were off by %d: %v", off, err)
	}
}

// TestJobsThatWereNotCounted recounts what was written past the counts.
func TestJobsThatWereNotCounted(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	run(t, conn, "SET session_replication_role = replica")
	run(t, conn, "INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, completed_at) SELECT 'job_' || lpad(n::text, 12, '0'), 'x', 'completed', 1, now() FROM generate_series(1, 5) n")
	found, err := s.Checks().CheckGraph(t.Context(), "job-counts")
	if err != nil || found.Broken != 1 {
		t.Errorf("the check finds %+v, %v", found, err)
	}
	off, err := s.Retention().RecountJobs(t.Context(), 0)
	if err != nil || off != 5 {
		t.Errorf("the counts were off by %d, want 5: %v", off, err)
	}
	countsHold(t, s, conn, "a recount")
}

// TestJobCountsAreFoldedMeanwhile folds while jobs end, from two places at once.
func TestJobCountsAreFoldedMeanwhile(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for folding := true; folding; {
				select {
				case <-ended:
					folding = false
				default:
				}
				if _, err := s.Retention().FoldJobCounts(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 200 {
		run(t, conn, "INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, completed_at) VALUES ('job_' || lpad($1::int::text, 12, '0'), 'x', 'completed', 1, now())", n)
	}
	close(ended)
	all.Wait()
	countsHold(t, s, conn, "200 ends")
}
