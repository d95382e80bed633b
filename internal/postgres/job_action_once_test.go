package postgres_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestActOnce sends an act again under its key: at once it is refused as carried out, and one
// that a job does is answered with that job. Each is recorded once.
func TestActOnce(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for range 3 {
		submit(t, s, "noop")
	}
	a := work.JobAct{Act: work.ActPriority, ActOptions: work.ActOptions{Priority: new(9)}, Filter: work.JobFilter{Type: "noop"}}
	a.Narrow(principals()["admin"])
	actor := access.WithActor(t.Context(), access.Actor{UserID: a.UserID, Username: a.By})
	ctx := work.WithSubmissionKey(actor, work.SubmissionKey{UserID: a.UserID, Key: "at-once", Fingerprint: []byte("a"), RequestID: "1"})
	again := work.WithSubmissionKey(actor, work.SubmissionKey{UserID: a.UserID, Key: "at-once", Fingerprint: []byte("a"), RequestID: "2"})
	first, err := s.Jobs().Act(ctx, a)
	must(t, err)
	if first.Done != 3 || first.JobID != "" {
		t.Errorf("%+v, want 3 done", first)
	}
	if _, err := s.Jobs().Act(again, a); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("sent again: %v", err)
	}
	later := work.WithSubmissionKey(actor, work.SubmissionKey{UserID: a.UserID, Key: "by-a-job", Fingerprint: []byte("b"), RequestID: "3"})
	byJob, err := s.Jobs().ActByJob(later, a)
	must(t, err)
	same, err := s.Jobs().ActByJob(later, a)
	must(t, err)
	if same.JobID != byJob.JobID || same.Selected != 3 {
		t.Errorf("sent again: %+v, want %+v", same, byJob)
	}
	entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Object: "jobs", Limit: 10})
	must(t, err)
	if len(entries) != 2 || entries[0].ObjectID != byJob.JobID || entries[1].Action != "job.reprioritize" {
		t.Errorf("recorded: %+v", entries)
	}
}

// TestRetryFrom retries from the checkpoint, from the start and with other data, and finds one
// job from the other.
func TestRetryFrom(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	for _, c := range []struct {
		retry      work.Retry
		checkpoint string
		data       string
	}{
		{work.Retry{}, "", `{"ms": 5}`},
		{work.Retry{From: work.RetryFromStart}, "", `{"ms": 5}`},
		{work.Retry{From: work.RetryFromCheckpoint}, `{"done": 3}`, `{"ms": 5}`},
		{work.Retry{Data: json.RawMessage(`{"ms": 6}`)}, "", `{"ms": 6}`},
	} {
		old := submit(t, s, "sleep", func(j *work.NewJob) { j.Data = json.RawMessage(`{"ms": 5}`) })
		execSQL(t, dsn, `UPDATE kg_api.jobs SET status = 'failed', completed_at = now(), checkpoint = '{"done": 3}' WHERE job_id = $1`, old.ID)
		c.retry.JobID, c.retry.UserID = old.ID, access.SystemUserID
		job, err := s.Jobs().RetryJob(t.Context(), c.retry)
		must(t, err)
		var checkpoint, data *string
		must(t, connect(t, dsn).QueryRow(t.Context(), "SELECT checkpoint::text, data::text FROM kg_api.jobs WHERE job_id = $1", job.ID).Scan(&checkpoint, &data))
		if (checkpoint != nil) != (c.checkpoint != "") || checkpoint != nil && *checkpoint != c.checkpoint || *data != c.data {
			t.Errorf("%+v begins with %v and %s", c.retry, checkpoint, *data)
		}
		link, err := s.Jobs().RetriedAs(t.Context(), old.ID)
		must(t, err)
		if job.RetryOf == nil || *job.RetryOf != old.ID || link == nil || link.JobID != job.ID || link.Status != job.Status {
			t.Errorf("%s is a retry of %v, and %s was retried as %+v", job.ID, job.RetryOf, old.ID, link)
		}
	}
}

// TestRunNowWaitsItsTurn has a suspect, which runs alone, not run beside another one.
func TestRunNowWaitsItsTurn(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	at := kappa.At(time.Now().Add(time.Hour))
	later := func(j *work.NewJob) { j.RunAt = &at }
	usual, suspect, due := submit(t, s, "noop", later), submit(t, s, "noop", later), submit(t, s, "noop")
	execSQL(t, dsn, "UPDATE kg_api.jobs SET crash_count = $2, crash_since = now() WHERE job_id = $1", suspect.ID, work.QuarantineCrashes-1)
	a := work.JobAct{Act: work.ActRunNow, Filter: work.JobFilter{IDs: []string{usual.ID, suspect.ID, due.ID}}}
	a.Narrow(principals()["admin"])
	report, err := s.Jobs().Act(t.Context(), a)
	must(t, err)
	if report.Done != 2 || report.Refused != 1 {
		t.Errorf("%+v, want two done and the one that is due refused", report)
	}
	for id, want := range map[string]bool{usual.ID: true, suspect.ID: false, due.ID: true} {
		var is bool
		must(t, connect(t, dsn).QueryRow(t.Context(), "SELECT due FROM kg_api.jobs WHERE job_id = $1 AND run_at <= now()", id).Scan(&is))
		if is != want {
			t.Errorf("%s is due: %t", id, is)
		}
	}
}
