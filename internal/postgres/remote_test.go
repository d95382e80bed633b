package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// remoteWorker connects a worker.
func remoteWorker(t *testing.T, s *postgres.DB, identity, id string) work.RemoteConnection {
	t.Helper()
	// Nothing renews the lease, and a test may take longer than the minute that a worker has.
	opened, err := s.Remote().Connect(t.Context(), work.RemoteHello{Identity: identity, WorkerID: id, Name: "test", Lease: time.Hour})
	must(t, err)
	return opened.RemoteConnection
}

// remote makes a submission one for remote workers.
func remote(queue string, priority int) func(*work.NewJob) {
	return func(j *work.NewJob) { j.Queue, j.Priority, j.Remote = queue, priority, true }
}

// claimRemote claims as a slot group does whose list may end in *.
func claimRemote(t *testing.T, s *postgres.DB, c work.RemoteConnection, demand int, queues ...string) []work.RemoteRun {
	t.Helper()
	claimed, err := s.Remote().Claim(t.Context(), remoteClaim(c, demand, queues...))
	must(t, err)
	return claimed[0].Runs
}

func remoteClaim(c work.RemoteConnection, demand int, queues ...string) work.RemoteClaimRequest {
	named, others := queues, false
	if n := len(queues); queues[n-1] == "*" {
		named, others = queues[:n-1], true
	}
	return work.RemoteClaimRequest{
		Groups: []work.RemoteSlots{{RemoteConnection: c, Group: "g", Most: demand}}, Types: []string{"exec"}, Queues: named, Others: others,
		Spare: 16, Reserve: 15 * time.Second, Inline: 1 << 18,
	}
}

// TestRW04_Order has the order of claims, row by row.
func TestRW04_Order(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "order", workerA)
	conn := connect(t, dsn)
	for _, c := range []struct {
		queues   string
		priority int // of E
		lock     string
		demand   int
		want     string
	}{
		{"fast_lane", 0, "", 1, "C"},
		{"manual fast_lane", 0, "", 1, "BDC"},
		{"*", 0, "", 1, "ABCDE"},
		{"manual *", 0, "", 1, "BDACE"},
		{"fast_lane manual *", 0, "", 1, "CBDAE"},
		{"nosuch", 0, "", 1, ""},
		{"nosuch *", 0, "", 1, "ABCDE"},
		{"*", 5, "", 1, "EABCD"},
		{"manual *", 5, "", 1, "BDEAC"},
		{"manual *", 0, "B", 1, "DACE"},
		{"manual *", 0, "", 3, "BDACE"},
		{"manual manual *", 0, "", 2, "BDACE"},
	} {
		_, err := conn.Exec(t.Context(), "DELETE FROM kg_api.jobs")
		must(t, err)
		names, jobs := map[string]string{}, map[string]string{}
		for i, queue := range []string{"default", "manual", "fast_lane", "manual", "bulk"} {
			name, priority := string(rune('A'+i)), 0
			if name == "E" {
				priority = c.priority
			}
			job := submit(t, s, "exec", remote(queue, priority))
			names[job.ID], jobs[name] = name, job.ID
		}
		tx, err := connect(t, dsn).Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "SELECT 1 FROM kg_api.jobs WHERE job_id = $1 FOR UPDATE", jobs[c.lock])
		must(t, err)
		var got strings.Builder
		for {
			runs := claimRemote(t, s, w, c.demand, strings.Fields(c.queues)...)
			if len(runs) == 0 {
				break
			}
			for _, r := range runs {
				got.WriteString(names[r.JobID])
			}
		}
		must(t, tx.Rollback(t.Context()))
		if got.String() != c.want {
			t.Errorf("%s, E with priority %d, %q locked, demand %d: %s, want %s", c.queues, c.priority, c.lock, c.demand, got.String(), c.want)
		}
	}
}

// TestRW04_Claims compares claims of random backlogs with the rule of the order, and
// claims many at once, of which none may get a job twice.
func TestRW04_Claims(t *testing.T) {
	t.Parallel()
	checkRemoteClaims(t, 12)
}

func checkRemoteClaims(t *testing.T, backlogs int) {
	t.Helper()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "model", workerA)
	conn := connect(t, dsn)
	random := rand.New(rand.NewPCG(4, 17))
	all := []string{"default", "manual", "fast_lane", "bulk", "other"}
	for range backlogs {
		_, err := conn.Exec(t.Context(), "DELETE FROM kg_api.jobs")
		must(t, err)
		var backlog []work.Job
		for range 1 + random.IntN(12) {
			backlog = append(backlog, submit(t, s, "exec", remote(all[random.IntN(len(all))], random.IntN(3)-1)))
		}
		queues := slices.Clone(all)
		random.Shuffle(len(queues), func(i, j int) { queues[i], queues[j] = queues[j], queues[i] })
		queues = queues[:random.IntN(4)]
		if len(queues) == 0 || random.IntN(2) == 0 {
			queues = append(queues, "*")
		}
		want := inClaimOrder(backlog, queues)
		if random.IntN(3) == 0 { // many at once
			var mu sync.Mutex
			got := map[string]int{}
			together(8, func(int) {
				for {
					claimed, err := s.Remote().Claim(context.WithoutCancel(t.Context()), remoteClaim(w, 1+rand.IntN(3), queues...))
					if err != nil || len(claimed[0].Runs) == 0 {
						return
					}
					mu.Lock()
					for _, r := range claimed[0].Runs {
						got[r.JobID]++
					}
					mu.Unlock()
				}
			})
			for _, id := range want {
				if got[id] != 1 {
					t.Fatalf("%v: job %s was given %d times", queues, id, got[id])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%v: %d jobs were given, want %d", queues, len(got), len(want))
			}
			continue
		}
		var got []string
		for {
			request := remoteClaim(w, 1+random.IntN(4), queues...)
			for range random.IntN(3) { // groups that get what comes after it
				request.Groups = append(request.Groups, work.RemoteSlots{RemoteConnection: w, Group: "h", Most: 1 + random.IntN(4)})
			}
			claimed, err := s.Remote().Claim(t.Context(), request)
			must(t, err)
			for i, c := range claimed {
				if demand := request.Groups[i].Most; len(c.Runs) > demand {
					t.Fatalf("%d jobs for a demand of %d", len(c.Runs), demand)
				}
				for _, r := range c.Runs {
					got = append(got, r.JobID)
				}
			}
			if len(claimed[0].Runs) == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", queues, got, want)
		}
	}
}

// TestRemoteClaimTogether claims for several groups at once: each gets what it would
// have got if it had claimed after the one before it, as its own reservation, and a
// worker that may not claim takes nothing from the others.
func TestRemoteClaimTogether(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	one, two := remoteWorker(t, s, "one", workerA), remoteWorker(t, s, "two", workerB)
	old, drains := one, remoteWorker(t, s, "three", "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d22")
	old.Generation--
	conn := connect(t, dsn)
	_, err := conn.Exec(t.Context(), "UPDATE kg_api.workers SET draining = true WHERE worker_id = $1", drains.WorkerID)
	must(t, err)
	var ids []string
	for range 6 {
		ids = append(ids, submit(t, s, "exec", remote("q", 0)).ID)
	}
	request := remoteClaim(one, 2, "q")
	request.Groups = []work.RemoteSlots{
		{RemoteConnection: two, Group: "a", Most: 2},
		{RemoteConnection: old, Group: "b", Most: 2},
		{RemoteConnection: one, Group: "c", Most: 1},
		{RemoteConnection: drains, Group: "d", Most: 2},
		{RemoteConnection: two, Group: "e", Most: 9},
		{RemoteConnection: one, Group: "f", Most: 1},
	}
	claimed, err := s.Remote().Claim(t.Context(), request)
	must(t, err)
	want := [][]string{ids[:2], nil, ids[2:3], nil, ids[3:], nil}
	for i, c := range claimed {
		slots := request.Groups[i]
		var got []string
		for _, r := range c.Runs {
			got = append(got, r.JobID)
			var group string
			var generation int64
			must(t, conn.QueryRow(t.Context(), `SELECT c.group_key, c.generation FROM kg_api.run_claims c JOIN kg_api.jobs j USING (claim_token)
				WHERE c.claim_token = $1 AND c.worker_id = $2 AND j.claimed_by = $2 AND j.job_id = $3`, r.Token, slots.WorkerID, r.JobID).Scan(&group, &generation))
			if r.Worker != slots.WorkerID || group != slots.Group || generation != slots.Generation {
				t.Errorf("%+v of %+v is kept for group %s of generation %d", r.RunKey, slots, group, generation)
			}
		}
		if !slices.Equal(got, want[i]) || c.Stale != (slots.Group == "b" || slots.Group == "d") {
			t.Errorf("group %s got %v, stale %v; want %v", slots.Group, got, c.Stale, want[i])
		}
	}
	if claimed, err = s.Remote().Claim(t.Context(), request); err != nil || claimed[0].Stale || len(claimed[0].Runs) != 0 {
		t.Errorf("an empty queue gave %+v, %v", claimed[0], err)
	}
}

// inClaimOrder is the rule: position, priority, creation.
func inClaimOrder(backlog []work.Job, queues []string) []string {
	place := func(j work.Job) int {
		if i := slices.Index(queues, j.Queue); i >= 0 {
			return i
		}
		if slices.Contains(queues, "*") {
			return len(queues)
		}
		return -1
	}
	jobs := slices.DeleteFunc(slices.Clone(backlog), func(j work.Job) bool { return place(j) < 0 })
	slices.SortStableFunc(jobs, func(a, b work.Job) int {
		if d := place(a) - place(b); d != 0 {
			return d
		}
		return b.Priority - a.Priority
	})
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}

// TestRemoteRun follows a run through what may become of it.
func TestRemoteRun(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	w := remoteWorker(t, s, "runs", workerA)
	conn := connect(t, dsn)
	next := func(t *testing.T, change ...func(*work.NewJob)) work.RemoteRun {
		t.Helper()
		submit(t, s, "exec", append([]func(*work.NewJob){remote("q", 0)}, change...)...)
		runs := claimRemote(t, s, w, 1, "q")
		if len(runs) != 1 {
			t.Fatalf("claimed %d jobs, want 1", len(runs))
		}
		return runs[0]
	}
	finish := func(t *testing.T, r work.RemoteRun, o work.RunOutcome) work.Status {
		t.Helper()
		o.RunKey = r.RunKey
		done, err := s.Remote().Finish(t.Context(), []work.RunOutcome{o})
		must(t, err)
		return done[r.Token].Status
	}
	outcome := func(t *testing.T, r work.RemoteRun) string {
		t.Helper()
		state, err := s.Remote().RunState(t.Context(), "runs", r.JobID, r.Token)
		must(t, err)
		return state.Outcome
	}
	attempt := func(t *testing.T, id string) (attempt, retries int) {
		t.Helper()
		job, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		return job.Attempt, job.Retries
	}

	t.Run("is confirmed and completes, once", func(t *testing.T) {
		r := next(t)
		confirmed, err := s.Remote().Confirm(t.Context(), []work.RunKey{r.RunKey, {JobID: r.JobID, Token: r.Token + 1, Worker: workerA}})
		must(t, err)
		if len(confirmed) != 1 || confirmed[r.Token].JobID != r.JobID {
			t.Fatalf("confirmed %v", confirmed)
		}
		if got := finish(t, r, work.RunOutcome{Seq: 2, Status: work.StatusCompleted}); got != "" {
			t.Errorf("an event that is not the next one has made the job %s", got)
		}
		if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusCompleted, Result: []byte(`{"n":1}`)}); got != work.StatusCompleted {
			t.Errorf("the job is %q, want completed", got)
		}
		if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusFailed}); got != "" {
			t.Errorf("a repeated event has made the job %s", got)
		}
		checkHistory(t, s, r.JobID)
		if outcome(t, r) != "completed" {
			t.Errorf("outcome %q", outcome(t, r))
		}
	})

	t.Run("stores checkpoints in order", func(t *testing.T) {
		r := next(t)
		save := func(seq int64) error {
			return s.Remote().Checkpoint(t.Context(), r.RunKey, seq, work.Checkpoint{State: []byte(fmt.Sprintf(`{"n":%d}`, seq)), Emit: true})
		}
		must(t, save(1))
		if err := save(1); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("a repeated checkpoint: %v", err)
		}
		if err := save(3); !errors.Is(err, kappa.ErrStale) {
			t.Errorf("a checkpoint after a gap: %v", err)
		}
		must(t, save(2))
		if got := finish(t, r, work.RunOutcome{Seq: 3, Status: work.StatusApproved, Counted: true, Error: "again", Outcome: "failed"}); got != work.StatusApproved {
			t.Errorf("the job is %q, want approved", got)
		}
		runs := claimRemote(t, s, w, 1, "q")
		if len(runs) != 1 || string(runs[0].Checkpoint) != `{"n": 2}` || runs[0].Attempt != 2 {
			t.Errorf("the next attempt got %+v", runs)
		}
		finish(t, runs[0], work.RunOutcome{Seq: 1, Status: work.StatusCompleted})
	})

	t.Run("is failed by a retry too many", func(t *testing.T) {
		r := next(t, func(j *work.NewJob) { j.MaxRetries = 0 })
		if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusApproved, Counted: true, Error: "no"}); got != work.StatusFailed {
			t.Errorf("the job is %q, want failed", got)
		}
		checkHistory(t, s, r.JobID)
	})

	t.Run("is cancelled whatever its worker says", func(t *testing.T) {
		r := next(t)
		_, err := s.Jobs().Cancel(t.Context(), r.JobID)
		must(t, err)
		if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusFailed, Error: "x"}); got != work.StatusCancelled {
			t.Errorf("the job is %q, want cancelled", got)
		}
		checkHistory(t, s, r.JobID)
	})

	t.Run("goes back with its attempt when nobody confirms it", func(t *testing.T) {
		r := next(t)
		kept := next(t)
		_, err := s.Remote().Confirm(t.Context(), []work.RunKey{kept.RunKey})
		must(t, err)
		_, err = conn.Exec(t.Context(), "UPDATE kg_api.run_claims SET reserved_until = now() WHERE ended_at IS NULL")
		must(t, err)
		sweep, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
		must(t, err)
		n, err := s.Remote().Expire(t.Context(), 100)
		must(t, err)
		after, err := s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
		must(t, err)
		if !sweep.Overdue || after.Overdue {
			t.Errorf("a sweep says overdue %v, and %v when it was taken back", sweep.Overdue, after.Overdue)
		}
		if n != 1 || outcome(t, r) != "expired" || outcome(t, kept) != "" {
			t.Errorf("%d expired: %q, and the confirmed one %q", n, outcome(t, r), outcome(t, kept))
		}
		if a, retries := attempt(t, r.JobID); a != 0 || retries != 0 {
			t.Errorf("attempt %d, retries %d", a, retries)
		}
		for i := range work.MaxExpired - 1 {
			if runs := claimRemote(t, s, w, 1, "q"); len(runs) != 1 {
				t.Fatalf("it is not offered again, %d", i)
			}
			_, err = conn.Exec(t.Context(), "UPDATE kg_api.run_claims SET reserved_until = now() WHERE ended_at IS NULL AND confirmed_at IS NULL")
			must(t, err)
			_, err = s.Remote().Expire(t.Context(), 100)
			must(t, err)
		}
		if got := status(t, s, r.JobID); got != work.StatusFailed {
			t.Errorf("the job is %s after %d reservations, want failed", got, work.MaxExpired)
		}
		finish(t, kept, work.RunOutcome{Seq: 1, Status: work.StatusCompleted})
	})

	t.Run("counts releases from the sixth on", func(t *testing.T) {
		r := next(t)
		for i := 1; i <= 7; i++ {
			if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusApproved, Outcome: work.RunReleased}); got != work.StatusApproved {
				t.Fatalf("release %d: %q", i, got)
			}
			if _, retries := attempt(t, r.JobID); retries != max(0, i-5) {
				t.Errorf("after release %d the job has %d retries", i, retries)
			}
			r = claimRemote(t, s, w, 1, "q")[0]
		}
		finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusCompleted})
	})

	t.Run("is another's after a rescue", func(t *testing.T) {
		r := next(t)
		_, err := conn.Exec(t.Context(), "UPDATE kg_api.jobs SET status = 'approved', claimed_by = NULL WHERE job_id = $1", r.JobID)
		must(t, err)
		confirmed, err := s.Remote().Confirm(t.Context(), []work.RunKey{r.RunKey})
		must(t, err)
		if got := finish(t, r, work.RunOutcome{Seq: 1, Status: work.StatusCompleted}); got != "" || len(confirmed) != 0 {
			t.Errorf("confirmed %v, and the job %q", confirmed, got)
		}
		_, err = conn.Exec(t.Context(), "UPDATE kg_api.run_claims SET created_at = created_at - interval '5 seconds'")
		must(t, err)
		n, err := s.Remote().EndUnheld(t.Context())
		must(t, err)
		if n != 1 || outcome(t, r) != "fenced" {
			t.Errorf("%d claims ended, outcome %q", n, outcome(t, r))
		}
	})
}

// TestRW17_Generation says that what an older connection does changes nothing.
func TestRW17_Generation(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	first := remoteWorker(t, s, "same", workerA)
	submit(t, s, "exec", remote("q", 0))
	second := remoteWorker(t, s, "same", workerB)
	if second.WorkerID != first.WorkerID || second.Generation != first.Generation+1 {
		t.Fatalf("%+v after %+v", second, first)
	}
	if claimed, err := s.Remote().Claim(t.Context(), remoteClaim(first, 1, "q")); err != nil || !claimed[0].Stale || len(claimed[0].Runs) != 0 {
		t.Errorf("an older connection claimed %v (%v)", claimed, err)
	}
	must(t, s.Remote().Disconnect(t.Context(), first))
	if live, err := s.Remote().Extend(t.Context(), []work.RemoteConnection{first}); err != nil || len(live) != 0 {
		t.Errorf("an older connection renewed the lease: %v, %v", live, err)
	}
	if live, err := s.Remote().Extend(t.Context(), []work.RemoteConnection{second}); err != nil || len(live) != 1 {
		t.Errorf("the latest connection renewed nothing: %v, %v", live, err)
	}
	if runs := claimRemote(t, s, second, 1, "q"); len(runs) != 1 {
		t.Errorf("the latest connection claimed %v", runs)
	}
	if err := s.Remote().Join(t.Context(), first, work.RemoteProfile{}); !errors.Is(err, kappa.ErrLeaseLost) {
		t.Errorf("an older connection joined: %v", err)
	}
}

// TestRemoteMarks says what waits, and that a private cluster's start leaves remote
// workers alone.
func TestRemoteMarks(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for _, queue := range []string{"b", "a", "b", "c"} {
		submit(t, s, "exec", remote(queue, 0))
	}
	submit(t, s, "polarity")
	marks, err := s.Remote().Marks(t.Context())
	must(t, err)
	if want := []work.WaitingPair{{JobType: "exec", Queue: "a"}, {JobType: "exec", Queue: "b"}, {JobType: "exec", Queue: "c"}}; !slices.Equal(marks, want) {
		t.Errorf("%v, want %v", marks, want)
	}
	w := remoteWorker(t, s, "away", workerA)
	must(t, s.Workers().DeclareDead(t.Context()))
	if live, err := s.Remote().Extend(t.Context(), []work.RemoteConnection{w}); err != nil || len(live) != 1 {
		t.Errorf("a remote worker was declared dead: %v, %v", live, err)
	}
}

// TestRemoteClaimPages reads the plan of a claim by queue: the pages that it touches to
// find and lock a job do not depend on how many wait in other queues.
func TestRemoteClaimPages(t *testing.T) {
	t.Parallel()
	checkRemoteClaimPages(t, 1_000, 5_000)
}

func TestRemoteClaimPages_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkRemoteClaimPages(t, 1_000, 100_000, 1_000_000)
}

const maxRemoteClaimPages = 25

func checkRemoteClaimPages(t *testing.T, waiting ...int) {
	t.Helper()
	for name, c := range map[string]struct {
		queue  string // SQL of job number n
		queues []string
		others bool
	}{
		"another queue":                {"CASE WHEN n = 500 THEN 'fast_lane' ELSE 'bulk' END", []string{"fast_lane"}, false},
		"an empty queue":               {"'bulk'", []string{"fast_lane"}, false},
		"one of two":                   {"CASE WHEN n = 500 THEN 'manual' ELSE 'bulk' END", []string{"fast_lane", "manual"}, false},
		"the preferred one":            {"'manual'", []string{"manual"}, true},
		"the others":                   {"'bulk'", []string{"manual"}, true},
		"all":                          {"(ARRAY['a','b','c'])[n % 3 + 1]", []string{}, true},
		"few named before many others": {"CASE WHEN n % 1000 = 0 THEN 'manual' ELSE 'bulk' END", []string{"manual"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			w := remoteWorker(t, s, "pages", workerA)
			conn := connect(t, dsn)
			var pages []int
			have := 0
			for _, jobs := range waiting {
				_, err := conn.Exec(t.Context(), fmt.Sprintf(`
					INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, approved_at, approved_by, remote, queue)
					SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'exec', 'approved', 1, now(), 'test', true, %s
					FROM generate_series(%d, %d) AS n`, c.queue, have, jobs-1))
				must(t, err)
				_, err = conn.Exec(t.Context(), "VACUUM ANALYZE kg_api.jobs")
				must(t, err)
				have = jobs
				plan := explain(t, conn, postgres.RemoteClaimSQL, []string{w.WorkerID}, []int64{w.Generation}, []string{"g"}, []int{1},
					[]string{"exec"}, c.queues, c.others, 4, "15 seconds", 1000, []int32{}, math.MaxInt32, 64)
				if scansJobs(plan) {
					t.Error("the claim scans the whole table")
				}
				pages = append(pages, pagesIn(subplan(plan, "CTE picked")))
			}
			t.Logf("pages of a claim at %d approved jobs: %d", waiting, pages)
			if most := slices.Max(pages); most > maxRemoteClaimPages {
				t.Errorf("a claim touches %v pages, want at most %d", pages, maxRemoteClaimPages)
			}
		})
	}
}
