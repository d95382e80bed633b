package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// JobStore keeps jobs: it submits and reads them, and stores what users decide.
type JobStore struct{ *base }

// Jobs returns the store of jobs.
func (d *DB) Jobs() JobStore { return JobStore{&d.base} }

const mostJobsByID = 500

// Job returns a job. It returns a CodeNotFound Error for an unknown id.
func (s JobStore) Job(ctx context.Context, id string) (work.Job, error) {
	row, err := s.q().JobByID(ctx, id)
	if isNoRows(err) {
		return work.Job{}, notFound("Job not found: %s", id)
	}
	if err != nil {
		return work.Job{}, translate(err, "read job "+id)
	}
	job, err := toJob(row.KgApiShownJob)
	if row.QueuePosition > 0 {
		job.QueuePosition = new(int(row.QueuePosition))
	}
	if err != nil {
		return job, err
	}
	one := []work.Job{job}
	err = s.addModels(ctx, one)
	return one[0], err
}

// RetriedAs returns the last job that was submitted for the work of another one again, nil
// when none was. The caller asks who may see it.
func (s JobStore) RetriedAs(ctx context.Context, id string) (*work.JobLink, error) {
	r, err := s.q().JobRetriedAs(ctx, id)
	if isNoRows(err) {
		return nil, nil //nolint:nilnil // there is none
	}
	row := access.Row{Owner: int(r.UserID), ID: r.JobID, Type: r.JobType, Ontology: or(r.Ontology, "")}
	return &work.JobLink{JobID: r.JobID, Status: work.Status(r.Status), Of: row}, translate(err, "read the retry of "+id)
}

// JobsByIDs returns jobs by their ids, in no particular order and without their
// position in the queue; unknown ids are left out. It returns a CodeInvalid Error
// for more than 500 ids.
func (s JobStore) JobsByIDs(ctx context.Context, ids []string) ([]work.Job, error) {
	if len(ids) > mostJobsByID {
		return nil, kappa.NewError(kappa.CodeInvalid, fmt.Sprintf("at most %d jobs can be read at once, got %d", mostJobsByID, len(ids)))
	}
	rows, err := s.q().JobsByIDs(ctx, ids)
	if err != nil {
		return nil, translate(err, "read jobs")
	}
	jobs := make([]work.Job, len(rows))
	for i, row := range rows {
		if jobs[i], err = toJob(row); err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// filterColumns returns the ontology and the type that each filter of rows selects, ""
// for any.
func filterColumns(filters []access.RowFilter, typeName string) (ontologies, types []string) {
	ontologies, types = []string{}, []string{}
	for _, f := range filters {
		ontologies, types = append(ontologies, f["ontology"]), append(types, f[typeName])
	}
	return ontologies, types
}

// toJob turns a row into the domain's form.
func toJob(r db.KgApiShownJob) (work.Job, error) {
	job := work.Job{
		ID: r.JobID, Type: r.JobType, Status: work.Status(r.Status), UserID: int(r.UserID), Username: &r.Username,
		Result: r.Result, Error: r.Error, ApprovedBy: r.ApprovedBy,
		JobTimes: work.JobTimes{
			CreatedAt: kappa.At(r.CreatedAt), ApprovedAt: kappa.AtPtr(r.ApprovedAt), ExpiresAt: kappa.AtPtr(r.ExpiresAt),
			StartedAt: kappa.AtPtr(r.StartedAt), CompletedAt: kappa.AtPtr(r.CompletedAt),
		},
		JobDocument: work.JobDocument{
			ContentHash: r.ContentHash, Ontology: r.Ontology, ProcessingMode: r.ProcessingMode, Filename: r.Filename,
			SourceType: r.SourceType, SourcePath: r.SourcePath, SourceHostname: r.SourceHostname,
		},
		JobDispatch: work.JobDispatch{
			Queue: r.Queue, Priority: int(r.Priority), Lane: r.Lane, Attempt: int(r.Attempt), Retries: int(r.Retries),
			MaxRetries: int(r.MaxRetries), CancelRequested: r.CancelRequested, EventSeq: r.EventSeq, ParentID: r.ParentID, RetryOf: r.RetryOf,
		},
	}
	if b := (corpus.Budget{USD: r.BudgetUsd, Tokens: r.BudgetTokens}); b.Limited() {
		job.Budget = &b
	}
	if job.Status == work.StatusAwaitingApproval { // the error of one is why it paused
		job.PauseReason, job.Error = job.Error, nil
	}
	if !r.Due && !job.Status.Terminal() {
		job.RunAt = new(kappa.At(r.RunAt))
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
