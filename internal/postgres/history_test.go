package postgres_test

import (
	"encoding/json"
	"slices"
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
		tries []work.AttemptOutcome
	}{
		"completed":                                  {[]step{progress, finish(work.Outcome{Status: work.StatusCompleted})}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptCompleted}},
		"failed":                                     {[]step{finish(work.Outcome{Status: work.StatusFailed, Error: "broken"})}, work.StatusFailed, []work.AttemptOutcome{work.AttemptFailed}},
		"cancelled while running":                    {[]step{cancel, finish(work.Outcome{Status: work.StatusCancelled})}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptCancelled}},
		"to be retried when cancelled":               {[]step{cancel, retried}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptCancelled}},
		"released, claimed again and completed":      {[]step{progress, finish(work.Outcome{Status: work.StatusApproved}), again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptReleased, work.AttemptCompleted}},
		"retried, claimed again and completed":       {[]step{retried, again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptRetried, work.AttemptCompleted}},
		"released, cancelled in the queue":           {[]step{finish(work.Outcome{Status: work.StatusApproved}), cancel}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptReleased}},
		"rescued, claimed again and completed":       {[]step{progress, rescued, again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptLost, work.AttemptCompleted}},
		"rescued, cancelled in the queue":            {[]step{rescued, cancel}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptLost}},
		"cancelled, its worker died":                 {[]step{cancel, rescued}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptCancelled}},
		"quarantined":                                {[]step{crashedTwice, rescued}, work.StatusFailed, []work.AttemptOutcome{work.AttemptLost}},
		"stale, claimed again and completed":         {[]step{stale, again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptStale, work.AttemptCompleted}},
		"stale once too often":                       {[]step{noRetriesLeft, stale}, work.StatusFailed, []work.AttemptOutcome{work.AttemptStale}},
		"cancelled and stale":                        {[]step{cancel, stale}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptCancelled}},
		"claimed with a row, completed":              {[]step{claimedByRows, finish(work.Outcome{Status: work.StatusCompleted})}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptCompleted}},
		"claimed with a row, retried and completed":  {[]step{claimedByRows, retried, again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptRetried, work.AttemptCompleted}},
		"claimed with a row, rescued and completed":  {[]step{claimedByRows, rescued, again}, work.StatusCompleted, []work.AttemptOutcome{work.AttemptLost, work.AttemptCompleted}},
		"claimed with a row, stale, then cancelled":  {[]step{claimedByRows, stale, cancel}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptStale}},
		"released twice, then cancelled when queued": {[]step{finish(work.Outcome{Status: work.StatusApproved}), releaseAgain, cancel}, work.StatusCancelled, []work.AttemptOutcome{work.AttemptReleased, work.AttemptReleased}},
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
			checkAttempts(t, s, job.ID, life.tries)
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

// checkAttempts fails unless the attempts at a job have ended so, one after the other.
func checkAttempts(t *testing.T, s *postgres.DB, id string, want []work.AttemptOutcome) {
	t.Helper()
	job, err := s.Jobs().Job(t.Context(), id)
	must(t, err)
	found, err := s.Jobs().Attempts(t.Context(), job)
	must(t, err)
	var got []work.AttemptOutcome
	for i, a := range found.Attempts {
		got = append(got, a.Outcome)
		if a.Number != i+1 || a.Worker.ID != workerA || a.Worker.Hostname == "" || a.RunSeconds == nil || a.EndedAt.Before(a.ClaimedAt.Time) || a.ClaimedAt.Before(a.ReadyAt.Time) {
			t.Errorf("attempt %d is %+v", i+1, a)
		}
		if (a.Outcome == work.AttemptRetried || a.Outcome == work.AttemptLost || a.Outcome == work.AttemptStale || a.Outcome == work.AttemptFailed) && a.Reason == nil {
			t.Errorf("attempt %d is %s without a reason", i+1, a.Outcome)
		}
		if i > 0 && !a.ReadyAt.Equal(found.Attempts[i-1].EndedAt.Time) {
			t.Errorf("attempt %d is ready at %v, the one before ended at %v", i+1, a.ReadyAt, found.Attempts[i-1].EndedAt)
		}
	}
	if !slices.Equal(got, want) || found.Earlier != 0 || *found.Attempts[len(got)-1].Lane != "interactive" {
		t.Errorf("the attempts ended %v, %d before them, want %v", got, found.Earlier, want)
	}
}

// TestManyAttempts has a job that was given back more often than is shown, and runs: the last
// attempts are shown, with their numbers, the progress that each told last, and what the
// job uses of models.
func TestManyAttempts(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	const before = work.MaxAttempts + 50
	execSQL(t, dsn, `INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
		SELECT $1, 10 * n + x.seq, x.kind, x.payload, now() - interval '1 day' + (2 * n + x.seq) * interval '1 second'
		FROM generate_series(1, $2::int) AS n CROSS JOIN LATERAL (VALUES
			(1, 'status', kg_api.claim_told($3::uuid, 0)), (2, 'progress', jsonb_build_object('stage', 'a', 'percent', 1)),
			(3, 'progress', jsonb_build_object('stage', 'b', 'percent', n % 100)), (4, 'status', kg_api.status_event('approved', 'processing', NULL, 'no calls', 0))) AS x (seq, kind, payload)`,
		job.ID, before, workerA)
	execSQL(t, dsn, "UPDATE kg_api.jobs SET event_seq = 10 * $2 + 4 WHERE job_id = $1", job.ID, before)
	must(t, s.Claims().Checkpoint(t.Context(), claim(t, s, workerA, 1)[0], work.Checkpoint{Emit: true, Progress: work.Progress{Percent: 77}}))
	execSQL(t, dsn, "INSERT INTO kg_api.model_usage (job_id, model, purpose, calls, input_tokens, cost_usd) VALUES ($1, 'm', 'extraction', 3, 500, 0.5)", job.ID)

	job, err := s.Jobs().Job(t.Context(), job.ID)
	must(t, err)
	found, err := s.Jobs().Attempts(t.Context(), job)
	must(t, err)
	last := found.Attempts[len(found.Attempts)-1]
	if len(found.Attempts) != work.MaxAttempts || found.Earlier != before+1-work.MaxAttempts || last.Number != before+1 || last.Outcome != work.AttemptRunning || last.Progress.Percent != 77 {
		t.Errorf("%d attempts are shown after %d, the last is %+v", len(found.Attempts), found.Earlier, last)
	}
	for i, a := range found.Attempts[:work.MaxAttempts-1] {
		n := found.Earlier + i + 1
		if a.Number != n || a.Outcome != work.AttemptReleased || a.Progress.Percent != n%100 || *a.RunSeconds != 3 || *a.Reason != "no calls" {
			t.Fatalf("attempt %d is %+v", n, a)
		}
	}
	want := []work.ModelUsage{{Model: "m", Purpose: "extraction", Calls: 3, InputTokens: 500, USD: 0.5}}
	if !slices.Equal(found.Usage, want) {
		t.Errorf("it used %+v", found.Usage)
	}
}
