package postgres_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// refused fails unless err has the code and the message.
func refused(t *testing.T, err error, code kappa.Code, message string) {
	t.Helper()
	if kappa.ErrorCode(err) != code || kappa.ErrorMessage(err) != message {
		t.Errorf("got %s %q, want %s %q", kappa.ErrorCode(err), kappa.ErrorMessage(err), code, message)
	}
}

const unknownJob = "job_ffffffffffff"

func TestCancelRunning(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	refused(t, s.Jobs().CancelRunning(t.Context(), job.ID), kappa.CodeConflict,
		"Job not running (status: approved). Use DELETE /jobs/"+job.ID+" for queued jobs.")
	refused(t, s.Jobs().CancelRunning(t.Context(), unknownJob), kappa.CodeNotFound, "Job not found: "+unknownJob)
	claims := claim(t, s, workerA, 1)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN kg_cancel")
	must(t, err)
	for range 2 { // it may be repeated
		must(t, s.Jobs().CancelRunning(t.Context(), job.ID))
		n, err := conn.WaitForNotification(t.Context())
		must(t, err)
		if n.Payload != job.ID {
			t.Errorf("notified %q", n.Payload)
		}
	}
	done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(claims[0])})
	must(t, err)
	if done[job.ID] != work.StatusCancelled {
		t.Errorf("it ended %s", done[job.ID])
	}
	checkHistory(t, s, job.ID)
}

func TestReprioritize(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	first, second := submit(t, s, "polarity"), submit(t, s, "polarity")
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "LISTEN kg_lanes")
	must(t, err)
	was, is, err := s.Jobs().Reprioritize(t.Context(), second.ID, 50)
	if err != nil || was != 0 || is != 50 {
		t.Errorf("from %d to %d, %v", was, is, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if n, err := conn.WaitForNotification(soon); err != nil || n.Payload != "interactive" {
		t.Errorf("woken: %+v, %v; want the lane", n, err)
	}
	if claims := claim(t, s, workerA, 1); len(claims) != 1 || claims[0].JobID != second.ID {
		t.Errorf("claimed %v, want %s before %s", ids(claims), second.ID, first.ID)
	}
	_, _, err = s.Jobs().Reprioritize(t.Context(), second.ID, 1)
	refused(t, err, kappa.CodeConflict, "Can only reprioritize approved jobs (status: processing)")
	_, _, err = s.Jobs().Reprioritize(t.Context(), unknownJob, 1)
	refused(t, err, kappa.CodeNotFound, "Job not found: "+unknownJob)
	for _, priority := range []int{-101, 101, 1 << 40} {
		if _, _, err := s.Jobs().Reprioritize(t.Context(), first.ID, priority); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("priority %d: %v", priority, err)
		}
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	waiting := submit(t, s, "projection")
	must(t, s.Jobs().Purge(t.Context(), waiting.ID, false))
	refused(t, s.Jobs().Purge(t.Context(), waiting.ID, false), kappa.CodeNotFound, "Job not found: "+waiting.ID)
	running := submit(t, s, "polarity")
	c := claim(t, s, workerA, 1)[0]
	refused(t, s.Jobs().Purge(t.Context(), running.ID, false), kappa.CodeConflict, "Cannot delete job in status: processing. Use force=true to override.")
	must(t, s.Jobs().Purge(t.Context(), running.ID, true))
	if done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{completed(c)}); err != nil || len(done) != 0 {
		t.Errorf("the worker of a deleted job stored %v, %v", done, err)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.job_events"); n != 0 {
		t.Errorf("%d events are left", n)
	}
}

func TestBulkDelete(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	execSQL(t, dsn, "INSERT INTO kg_api.users (id, username, role) VALUES (1001, 'ada', 'contributor')")
	register(t, s, workerA)
	running := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	execSQL(t, dsn, `INSERT INTO kg_api.jobs (job_id, job_type, status, user_id, created_at, completed_at)
		SELECT 'job_' || lpad(to_hex(n), 12, '0'), 'polarity', (ARRAY['completed', 'failed'])[n % 2 + 1], 1001, now() - interval '30 hours', now()
		FROM generate_series(0, 2499) n`)
	mine := submit(t, s, "projection", func(j *work.NewJob) { j.UserID = 1001 })
	for name, c := range map[string]struct {
		sel           work.JobSelection
		jobs, running int
	}{
		"everything":                  {work.JobSelection{}, 2501, 1},
		"one status":                  {work.JobSelection{Status: work.StatusFailed}, 1250, 0},
		"jobs that run":               {work.JobSelection{Status: work.StatusProcessing}, 0, 1},
		"old ones":                    {work.JobSelection{OlderThan: 24 * time.Hour}, 2500, 0},
		"older than any":              {work.JobSelection{OlderThan: 7 * 24 * time.Hour}, 0, 0},
		"one type":                    {work.JobSelection{Type: "projection"}, 1, 0},
		"those of the system":         {work.JobSelection{System: true}, 0, 1},
		"a type that nobody has seen": {work.JobSelection{Type: "none"}, 0, 0},
	} {
		got, err := s.Jobs().BulkDelete(t.Context(), c.sel, true)
		must(t, err)
		if got.Count != c.jobs || got.Running != c.running || len(got.Jobs) != min(c.jobs, work.MaxDeletionList) {
			t.Errorf("%s: %d jobs, %d shown, %d run; want %d and %d", name, got.Count, len(got.Jobs), got.Running, c.jobs, c.running)
		}
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs"); n != 2502 {
		t.Fatalf("previews left %d jobs", n)
	}
	got, err := s.Jobs().BulkDelete(t.Context(), work.JobSelection{OlderThan: 24 * time.Hour}, false)
	if err != nil || got.Count != 2500 || number(t, dsn, "SELECT count(*) FROM kg_api.jobs") != 2 {
		t.Errorf("deleted %+v, %v", got, err)
	}
	got, err = s.Jobs().BulkDelete(t.Context(), work.JobSelection{}, false)
	if err != nil || got.Count != 1 || got.Running != 1 {
		t.Errorf("deleted %+v, %v; want only %s", got, err, mine.ID)
	}
	checkHistory(t, s, running.ID)
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.job_events e WHERE NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_id = e.job_id)"); n != 0 {
		t.Errorf("%d events have no job", n)
	}
}

func TestRetryJob(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	execSQL(t, dsn, "INSERT INTO kg_api.users (id, username, role) VALUES (1001, 'ada', 'contributor')")
	register(t, s, workerA)
	t.Run("a failed job comes again as a new one, approved", func(t *testing.T) {
		old := submit(t, s, "polarity", func(j *work.NewJob) { j.Priority, j.Data = 3, []byte(`{"a":1}`) })
		c := claim(t, s, workerA, 1)[0]
		_, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: old.ID, UserID: 1001})
		refused(t, err, kappa.CodeConflict, "Can only retry failed or cancelled jobs (status: processing)")
		_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusFailed, Error: "broke"}})
		must(t, err)
		again, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: old.ID, UserID: 1001})
		must(t, err)
		if again.ID == old.ID || again.Status != work.StatusApproved || again.Priority != 3 || again.UserID != 1001 || *again.ApprovedBy != "ada" || again.Attempt != 0 {
			t.Errorf("came again as %+v", again)
		}
		if status(t, s, old.ID) != work.StatusFailed {
			t.Error("the old one has changed")
		}
		checkHistory(t, s, old.ID)
		checkHistory(t, s, again.ID)
		if claims := claim(t, s, workerA, 1); len(claims) != 1 || claims[0].JobID != again.ID || string(claims[0].Data) != `{"a": 1}` {
			t.Errorf("claimed %+v", claims)
		}
	})
	t.Run("one that nobody had approved waits for approval again", func(t *testing.T) {
		old := submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
		_, err := s.Jobs().Cancel(t.Context(), old.ID)
		must(t, err)
		again, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: old.ID, UserID: 1001})
		must(t, err)
		if again.Status != work.StatusAwaitingApproval || again.ExpiresAt == nil || again.ApprovedBy != nil {
			t.Errorf("came again as %+v", again)
		}
		checkHistory(t, s, again.ID)
	})
	t.Run("a document is analysed again if it was not, and not ingested twice at once", func(t *testing.T) {
		hash := "sha256:" + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		sub, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
			Ontology: "o", Filename: "f.txt", ContentType: "text/plain", Body: []byte("text"), ContentHash: hash, ProcessingMode: "serial",
		}, ingestionJob(1001))
		must(t, err)
		_, err = s.Jobs().Cancel(t.Context(), sub.JobID)
		must(t, err)
		again, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: sub.JobID, UserID: 1001})
		must(t, err)
		if again.Status != work.StatusPending || *again.ContentHash != hash || *again.Ontology != "o" || *again.Filename != "f.txt" {
			t.Errorf("came again as %+v", again)
		}
		_, err = s.Jobs().RetryJob(t.Context(), work.Retry{JobID: sub.JobID, UserID: 1001})
		refused(t, err, kappa.CodeConflict, "Cannot retry job "+sub.JobID+": a job for the same document is under way")
	})
	t.Run("an unknown one is not found", func(t *testing.T) {
		_, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: unknownJob, UserID: 1001})
		refused(t, err, kappa.CodeNotFound, "Job not found: "+unknownJob)
	})
}

// TestSweep makes the leader's sweep: a dead worker's job and a job that became
// due, in one transaction.
func TestSweep(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	lost := submit(t, s, "polarity")
	claim(t, s, workerA, 1)
	soon := kappa.At(time.Now().Add(time.Hour))
	waiting := submit(t, s, "projection", func(j *work.NewJob) { j.RunAt = &soon })
	expire(t, dsn, workerA)
	sweep, err := s.Queue().Sweep(t.Context(), 9, time.Minute, 10)
	if err != nil || len(sweep.Rescued) != 0 || len(sweep.Due) != 0 || sweep.Next != time.Minute {
		t.Errorf("under another term: %+v, %v", sweep, err)
	}
	execSQL(t, dsn, "UPDATE kg_api.jobs SET run_at = now() WHERE job_id = $1", waiting.ID)
	sweep, err = s.Queue().Sweep(t.Context(), 0, time.Minute, 10)
	if err != nil || sweep.Rescued[lost.ID] != work.StatusApproved || len(sweep.Due) != 1 || sweep.Due[0] != "projection" || !slices.Contains(sweep.Waiting, "projection") {
		t.Errorf("saw %+v, %v", sweep, err)
	}
}

func TestOldestWait(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	later := kappa.At(time.Now().Add(time.Hour))
	submit(t, s, "projection", func(j *work.NewJob) { j.RunAt = &later })
	submit(t, s, "polarity")
	old := submit(t, s, "polarity")
	execSQL(t, dsn, "UPDATE kg_api.jobs SET approved_at = now() - interval '90 seconds', run_at = now() - interval '90 seconds' WHERE job_id = $1", old.ID)
	lanes, err := s.Lanes().LaneUsage(t.Context())
	must(t, err)
	for _, l := range lanes {
		switch {
		case l.Name == "interactive":
			if l.OldestWait == nil || *l.OldestWait < 90 || *l.OldestWait > 120 {
				t.Errorf("the oldest waits %v, want about 90 seconds", l.OldestWait)
			}
		case l.OldestWait != nil:
			t.Errorf("in lane %s a job waits %v seconds, though none may run", l.Name, *l.OldestWait)
		}
	}
}

// TestPause has a job reach its budget, pause, and go on with a higher one.
func TestPause(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	usd := 0.5
	job, err := s.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: "polarity", Queue: work.DefaultQueue, UserID: access.SystemUserID, AutoApprove: true, MaxRetries: 3, Budget: &corpus.Budget{USD: &usd},
	})
	must(t, err)
	if job.Budget == nil || job.Budget.String() != "$0.5" || job.PauseReason != nil {
		t.Fatalf("the job has the budget %v", job.Budget)
	}
	claimed := claim(t, s, workerA, 1)[0]
	must(t, s.Jobs().CheckBudget(t.Context(), job.ID))
	spend := `INSERT INTO kg_api.model_usage (job_id, model, purpose, input_tokens, output_tokens, cost_usd) VALUES ($1, $2, 'extraction', 100, 20, 0.3)`
	execSQL(t, dsn, spend, job.ID, "a")
	must(t, s.Jobs().CheckBudget(t.Context(), job.ID))
	execSQL(t, dsn, spend, job.ID, "b")
	reached := s.Jobs().CheckBudget(t.Context(), job.ID)
	if !kappa.Paused(reached) {
		t.Fatalf("with $0.60 spent: %v", reached)
	}
	outcome := work.Conclude(t.Context(), claimed, nil, reached, 0)
	_, err = s.Claims().Finish(t.Context(), workerA, []work.Outcome{outcome})
	must(t, err)
	job, err = s.Jobs().Job(t.Context(), job.ID)
	must(t, err)
	if job.Status != work.StatusAwaitingApproval || job.Error != nil || job.PauseReason == nil || *job.PauseReason != kappa.ErrorMessage(reached) ||
		job.Attempt != 0 || job.Retries != 0 || job.ExpiresAt != nil || job.CompletedAt != nil {
		t.Errorf("the paused job is %+v", job)
	}
	if claims := claim(t, s, workerA, 1); len(claims) != 0 {
		t.Error("a paused job is claimed")
	}
	for _, b := range []*corpus.Budget{nil, {USD: &usd}} {
		if err := s.Jobs().ApproveWithin(t.Context(), job.ID, "test", b); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("approved with %v, which is spent: %v", b, err)
		}
	}
	more, tokens := 0.7, int64(1000)
	must(t, s.Jobs().ApproveWithin(t.Context(), job.ID, "test", &corpus.Budget{USD: &more, Tokens: &tokens}))
	must(t, s.Jobs().CheckBudget(t.Context(), job.ID))
	job, err = s.Jobs().Job(t.Context(), job.ID)
	must(t, err)
	if job.Status != work.StatusApproved || job.PauseReason != nil || job.Error != nil || job.Budget.String() != "$0.7, 1000 tokens" {
		t.Errorf("the job that goes on is %+v", job)
	}
	again := claim(t, s, workerA, 1)
	if len(again) != 1 {
		t.Fatal("the job that goes on is not claimed")
	}
	// Whoever cancels a job as it pauses has it cancelled.
	must(t, s.Jobs().CancelRunning(t.Context(), job.ID))
	outcome.Claim = again[0]
	done, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{outcome})
	must(t, err)
	if done[job.ID] != work.StatusCancelled {
		t.Errorf("a job that was cancelled as it paused ended %s", done[job.ID])
	}
	checkHistory(t, s, job.ID)
	retried, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: job.ID, UserID: access.SystemUserID})
	must(t, err)
	if retried.Budget == nil || retried.Budget.String() != "$0.7, 1000 tokens" {
		t.Errorf("its retry has the budget %v", retried.Budget)
	}
}
