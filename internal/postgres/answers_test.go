package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// lose has the answer to whatever comes at a point be lost, once.
func (h *hooked) lose(point string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at[point] = func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.at, point)
		return errHook
	}
}

// TestQ34_WhatIsSentAgainIsDoneOnce loses the answer to a commit, and has the
// caller, who does not know what has become of it, do the same again. Nothing is
// done twice, and nothing is repeated behind the caller's back.
func TestQ34_WhatIsSentAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	checkSentAgain(t, 15)
}

func TestQ34_WhatIsSentAgainIsDoneOnce_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkSentAgain(t, 100)
}

// checkSentAgain loses so many answers of each kind.
func checkSentAgain(t *testing.T, times int) {
	t.Helper()
	h := newHooked(t)
	document := func(n int) work.Submission {
		return work.Submission{
			Body: fmt.Appendf(nil, "document %d", n), ContentType: corpus.ContentPlain, ContentHash: fmt.Sprintf("sha256:%064x", n),
			Ontology: "o", Filename: "test.txt", ProcessingMode: work.ModeSerial, UserID: access.SystemUserID,
		}
	}
	jobs := make([]string, times)
	for n := range times {
		h.lose("after COMMIT")
		if lost, err := h.Ingestions().SubmitIngestion(t.Context(), document(n), ingestionJob(access.SystemUserID)); err == nil {
			t.Fatalf("the answer to %s was not lost", lost.JobID)
		}
		again, err := h.Ingestions().SubmitIngestion(t.Context(), document(n), ingestionJob(access.SystemUserID))
		must(t, err)
		if !again.Duplicate {
			t.Errorf("document %d was submitted twice, as %s", n, again.JobID)
		}
		jobs[n] = again.JobID
		must(t, h.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: again.JobID}, corpus.Analysis{Warnings: []string{}}, false))
	}
	if n := number(t, h.dsn, "SELECT count(*) FROM kg_api.jobs"); n != times {
		t.Fatalf("%d jobs of %d documents", n, times)
	}
	for _, id := range jobs {
		h.lose("after JobsApprove")
		if err := h.Jobs().Approve(t.Context(), id, "test"); err == nil {
			t.Fatal("the answer was not lost")
		}
		if err := h.Jobs().Approve(t.Context(), id, "again"); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("the second approval returned %v", err)
		}
		events := checkHistory(t, h.DB, id)
		if last, err := events[len(events)-1].StatusChange(); err != nil || last.Status != work.StatusApproved || len(events) != 3 {
			t.Errorf("after two approvals the job has %d events, the last says %s", len(events), last.Status)
		}
	}
	for n := range times {
		keyed := work.NewJob{Type: "polarity", Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID, Key: fmt.Sprint("key-", n)}
		h.lose("after JobInsert")
		if _, err := h.Jobs().SubmitJob(t.Context(), keyed); err == nil {
			t.Fatal("the answer was not lost")
		}
		_, err := h.Jobs().SubmitJob(t.Context(), keyed)
		must(t, err)
	}
	if n := number(t, h.dsn, "SELECT count(*) FROM kg_api.jobs WHERE job_type = 'polarity'"); n != times {
		t.Errorf("%d submissions whose answer was lost made %d jobs", times, n)
	}
	c := claim(t, h.DB, workerA, 1)[0]
	h.lose("after JobFinish")
	if _, err := h.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)}); err == nil {
		t.Fatal("the answer was not lost")
	}
	if again, err := h.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)}); err != nil || len(again) != 0 {
		t.Errorf("the second completion changed %v, %v", again, err)
	}
	if events := checkHistory(t, h.DB, c.JobID); count(events, work.EventCompleted) > 1 {
		t.Errorf("%d completions", count(events, work.EventCompleted))
	}
	schedule := addSchedule(t, h.DB, "hourly")
	for range 2 {
		h.lose("after COMMIT")
		if _, err := h.Schedules().Launch(t.Context(), 0, work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)}); err == nil {
			t.Fatal("the answer was not lost")
		}
	}
	if n := number(t, h.dsn, "SELECT count(*) FROM kg_api.jobs"); n != 2*times+1 {
		t.Errorf("there are %d jobs: a due instant was answered with %d", n, n-2*times)
	}
}

// TestQ13_AnIdentityIsTakenOnce has a second process come with the identity of a
// live one: it is refused, and the first one's lease stays as it is.
func TestQ13_AnIdentityIsTakenOnce(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	until := func() int {
		return number(t, dsn, "SELECT extract(epoch FROM lease_until)::bigint FROM kg_api.workers WHERE worker_id = $1", workerA)
	}
	before := until()
	if err := s.Workers().Register(t.Context(), work.Worker{ID: workerA, Hostname: "clone", PID: 1}, "test", time.Hour); err == nil {
		t.Error("an identity was taken twice")
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.workers WHERE hostname = 'test'"); n != 1 || until() != before {
		t.Errorf("%d workers are left as they were; the lease went from %d to %d", n, before, until())
	}
}
