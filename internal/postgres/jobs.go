package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

const (
	jobIDConstraint = "jobs_pkey"
	mostJobsByID    = 500
	// suspectPoll is how soon the scheduler polls again while a suspect waits
	// for its turn: nothing notifies that the one before has ended, for that would cost
	// each end of a job. It adds this much to the time of a suspect, and two quick
	// statements four times a second to an installation where jobs kill servers.
	suspectPoll = 250 * time.Millisecond
)

// SubmitJob stores a job of a registered type: approved at once when
// j.AutoApprove is set, waiting for approval otherwise. With a key that was used
// for the same before it returns that job as it is now. It returns CodeInvalid when
// j breaks a rule or its key was used for something else, and CodeConflict when the
// job of that key was deleted since.
func (s JobStore) SubmitJob(ctx context.Context, j kappa.NewJob) (kappa.Job, error) {
	if err := j.Validate(); err != nil {
		return kappa.Job{}, err // the database would refuse it with the row in its log
	}
	p := db.JobInsertParams{
		JobType: j.Type, Status: string(kappa.StatusAwaitingApproval), Queue: j.Queue, Priority: int16(j.Priority),
		UserID: int32(j.UserID), IsSystem: j.UserID == kappa.SystemUserID,
		ApprovalExpires: kappa.ApprovalExpires, MaxRetries: int32(j.MaxRetries), Data: j.Data,
	}
	if j.RunAt != nil {
		p.RunAt = &j.RunAt.Time
	}
	if j.AutoApprove {
		p.Status, p.ApprovedBy = string(kappa.StatusApproved), ptr(kappa.ApprovedByAuto)
	}
	if j.Key != "" {
		p.Key, p.Fingerprint = &j.Key, j.Fingerprint()
	}
	var id string
	err := withNewID(func() (err error) {
		id, err = insertJob(ctx, s.q(), p)
		return err
	})
	if isNoRows(err) {
		forgotten := kappa.NewError(kappa.CodeUnavailable, "the key of the submission was forgotten this moment; submit again")
		return s.submittedBefore(ctx, j.UserID, j.Key, p.Fingerprint, forgotten)
	}
	if err != nil {
		return kappa.Job{}, translate(err, "store the job")
	}
	s.committed(id)
	return s.Job(ctx, id)
}

// submittedBefore returns the job that a key was used for. It returns otherwise
// when there is no key, or none such is known.
func (s JobStore) submittedBefore(ctx context.Context, userID int, key string, fingerprint []byte, otherwise error) (kappa.Job, error) {
	if key == "" {
		return kappa.Job{}, otherwise
	}
	row, err := s.q().SubmissionByKey(ctx, int32(userID), key)
	if isNoRows(err) {
		return kappa.Job{}, otherwise
	}
	if err != nil {
		return kappa.Job{}, translate(err, "read the key of a submission")
	}
	if !bytes.Equal(row.Fingerprint, fingerprint) {
		return kappa.Job{}, kappa.Invalid(kappa.FieldError{
			In: "header", Name: "Idempotency-Key", Rule: "was used for another submission, of job " + row.JobID + "; send a new one with each job",
		})
	}
	job, err := s.Job(ctx, row.JobID)
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return kappa.Job{}, conflict("Job %s was submitted with this key, and deleted since", row.JobID)
	}
	return job, err
}

// PurgeSubmissions forgets the keys of submissions that are older than
// kappa.SubmissionKept.
func (s JobStore) PurgeSubmissions(ctx context.Context) error {
	return translate(s.q().SubmissionPurge(ctx, kappa.SubmissionKept), "purge the keys of submissions")
}

// insertJob stores a job under a new id, which may be taken; see withNewID.
func insertJob(ctx context.Context, q *db.Queries, p db.JobInsertParams) (string, error) {
	p.JobID = kappa.NewJobID()
	_, err := q.JobInsert(ctx, p)
	return p.JobID, err
}

// withNewID has a job stored under a new id, and once more while the id is taken:
// with a transaction of its own each time, for the last one is over then.
func withNewID(store func() error) error {
	for {
		if err := store(); !violates(err, jobIDConstraint) {
			return err
		}
	}
}

// Job returns a job. It returns a CodeNotFound Error for an unknown id.
func (s JobStore) Job(ctx context.Context, id string) (kappa.Job, error) {
	row, err := s.q().JobByID(ctx, id)
	if isNoRows(err) {
		return kappa.Job{}, notFound("Job not found: %s", id)
	}
	if err != nil {
		return kappa.Job{}, translate(err, "read job "+id)
	}
	job, err := toJob(row.KgApiShownJob)
	if row.QueuePosition > 0 {
		job.QueuePosition = ptr(int(row.QueuePosition))
	}
	return job, err
}

// JobsByIDs returns jobs by their ids, in no particular order and without their
// position in the queue; unknown ids are left out. It returns a CodeInvalid Error
// for more than 500 ids.
func (s JobStore) JobsByIDs(ctx context.Context, ids []string) ([]kappa.Job, error) {
	if len(ids) > mostJobsByID {
		return nil, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("at most %d jobs can be read at once, got %d", mostJobsByID, len(ids)))
	}
	rows, err := s.q().JobsByIDs(ctx, ids)
	if err != nil {
		return nil, translate(err, "read jobs")
	}
	jobs := make([]kappa.Job, len(rows))
	for i, row := range rows {
		if jobs[i], err = toJob(row); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// Jobs returns the jobs that f selects, newest first.
func (s JobStore) Jobs(ctx context.Context, f kappa.JobFilter) ([]kappa.Job, error) {
	rows, err := s.q().JobList(ctx, db.JobListParams{
		Status: string(f.Status), Ontology: f.Ontology, JobType: f.Type, Username: f.User,
		MaxJobs: int32(f.Limit), Skip: int32(f.Offset),
	})
	if err != nil {
		return nil, translate(err, "list jobs")
	}
	jobs := make([]kappa.Job, len(rows))
	for i, row := range rows {
		if jobs[i], err = toJob(row); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// Approve approves a job that waits for it, and wakes its lanes. It returns
// CodeConflict when the job is in another status: of two concurrent decisions
// exactly one wins.
func (s JobStore) Approve(ctx context.Context, id, by string) error {
	_, err := s.q().JobApprove(ctx, by, id)
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		return conflict("Job not awaiting approval (status: %s)", job.Status)
	}
	if err != nil {
		return translate(err, "approve job "+id)
	}
	s.committed(id)
	return nil
}

// Cancel cancels a job that no worker has, or asks the worker of a running one
// to stop, which running reports. It may be repeated. It returns CodeConflict
// for a job that is over.
func (s JobStore) Cancel(ctx context.Context, id string) (running bool, err error) {
	row, err := s.q().JobCancel(ctx, id)
	if isNoRows(err) {
		job, err := s.Job(ctx, id)
		if err != nil {
			return false, err
		}
		return false, conflict("Cannot cancel job in status: %s", job.Status)
	}
	if err != nil {
		return false, translate(err, "cancel job "+id)
	}
	s.committed(id)
	return row.Asked > 0, nil
}

// ExpireJobs cancels jobs that nobody approved in time, many at once, and returns
// how many.
func (s QueueStore) ExpireJobs(ctx context.Context) (int, error) {
	ids, err := s.q().JobExpired(ctx, "Expired - not approved within 24 hours")
	if err != nil {
		return 0, translate(err, "cancel expired jobs")
	}
	if len(ids) > 0 {
		s.committed(ids...)
	}
	return len(ids), nil
}

// MakeDue lets jobs be claimed whose time has come, and of the suspects the next
// one when no other is due or runs. It returns their types, and how long until the
// next job becomes due, at most within; while suspects wait for their turn, it is
// to be called again soon.
func (s QueueStore) MakeDue(ctx context.Context, within time.Duration) (types []string, next time.Duration, err error) {
	types, next, err = makeDue(ctx, s.q(), within)
	return types, next, translate(err, "make jobs due")
}

// makeDue is MakeDue on the caller's connection.
func makeDue(ctx context.Context, q *db.Queries, within time.Duration) (types []string, next time.Duration, err error) {
	if types, err = q.JobDue(ctx, kappa.QuarantineCrashes, kappa.CrashWindow, kappa.SuspectTurn); err != nil {
		return nil, within, err
	}
	wait, err := q.JobNextRun(ctx, db.JobNextRunParams{
		Quarantine: kappa.QuarantineCrashes, CrashWindow: kappa.CrashWindow,
		WithinMs: within.Milliseconds(), SuspectMs: suspectPoll.Milliseconds(),
	})
	if err != nil {
		return types, within, err
	}
	return types, max(0, time.Duration(wait)*time.Millisecond), nil
}

// QueueCounts returns how many jobs are pending, awaiting approval, approved
// and processing.
func (s FigureStore) QueueCounts(ctx context.Context) (map[kappa.Status]int, error) {
	rows, err := s.q().JobOpenCounts(ctx)
	if err != nil {
		return nil, translate(err, "count jobs")
	}
	counts := make(map[kappa.Status]int, len(rows))
	for _, row := range rows {
		counts[kappa.Status(row.Status)] = int(row.Jobs)
	}
	return counts, nil
}

// WaitingJobs returns how many jobs wait for a slot, which those that are
// approved for a later time do not.
func (s FigureStore) WaitingJobs(ctx context.Context) (int, error) {
	n, err := s.q().JobsWaiting(ctx)
	return int(n), translate(err, "count waiting jobs")
}

// toJob turns a row into the domain's form.
func toJob(r db.KgApiShownJob) (kappa.Job, error) {
	job := kappa.Job{
		ID: r.JobID, Type: r.JobType, Status: kappa.Status(r.Status), UserID: int(r.UserID), Username: &r.Username,
		Result: r.Result, Error: r.Error, ApprovedBy: r.ApprovedBy,
		JobTimes: kappa.JobTimes{
			CreatedAt: kappa.At(r.CreatedAt), ApprovedAt: kappa.AtPtr(r.ApprovedAt), ExpiresAt: kappa.AtPtr(r.ExpiresAt),
			StartedAt: kappa.AtPtr(r.StartedAt), CompletedAt: kappa.AtPtr(r.CompletedAt),
		},
		JobDocument: kappa.JobDocument{
			ContentHash: r.ContentHash, Ontology: r.Ontology, ProcessingMode: r.ProcessingMode, Filename: r.Filename,
			SourceType: r.SourceType, SourcePath: r.SourcePath, SourceHostname: r.SourceHostname,
		},
		JobDispatch: kappa.JobDispatch{
			Queue: r.Queue, Priority: int(r.Priority), Lane: r.Lane, Attempt: int(r.Attempt), Retries: int(r.Retries),
			MaxRetries: int(r.MaxRetries), CancelRequested: r.CancelRequested, EventSeq: r.EventSeq,
		},
	}
	if !r.Due && !job.Status.Terminal() {
		job.RunAt = ptr(kappa.At(r.RunAt))
	}
	if err := decode(r.Progress, &job.Progress); err != nil {
		return job, translate(err, "decode the progress of "+r.JobID)
	}
	if err := decode(r.Analysis, &job.Analysis); err != nil {
		return job, translate(err, "decode the analysis of "+r.JobID)
	}
	return job, nil
}

// decode reads JSON into v; NULL leaves v as it is.
func decode(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, v)
}

func ptr[T any](v T) *T { return &v }
