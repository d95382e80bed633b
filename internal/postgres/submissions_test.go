package postgres_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestSubmissionKeys submits under keys.
func TestSubmissionKeys(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	_, err := s.Accounts().CreateFirstUser(t.Context(), access.User{ID: access.AdminUserID, Username: "admin", Role: "admin"}, "hash")
	must(t, err)
	jobs := func() int { t.Helper(); return number(t, dsn, "SELECT count(*) FROM kg_api.jobs") }
	first := work.NewJob{Type: "polarity", Queue: work.DefaultQueue, UserID: access.SystemUserID, Key: "one", Data: json.RawMessage(`{"a": 1}`)}
	with := func(change func(j *work.NewJob)) work.NewJob {
		j := first
		change(&j)
		return j
	}

	// At once: one makes the job.
	ids := make([]string, 20)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			job, err := s.Jobs().SubmitJob(t.Context(), first)
			if err != nil {
				t.Error(err)
			}
			ids[i] = job.ID
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] || id == "" {
			t.Fatalf("the jobs are %v, want one", ids)
		}
	}
	if n := jobs(); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.job_events"); n != 1 {
		t.Errorf("%d events, want 1", n)
	}

	must(t, s.Jobs().Approve(t.Context(), ids[0], "test"))
	again, err := s.Jobs().SubmitJob(t.Context(), with(func(j *work.NewJob) { j.Data = json.RawMessage(`{"a":1}`) }))
	if err != nil || again.ID != ids[0] || again.Status != work.StatusApproved {
		t.Errorf("again: %s is %s, %v; want the job as it is now", again.ID, again.Status, err)
	}
	for what, other := range map[string]work.NewJob{
		"other data":       with(func(j *work.NewJob) { j.Data = json.RawMessage(`{"a": 2}`) }),
		"another type":     with(func(j *work.NewJob) { j.Type = "restore" }),
		"another priority": with(func(j *work.NewJob) { j.Priority = 1 }),
		"an approval":      with(func(j *work.NewJob) { j.AutoApprove = true }),
		"another instant":  with(func(j *work.NewJob) { j.RunAt = new(kappa.At(time.Now())) }),
	} {
		if _, err := s.Jobs().SubmitJob(t.Context(), other); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%s under the same key: %v, want it refused", what, err)
		}
	}
	if n := jobs(); n != 1 {
		t.Errorf("%d jobs, want 1", n)
	}
	for what, other := range map[string]work.NewJob{
		"another key":  with(func(j *work.NewJob) { j.Key = "two" }),
		"another user": with(func(j *work.NewJob) { j.UserID = access.AdminUserID }),
		"no key":       with(func(j *work.NewJob) { j.Key = "" }),
	} {
		if job, err := s.Jobs().SubmitJob(t.Context(), other); err != nil || job.ID == ids[0] {
			t.Errorf("%s: %s, %v; want a job of its own", what, job.ID, err)
		}
	}

	run(t, conn, "DELETE FROM kg_api.jobs WHERE job_id = $1", ids[0])
	if _, err := s.Jobs().SubmitJob(t.Context(), first); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("after the job was deleted: %v, want a conflict", err)
	}
	run(t, conn, "UPDATE kg_api.submissions SET created_at = created_at - interval '23 hours'")
	must(t, s.Jobs().PurgeSubmissions(t.Context(), work.SubmissionKept))
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.submissions"); n != 3 {
		t.Errorf("%d keys are known after 23 hours, want 3", n)
	}
	run(t, conn, "UPDATE kg_api.submissions SET created_at = created_at - interval '1 hour'")
	must(t, s.Jobs().PurgeSubmissions(t.Context(), work.SubmissionKept))
	if job, err := s.Jobs().SubmitJob(t.Context(), first); err != nil || job.ID == ids[0] {
		t.Errorf("after a day: %s, %v; want another job", job.ID, err)
	}
}

// TestKeysOfChildren says that the key of a job which another one made is known as long as
// that one is not over: its part of the work is not done, and charged, again.
func TestKeysOfChildren(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	parent := submit(t, s, "polarity")
	child := work.NewJob{Type: "exec", Queue: work.DefaultQueue, AutoApprove: true, UserID: access.SystemUserID, Remote: true, ParentID: parent.ID, Key: "chunk"}
	first, err := s.Jobs().SubmitJob(t.Context(), child)
	must(t, err)
	again := func() string {
		t.Helper()
		run(t, conn, "UPDATE kg_api.submissions SET created_at = created_at - interval '2 days'")
		must(t, s.Jobs().PurgeSubmissions(t.Context(), work.SubmissionKept))
		job, err := s.Jobs().SubmitJob(t.Context(), child)
		must(t, err)
		return job.ID
	}
	if id := again(); id != first.ID {
		t.Errorf("after two days the passage is read again, as %s", id)
	}
	run(t, conn, "UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = $1", parent.ID)
	run(t, conn, "UPDATE kg_api.submissions SET created_at = created_at - interval '2 days'")
	must(t, s.Jobs().PurgeSubmissions(t.Context(), work.SubmissionKept))
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.submissions"); n != 0 {
		t.Errorf("%d keys are known of a job that is over", n)
	}
}

// TestRetryKeys retries under keys.
func TestRetryKeys(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	old, other := submit(t, s, "polarity"), submit(t, s, "polarity")
	for _, job := range []work.Job{old, other} {
		_, err := s.Jobs().Cancel(t.Context(), job.ID)
		must(t, err)
	}
	running := submit(t, s, "polarity")
	retry := func(id, key string) (string, error) {
		job, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: id, UserID: access.SystemUserID, Key: key})
		return job.ID, err
	}
	ids := make([]string, 10)
	var group sync.WaitGroup
	for i := range ids {
		group.Go(func() {
			var err error
			if ids[i], err = retry(old.ID, "one"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, id := range ids {
		if id != ids[0] || id == old.ID || id == "" {
			t.Fatalf("the jobs are %v, want one", ids)
		}
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.jobs"); n != 4 {
		t.Errorf("%d jobs, want 4", n)
	}
	if _, err := retry(other.ID, "one"); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("another job under the same key: %v", err)
	}
	if _, err := retry(running.ID, "two"); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("a job that is not over: %v", err)
	}
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.submissions"); n != 1 {
		t.Errorf("%d keys are known, want 1: what is refused takes none", n)
	}
	if id, err := retry(other.ID, "two"); err != nil || id == ids[0] {
		t.Errorf("%s, %v", id, err)
	}
	if id, err := retry(other.ID, ""); err != nil || id == "" {
		t.Errorf("without a key: %s, %v", id, err)
	}
	execSQL(t, dsn, "DELETE FROM kg_api.jobs WHERE job_id = $1", old.ID)
	if id, err := retry(old.ID, "one"); err != nil || id != ids[0] {
		t.Errorf("after the old job was deleted: %s, %v; want the new one", id, err)
	}
}

// TestRetryGaps: a job that completed with gaps is submitted again when that is asked for,
// and reads nothing that was read before.
func TestRetryGaps(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	execSQL(t, dsn, `UPDATE kg_api.jobs SET status = 'completed', completed_at = now(), result = '{"completed_with_gaps": true}'`)
	retry := work.Retry{JobID: c.JobID, UserID: access.SystemUserID}
	if _, err := s.Jobs().RetryJob(t.Context(), retry); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("without asking for gaps: %v", err)
	}
	retry.Gaps = true
	job, err := s.Jobs().RetryJob(t.Context(), retry)
	must(t, err)
	if n := number(t, dsn, `SELECT count(*) FROM kg_api.jobs WHERE data @> '{"reuse": true}'`); n != 1 || job.Status != work.StatusApproved {
		t.Errorf("%s, %d jobs read what was not read before alone", job.Status, n)
	}
	execSQL(t, dsn, `UPDATE kg_api.jobs SET status = 'completed', completed_at = now(), claim_token = NULL, result = '{}'`)
	if _, err := s.Jobs().RetryJob(t.Context(), retry); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(err.Error(), "without gaps") {
		t.Errorf("without gaps: %v", err)
	}
}
