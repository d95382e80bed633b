package postgres

import (
	"bytes"
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

const jobIDConstraint = "jobs_pkey"

// SubmitJob stores a job of a registered type: approved at once when
// j.AutoApprove is set, waiting for approval otherwise. With a key that was used
// for the same before it returns that job as it is now. It returns CodeInvalid when
// j breaks a rule or its key was used for something else, and CodeConflict when the
// job of that key was deleted since.
func (s JobStore) SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error) {
	if err := j.Validate(); err != nil {
		return work.Job{}, err // the database would refuse it with the row in its log
	}
	p := db.JobInsertParams{
		JobType: j.Type, Status: string(work.StatusAwaitingApproval), Queue: j.Queue, Priority: int16(j.Priority),
		UserID: int32(j.UserID), IsSystem: j.UserID == access.SystemUserID,
		ApprovalExpires: work.ApprovalExpires, MaxRetries: int32(j.MaxRetries), RetriesAsked: j.RetriesAsked, Data: j.Data, Remote: j.Remote,
	}
	if j.DeadlineMS != nil {
		p.DeadlineMs = new(int32(*j.DeadlineMS))
	}
	if j.ParentID != "" {
		p.ParentID = &j.ParentID
	}
	p.BudgetUsd, p.BudgetTokens = budgetOf(j)
	if j.RunAt != nil {
		p.RunAt = &j.RunAt.Time
	}
	if j.AutoApprove {
		p.Status, p.ApprovedBy = string(work.StatusApproved), new(work.ApprovedByAuto)
	}
	if j.Key != "" {
		p.Key, p.Fingerprint = &j.Key, j.Fingerprint()
	}
	if k, ok := work.SubmissionKeyOf(ctx); ok {
		j.Key, p.Key, p.Fingerprint = k.Key, &k.Key, k.Fingerprint
	}
	var id string
	clips := artifacts.DataclipReferences(j.Data)
	insert := func(q *db.Queries) (err error) {
		if id, err = insertJob(ctx, q, p); err != nil {
			return err
		}
		return useDataclips(ctx, q, id, p.UserID, clips)
	}
	err := withNewID(func() error {
		if len(clips) == 0 { // a statement is enough
			return insert(s.q())
		}
		return inTx(ctx, s.jobs, insert)
	})
	if isNoRows(err) {
		forgotten := kappa.NewError(kappa.CodeUnavailable, "the key of the submission was forgotten this moment; submit again")
		return s.submittedBefore(ctx, j.UserID, j.Key, p.Fingerprint, forgotten)
	}
	if err != nil {
		return work.Job{}, translate(err, "store the job")
	}
	s.committed(id)
	return s.Job(ctx, id)
}

// RetryJob submits the work of a failed or cancelled job again, for a user: a
// new job with the same type, data, document and options, and a history of its
// own. What had been approved once is approved; the rest waits for approval. It
// returns CodeConflict for a job in another status, and when a job for the same
// document is under way. A key works as with SubmitJob.
func (s JobStore) RetryJob(ctx context.Context, r work.Retry) (work.Job, error) {
	p := retryParams(r)
	if r.Key != "" {
		p.Key, p.Fingerprint = &r.Key, r.Fingerprint()
	}
	if k, ok := work.SubmissionKeyOf(ctx); ok {
		r.Key, p.Key, p.Fingerprint = k.Key, &k.Key, k.Fingerprint
	}
	for {
		p.NewID = kappa.NewJobID()
		err := s.acting(ctx, func(q *db.Queries) error {
			if err := retryJob(ctx, q, p); err != nil {
				return err
			}
			return record(ctx, q, jobAct("retry", r.JobID, nil, map[string]any{"new_job_id": p.NewID}))
		})
		switch {
		case err == nil:
			s.committed(p.NewID)
			return s.Job(ctx, p.NewID)
		case violates(err, jobIDConstraint):
			continue
		case violates(err, documentJobConstraint):
			return s.submittedBefore(ctx, r.UserID, r.Key, p.Fingerprint, documentUnderWay(r.JobID))
		case !isNoRows(err):
			return work.Job{}, translate(err, "retry job "+r.JobID)
		}
		return s.submittedBefore(ctx, r.UserID, r.Key, p.Fingerprint, s.refused(ctx, work.JobAct{Act: work.ActRetry, ActOptions: work.ActOptions{Gaps: r.Gaps}}, r.JobID))
	}
}

func retryParams(r work.Retry) db.JobRetryParams {
	return db.JobRetryParams{
		OldID: r.JobID, UserID: int32(r.UserID), ApprovalExpires: work.ApprovalExpires, Gaps: r.Gaps, Data: r.Data,
		FromStart: r.From == work.RetryFromStart, FromCheckpoint: r.Resumes(),
	}
}

// retryJob submits the work of a job again, under a new id that may be taken.
func retryJob(ctx context.Context, q *db.Queries, p db.JobRetryParams) error {
	err := submitting(ctx, p.NewID, "", func(ctx context.Context, traceparent *string) error {
		tracing.FromContext(ctx).String(tracing.JobRetryOf, p.OldID)
		p.Traceparent = traceparent
		_, err := q.JobRetry(ctx, p)
		return err
	})
	if err != nil {
		return err
	}
	if p.Data != nil {
		return useDataclips(ctx, q, p.NewID, p.UserID, artifacts.DataclipReferences(p.Data))
	}
	return q.DataclipsUseAgain(ctx, p.NewID, p.OldID)
}

// documentUnderWay is why a job about a document cannot be submitted again.
func documentUnderWay(id string) error {
	return conflict("Cannot retry job %s: a job for the same document is under way", id)
}

// submittedBefore returns the job that a key was used for. It returns otherwise
// when there is no key, or none such is known.
func (s JobStore) submittedBefore(ctx context.Context, userID int, key string, fingerprint []byte, otherwise error) (work.Job, error) {
	if key == "" {
		return work.Job{}, otherwise
	}
	row, err := s.q().SubmissionByKey(ctx, int32(userID), key)
	if isNoRows(err) {
		return work.Job{}, otherwise
	}
	if err != nil {
		return work.Job{}, translate(err, "read the key of a submission")
	}
	id := row.JobID
	if !bytes.Equal(row.Fingerprint, fingerprint) {
		return work.Job{}, keyReused(id)
	}
	if id == "" {
		return work.Job{}, errCarriedOut()
	}
	job, err := s.Job(ctx, id)
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return work.Job{}, conflict("Job %s was submitted with this key, and deleted since", id)
	}
	return job, err
}

// keyReused returns the error about a key that comes with another request than the one
// that made a job; "" is none.
func keyReused(jobID string) error {
	rule := "was used for another submission"
	if jobID != "" {
		rule += ", of job " + jobID
	}
	return kappa.Invalid(kappa.FieldError{In: "header", Name: "Idempotency-Key", Rule: rule + "; send a new one with each job"})
}

// errCarriedOut is about a request under a key that another one carries out, or has.
func errCarriedOut() error {
	return conflict("A request with this Idempotency-Key is being answered, or was; send it again for its answer")
}

// beginSubmission records in the transaction of q that the request of ctx makes something
// that is no job. It returns a CodeConflict Error when another one under the same key has
// done so; without a key it does nothing.
func beginSubmission(ctx context.Context, q *db.Queries) error {
	k, ok := work.SubmissionKeyOf(ctx)
	if !ok {
		return nil
	}
	n, err := q.SubmissionBegin(ctx, db.SubmissionBeginParams{UserID: int32(k.UserID), Key: k.Key, Fingerprint: k.Fingerprint, RequestID: k.RequestID})
	if err == nil && n == 0 {
		err = errCarriedOut()
	}
	return err
}

// Submission returns what a user used a key for; false when it is new.
func (s JobStore) Submission(ctx context.Context, userID int, key string) (work.KeptSubmission, bool, error) {
	row, err := s.q().SubmissionByKey(ctx, int32(userID), key)
	if isNoRows(err) {
		return work.KeptSubmission{}, false, nil
	}
	kept := work.KeptSubmission{Fingerprint: row.Fingerprint, JobID: row.JobID, Answer: row.Answer}
	if row.Status != nil {
		kept.Status = int(*row.Status)
	}
	return kept, err == nil, translate(err, "read the key of a submission")
}

// KeepAnswer keeps the answer to the request of a key, unless there is one.
func (s JobStore) KeepAnswer(ctx context.Context, k work.SubmissionKey, status int, answer []byte) error {
	return translate(s.q().SubmissionAnswered(ctx, db.SubmissionAnsweredParams{
		UserID: int32(k.UserID), Key: k.Key, Fingerprint: k.Fingerprint, RequestID: k.RequestID, Status: int16(status), Answer: answer,
	}), "keep the answer to a submission")
}

// PurgeSubmissions forgets the keys of submissions that are older than keep.
func (s JobStore) PurgeSubmissions(ctx context.Context, keep time.Duration) error {
	return translate(s.q().SubmissionPurge(ctx, keep), "purge the keys of submissions")
}

// budgetOf returns what a new job may spend, as its row has it.
func budgetOf(j work.NewJob) (usd *float64, tokens *int64) {
	if j.Budget == nil {
		return nil, nil
	}
	return j.Budget.USD, j.Budget.Tokens
}

// insertJob stores a job under a new id, which may be taken; see withNewID.
func insertJob(ctx context.Context, q *db.Queries, p db.JobInsertParams) (string, error) {
	p.JobID = kappa.NewJobID()
	return p.JobID, insertNamed(ctx, q, p)
}

// insertNamed stores a job under the id that it has.
func insertNamed(ctx context.Context, q *db.Queries, p db.JobInsertParams) error {
	return submitting(ctx, p.JobID, p.JobType, func(ctx context.Context, traceparent *string) error {
		p.Traceparent = traceparent
		_, err := q.JobInsert(ctx, p)
		return err
	})
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
