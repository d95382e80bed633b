package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestWaitFacts brings a job into each state that the database tells of, and asks why it
// does not run.
func TestWaitFacts(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	ask := func(id string) work.JobWait {
		t.Helper()
		job, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		facts, err := s.Jobs().WaitFacts(t.Context(), job)
		must(t, err)
		return facts.Explain()
	}
	want := func(id string, code work.WaitCode) work.JobWait {
		t.Helper()
		w := ask(id)
		if w.Code != code {
			t.Errorf("got %s (%s), want %s", w.Code, w.Reason, code)
		}
		return w
	}
	set := func(u work.LaneUpdate) {
		t.Helper()
		_, err := s.Lanes().UpdateLane(t.Context(), "interactive", u)
		must(t, err)
	}

	first := submit(t, s, "polarity")
	want(first.ID, work.WaitNoServer)
	register(t, s, workerA)
	want(first.ID, work.WaitNextClaim)
	set(work.LaneUpdate{Enabled: new(false)})
	want(first.ID, work.WaitDisabled)
	set(work.LaneUpdate{Enabled: new(true), MaxSlots: new(0)})
	want(first.ID, work.WaitNoSlots)
	set(work.LaneUpdate{MaxSlots: new(1)})
	want(submit(t, s, "of_no_lane").ID, work.WaitNoLane)
	want(submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt = new(kappa.At(time.Now().Add(time.Hour))) }).ID, work.WaitTime)
	want(submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false }).ID, work.WaitApproval)

	claims := claim(t, s, workerA, 10)
	if len(claims) != 1 || claims[0].JobID != first.ID {
		t.Fatalf("claimed %v", ids(claims))
	}
	want(first.ID, work.WaitRunning)
	submit(t, s, "polarity")
	third := submit(t, s, "polarity")
	w := want(third.ID, work.WaitSlot)
	if w.Position == nil || *w.Position != 2 || *w.Lane != "interactive" || w.StartsIn != nil {
		t.Errorf("got %+v, want place 2 and no estimate", w)
	}
	execSQL(t, dsn, "UPDATE kg_api.jobs SET claimed_at = clock_timestamp() - interval '10 s' WHERE job_id = $1", first.ID)
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claims[0])})
	must(t, err)
	want(first.ID, work.WaitEnded)
	claim(t, s, workerA, 1)
	if w := want(third.ID, work.WaitSlot); w.StartsIn == nil || *w.StartsIn < 10 || *w.StartsIn > 20 {
		t.Errorf("got %v, want an estimate from the job that took ten seconds", w.StartsIn)
	}

	execSQL(t, dsn, "UPDATE kg_api.jobs SET crash_count = 2, crash_since = clock_timestamp() WHERE status IN ('approved', 'processing') AND job_type = 'polarity'")
	execSQL(t, dsn, "UPDATE kg_api.jobs SET due = false, run_at = clock_timestamp() WHERE job_id = $1", third.ID)
	want(third.ID, work.WaitTurn)

	if _, err := s.Jobs().WaitFacts(t.Context(), work.Job{ID: "job_ffffffffffff"}); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("a job that is gone: %v", err)
	}
}

// TestWaitFactsOfRemoteJobs asks why a job for remote workers does not run.
func TestWaitFactsOfRemoteJobs(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	job := submit(t, s, "exec", remote("gpu", 0))
	want := func(id string, code work.WaitCode) {
		t.Helper()
		j, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		facts, err := s.Jobs().WaitFacts(t.Context(), j)
		must(t, err)
		if w := facts.Explain(); w.Code != code {
			t.Errorf("got %s (%s), want %s", w.Code, w.Reason, code)
		}
	}
	want(job.ID, work.WaitNoWorker)
	opened := remoteWorker(t, s, "gpu", workerA)
	must(t, s.Remote().Join(t.Context(), opened, work.RemoteProfile{
		Profile: "test", Types: []string{"exec"}, Capacity: 1, Lease: time.Minute, Groups: []work.RemoteGroup{{Name: "g", Queues: []string{"gpu"}, Max: 1}},
	}))
	want(job.ID, work.WaitNextClaim)
	if runs := claimRemote(t, s, opened, 1, "gpu"); len(runs) != 1 {
		t.Fatalf("%d runs", len(runs))
	}
	want(submit(t, s, "exec", remote("gpu", 0)).ID, work.WaitWorker)
	want(submit(t, s, "exec", remote("other", 0)).ID, work.WaitNoWorker)
}
