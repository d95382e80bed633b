package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

// longJobTakes is how long a longJob would take.
const longJobTakes = time.Minute

// longJob is a job that waits in one step until it is stopped.
func longJob() work.NewJob {
	return work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":60000,"steps":1}`)}
}

// widen gives the lane of the test types as many slots.
func widen(t *testing.T, c *client.Client, slots int) {
	t.Helper()
	_, err := c.Workers.UpdateLane(t.Context(), "interactive", work.LaneUpdate{MaxSlots: &slots})
	check(t, err)
}

// runningJobs submits jobs, waits until they run, and returns their ids.
func runningJobs(t *testing.T, c *client.Client, n int, job work.NewJob) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		reply, err := c.Jobs.Submit(t.Context(), job)
		check(t, err)
		ids[i] = reply.JobID
	}
	for _, id := range ids {
		await(t, c, id, work.StatusProcessing)
	}
	return ids
}

// TestQ09_AStopBurnsNoAttempt asks a server to stop while it works on jobs that
// last longer than its grace. It does not wait for them (Q10), and another server
// goes on with each job before its lanes would poll, under a higher token and in the
// same attempt.
func TestQ09_AStopBurnsNoAttempt(t *testing.T) {
	t.Parallel()
	for _, grace := range []time.Duration{0, time.Second} {
		t.Run("a grace of "+grace.String(), func(t *testing.T) {
			t.Parallel()
			stopWhileJobsRun(t, grace)
		})
	}
}

// stopWhileJobsRun stops the first of two servers, and checks that the second one
// goes on with its jobs soon.
func stopWhileJobsRun(t *testing.T, grace time.Duration) {
	const jobs = 8
	dsn := newDSN(t)
	first := startChild(t, t.TempDir(), "DATABASE_URL="+dsn, "KG_TEST_TYPES=1", fmt.Sprintf("KG_DRAIN_SECONDS=%d", int(grace.Seconds())),
		"KG_POOL_JOBS=4", "KG_POOL_GRAPH=2", "KG_POOL_AUTH=2", "GORACE=atexit_sleep_ms=0")
	api := login(t, first.url)
	widen(t, api, jobs)
	seldomPolls(t, api)
	ids := runningJobs(t, api, jobs, longJob()) // it leads, for it is alone
	second := startServer(t, map[string]string{"DATABASE_URL": dsn})
	token := func(id string) int { return rows(t, dsn, "SELECT claim_token FROM kg_api.jobs WHERE job_id = $1", id) }
	before := make([]int, jobs)
	for i, id := range ids {
		before[i] = token(id)
	}
	told := time.Now()
	check(t, first.stop())
	if took := time.Since(told); took > longJobTakes/2 {
		t.Errorf("the server ended after %s", took)
	}
	for i, id := range ids {
		var job work.Job
		until(t, func() bool {
			var err error
			job, err = second.client.Jobs.Get(t.Context(), id)
			check(t, err)
			return job.Status == work.StatusProcessing && token(id) > before[i]
		}, func() string { return id + " was not picked up" })
		if job.Attempt != 1 || job.Retries != 0 {
			t.Errorf("%s is in attempt %d after %d retries", id, job.Attempt, job.Retries)
		}
	}
	waited := rows(t, dsn, `SELECT max(extract(epoch FROM h.claimed - h.at) * 1000)::int FROM (
		SELECT e.at, e.payload ->> 'status' AS status, lead(e.at) OVER (PARTITION BY e.job_id ORDER BY e.seq) AS claimed
		FROM kg_api.job_history e WHERE e.kind = 'status' AND e.job_id = ANY ($1) AND e.seq > 2) h WHERE h.status = 'approved'`, ids)
	t.Logf("the jobs waited for up to %d ms", waited)
	if waited := time.Duration(waited) * time.Millisecond; waited > seldomPoll/2 {
		t.Errorf("a job waited %s: nobody was notified", waited)
	}
}

// TestQ13_NoTwoProcessesAreOneWorker starts a server on another one's data
// directory, on the same machine: they are two workers, and neither touches what
// the other one has claimed.
func TestQ13_NoTwoProcessesAreOneWorker(t *testing.T) {
	t.Parallel()
	first := startServer(t, nil)
	ours := runningJobs(t, first.client, 1, work.NewJob{Type: work.TypeSleep, AutoApprove: true, Data: []byte(`{"ms":5000,"steps":50}`)})[0]
	second := startServer(t, map[string]string{"DATABASE_URL": first.dsn, "KG_DATA_DIR": first.dataDir})
	var ids []string
	until(t, func() bool {
		status, err := second.client.Workers.Status(t.Context())
		check(t, err)
		ids = nil
		for _, w := range status.Workers {
			ids = append(ids, w.ID)
		}
		return len(ids) == 2
	}, func() string { return "the workers are " + strings.Join(ids, ", ") })
	if ids[0] == ids[1] {
		t.Errorf("both workers are %s", ids[0])
	}
	deposed, deposedTerm := 0, -1
	leads := "SELECT coalesce(max(l.term), -1) FROM kg_api.leader l WHERE (l.worker_id::text = $1) = $2::bool"
	worker := claimants(t, first.dsn, ours)[0]
	until(t, func() bool {
		// The first one is deposed again when it was quicker, and it claims until it knows.
		if term := rows(t, first.dsn, leads, worker, true); term > deposedTerm {
			rows(t, first.dsn, "SELECT count(pg_terminate_backend(("+leaderBackend+")))")
			deposed, deposedTerm = deposed+1, term
		}
		return rows(t, first.dsn, leads, worker, false) > deposedTerm && strings.Count(first.logs.String(), "leadership lost") >= deposed
	}, func() string { return "the second server does not lead alone" })
	theirs, err := second.client.Jobs.Submit(t.Context(), work.NewJob{Type: work.TypeNoop, AutoApprove: true})
	check(t, err)
	var by []string
	for _, id := range []string{theirs.JobID, ours} {
		if job := await(t, first.client, id, work.StatusCompleted); job.Attempt != 1 {
			t.Errorf("%s took %d attempts", id, job.Attempt)
		}
		by = append(by, claimants(t, first.dsn, id)...)
	}
	if len(by) != 2 || by[0] == by[1] || !slices.Contains(ids, by[0]) || !slices.Contains(ids, by[1]) {
		t.Errorf("the jobs were claimed by %v, the workers are %v", by, ids)
	}
}

// claimants returns who claimed a job, in order.
func claimants(t *testing.T, dsn, id string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	found, err := conn.Query(t.Context(), `SELECT payload ->> 'claimed_by' FROM kg_api.job_history
		WHERE job_id = $1 AND payload ->> 'status' = 'processing' ORDER BY seq`, id)
	check(t, err)
	by, err := pgx.CollectRows(found, pgx.RowTo[string])
	check(t, err)
	return by
}

// TestQ15_ACancelReachesTheHandler cancels jobs that are within a step, in which
// they check nothing, and measures how soon they have ended: by the notification,
// and when that is lost by the heartbeat.
func TestQ15_ACancelReachesTheHandler(t *testing.T) {
	t.Parallel()
	const jobs = 8
	s := startServer(t, nil)
	widen(t, s.client, jobs)
	t.Run("by the wake-up", func(t *testing.T) {
		var took []time.Duration
		for range 4 {
			for _, id := range runningJobs(t, s.client, jobs, longJob()) {
				began := time.Now()
				_, err := s.client.Jobs.Cancel(t.Context(), id)
				check(t, err)
				took = append(took, await(t, s.client, id, work.StatusCancelled).CompletedAt.Sub(began))
			}
		}
		slices.Sort(took)
		t.Logf("cancelled after %s (median) to %s", took[len(took)/2], took[len(took)-1])
		if took[len(took)*3/4] > 200*time.Millisecond { // beside other tests, a quarter may be late
			t.Errorf("of %d cancels a quarter took longer than 200 ms: %s", len(took), took)
		}
	})
	t.Run("by the heartbeat", func(t *testing.T) {
		ids := runningJobs(t, s.client, jobs, longJob())
		began := time.Now()
		rows(t, s.dsn, "WITH asked AS (UPDATE kg_api.jobs SET cancel_requested = true WHERE job_id = ANY ($1) RETURNING 1) SELECT count(*) FROM asked", ids)
		var group sync.WaitGroup
		for _, id := range ids {
			group.Go(func() {
				if job := await(t, s.client, id, work.StatusCancelled); job.CompletedAt.Sub(began) > 2500*time.Millisecond {
					t.Errorf("%s was cancelled after %s", id, job.CompletedAt.Sub(began))
				}
			})
		}
		group.Wait()
	})
}
