package postgres_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestHistoryStands reads a job's events after each of its changes: what was read
// once reads the same for ever, whether an event has a row or the job's row shows
// it, however the claim ends and whatever comes after it.
func TestHistoryStands(t *testing.T) {
	t.Parallel()
	type step func(t *testing.T, s *postgres.DB, dsn string, c work.Claim)
	finish := func(o work.Outcome) step {
		return func(t *testing.T, s *postgres.DB, _ string, c work.Claim) {
			o.Claim = c
			done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{o})
			must(t, err)
			if len(done) != 1 {
				t.Fatalf("the outcome was refused")
			}
		}
	}
	cancel := func(t *testing.T, s *postgres.DB, _ string, c work.Claim) {
		_, err := s.Jobs().Cancel(t.Context(), c.JobID)
		must(t, err)
	}
	again := func(t *testing.T, s *postgres.DB, _ string, _ work.Claim) {
		claims := claim(t, s, workerA, 1)
		if len(claims) != 1 {
			t.Fatal("not claimed again")
		}
		finish(work.Outcome{Status: work.StatusCompleted, Result: json.RawMessage(`{"n":1}`)})(t, s, "", claims[0])
	}
	retried := finish(work.Outcome{Status: work.StatusApproved, Error: "busy", CountRetry: true})
	rescued := func(t *testing.T, s *postgres.DB, dsn string, _ work.Claim) { takeBack(t, s, dsn, workerA) }
	stale := func(t *testing.T, s *postgres.DB, dsn string, c work.Claim) {
		execSQL(t, dsn, "UPDATE kg_api.jobs SET progress_at = now() - interval '31 minutes' WHERE job_id = $1", c.JobID)
		taken, err := s.Queue().RecoverStale(t.Context(), 0, 10)
		if err != nil || len(taken) != 1 {
			t.Fatalf("taken %v, %v", taken, err)
		}
	}
	crashedTwice := func(t *testing.T, _ *postgres.DB, dsn string, c work.Claim) {
		execSQL(t, dsn, "UPDATE kg_api.jobs SET crash_count = 2, crash_since = clock_timestamp() WHERE job_id = $1", c.JobID)
	}
	noRetriesLeft := func(t *testing.T, _ *postgres.DB, dsn string, c work.Claim) {
		execSQL(t, dsn, "UPDATE kg_api.jobs SET max_retries = 0 WHERE job_id = $1", c.JobID)
	}
	progress := func(t *testing.T, s *postgres.DB, _ string, c work.Claim) {
		must(t, s.Claims().Checkpoint(t.Context(), c, work.Checkpoint{Emit: true}))
	}
	// claimedByRows is a job that was claimed when each event had a row.
	claimedByRows := func(t *testing.T, _ *postgres.DB, dsn string, c work.Claim) {
		execSQL(t, dsn, "INSERT INTO kg_api.job_events SELECT h.* FROM kg_api.job_history h WHERE h.job_id = $1 ON CONFLICT DO NOTHING", c.JobID)
		execSQL(t, dsn, "UPDATE kg_api.jobs SET claim_seq = NULL WHERE job_id = $1", c.JobID)
	}

	for name, life := range map[string]struct {
		steps []step
		ends  work.Status
	}{
		"completed":                                  {[]step{progress, finish(work.Outcome{Status: work.StatusCompleted})}, work.StatusCompleted},
		"failed":                                     {[]step{finish(work.Outcome{Status: work.StatusFailed, Error: "broken"})}, work.StatusFailed},
		"cancelled while running":                    {[]step{cancel, finish(work.Outcome{Status: work.StatusCancelled})}, work.StatusCancelled},
		"to be retried when cancelled":               {[]step{cancel, retried}, work.StatusCancelled},
		"released, claimed again and completed":      {[]step{progress, finish(work.Outcome{Status: work.StatusApproved}), again}, work.StatusCompleted},
		"retried, claimed again and completed":       {[]step{retried, again}, work.StatusCompleted},
		"released, cancelled in the queue":           {[]step{finish(work.Outcome{Status: work.StatusApproved}), cancel}, work.StatusCancelled},
		"rescued, claimed again and completed":       {[]step{progress, rescued, again}, work.StatusCompleted},
		"rescued, cancelled in the queue":            {[]step{rescued, cancel}, work.StatusCancelled},
		"cancelled, its worker died":                 {[]step{cancel, rescued}, work.StatusCancelled},
		"quarantined":                                {[]step{crashedTwice, rescued}, work.StatusFailed},
		"stale, claimed again and completed":         {[]step{stale, again}, work.StatusCompleted},
		"stale once too often":                       {[]step{noRetriesLeft, stale}, work.StatusFailed},
		"cancelled and stale":                        {[]step{cancel, stale}, work.StatusCancelled},
		"claimed with a row, completed":              {[]step{claimedByRows, finish(work.Outcome{Status: work.StatusCompleted})}, work.StatusCompleted},
		"claimed with a row, retried and completed":  {[]step{claimedByRows, retried, again}, work.StatusCompleted},
		"claimed with a row, rescued and completed":  {[]step{claimedByRows, rescued, again}, work.StatusCompleted},
		"claimed with a row, stale, then cancelled":  {[]step{claimedByRows, stale, cancel}, work.StatusCancelled},
		"released twice, then cancelled when queued": {[]step{finish(work.Outcome{Status: work.StatusApproved}), releaseAgain, cancel}, work.StatusCancelled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			job := submit(t, s, "polarity")
			c := claim(t, s, workerA, 1)[0]
			var known []string
			for _, next := range append([]step{func(*testing.T, *postgres.DB, string, work.Claim) {}}, life.steps...) {
				next(t, s, dsn, c)
				known = checkStands(t, known, checkHistory(t, s, job.ID))
			}
			if got := status(t, s, job.ID); got != life.ends {
				t.Errorf("the job is %s, want %s", got, life.ends)
			}
		})
	}
}

// releaseAgain claims a job and hands it back.
func releaseAgain(t *testing.T, s *postgres.DB, _ string, _ work.Claim) {
	c := claim(t, s, workerA, 1)[0]
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
	must(t, err)
}

// checkStands fails unless events begin with what was known of them before, and
// none is earlier than the one before it. It returns what is known now.
func checkStands(t *testing.T, known []string, events []work.Event) []string {
	t.Helper()
	var now []string
	var last time.Time
	for _, e := range events {
		text, err := json.Marshal(e)
		must(t, err)
		now = append(now, string(text))
		if e.At.Before(last) {
			t.Errorf("event %d is older than the one before", e.Seq)
		}
		last = e.At.Time
	}
	for i, was := range known {
		if i >= len(now) || now[i] != was {
			t.Errorf("event %d was\n%s, now the history is\n%v", i+1, was, now)
			break
		}
	}
	return now
}
