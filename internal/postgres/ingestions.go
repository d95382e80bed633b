package postgres

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// IngestionStore takes documents in, with their jobs and analyses.
type IngestionStore struct{ *base }

// Ingestions returns the store of documents that are taken in.
func (d *DB) Ingestions() IngestionStore { return IngestionStore{&d.base} }

const (
	documentJobConstraint = "jobs_one_per_document_idx"
	duplicateWindow       = work.DuplicateWindowDays * 24 * time.Hour
)

// SubmitIngestion stores a document and the job that reads it, which is then
// pending, in one transaction. Without sub.Force it returns the work that is already
// there for the same bytes and ontology; two identical submissions at the same moment
// make one job. It returns CodeForbidden for a frozen ontology,
// and CodeConflict for a name that a tombstone blocks.
func (s IngestionStore) SubmitIngestion(ctx context.Context, sub work.Submission, job work.NewJob) (work.Submitted, error) {
	for {
		answer, err := s.submitOnce(ctx, sub, job)
		if violates(err, documentJobConstraint) || violates(err, jobIDConstraint) {
			continue // another submission won: find it, or take another id
		}
		if isNoRows(err) {
			continue // another submission under the same key won
		}
		if err != nil {
			return answer, translate(err, "store the document")
		}
		if !answer.Duplicate {
			s.committed(answer.JobID)
		}
		return answer, nil
	}
}

func (s IngestionStore) submitOnce(ctx context.Context, sub work.Submission, job work.NewJob) (work.Submitted, error) {
	answer := work.Submitted{Status: work.StatusPending, ContentHash: sub.ContentHash}
	usd, tokens := budgetOf(job)
	p := db.JobInsertParams{
		JobType: job.Type, Status: string(work.StatusPending), Queue: job.Queue, Priority: int16(job.Priority),
		UserID: int32(job.UserID), MaxRetries: int32(job.MaxRetries), Data: job.Data, Ontology: &sub.Ontology,
		ContentHash: &sub.ContentHash, Forced: sub.Force, ProcessingMode: &sub.ProcessingMode, Filename: &sub.Filename,
		SourceType: sub.SourceType, SourcePath: sub.SourcePath, SourceHostname: sub.SourceHostname,
		BudgetUsd: usd, BudgetTokens: tokens, DocumentKey: sub.Key, Versioned: sub.Replace != corpus.ReplaceNone && sub.Known(),
	}
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		if k, ok := work.SubmissionKeyOf(ctx); ok {
			p.Key, p.Fingerprint = &k.Key, k.Fingerprint
			before, found, err := submittedUnder(ctx, q, k)
			if err != nil || found {
				answer.JobID = before
				return err
			}
		}
		if err := checkOntology(ctx, q, sub.Ontology); err != nil {
			return err
		}
		v, err := beginVersion(ctx, q, sub)
		if err != nil {
			return err
		}
		if !sub.Force {
			before := answer
			found, err := existing(ctx, q, sub, &answer)
			if err != nil {
				return err
			}
			if found && answer.Status != work.StatusCompleted {
				return v.submittedAgain(ctx, q, sub, answer.JobID)
			}
			if found {
				if again, err := v.again(ctx, q, sub); err != nil || !again {
					return err
				}
			}
			answer = before
		}
		answer.EarlierVersions = v.staying
		if p.Data, err = v.told(job.Data); err != nil {
			return err
		}
		if answer.Waiting, err = mayWait(ctx, q, sub); err != nil {
			return err
		}
		if err := storeContent(ctx, q, sub.ContentHash, sub.Body); err != nil {
			return err
		}
		answer.JobID, err = insertJob(ctx, q, p)
		return err
	})
	return answer, err
}

// submittedUnder returns the job that a request under the same key has made.
func submittedUnder(ctx context.Context, q *db.Queries, k work.SubmissionKey) (jobID string, found bool, err error) {
	row, err := q.SubmissionByKey(ctx, int32(k.UserID), k.Key)
	switch {
	case isNoRows(err):
		return "", false, nil
	case err != nil:
		return "", false, err
	case !bytes.Equal(row.Fingerprint, k.Fingerprint):
		return "", false, keyReused(row.JobID)
	case row.JobID == "":
		return "", false, errCarriedOut()
	}
	return row.JobID, true, nil
}

// mayWait refuses a submission whose user has as many documents that wait for their analysis
// as may wait, and returns how many there are, if that was asked for.
func mayWait(ctx context.Context, q *db.Queries, sub work.Submission) (int, error) {
	if sub.MostWaiting == 0 {
		return 0, nil
	}
	waiting, err := q.WaitingAnalyses(ctx, int32(sub.UserID), int32(sub.MostWaiting))
	if err == nil && int(waiting) >= sub.MostWaiting {
		return 0, &kappa.Error{
			Code: kappa.CodeRateLimited, RetryAfter: work.WaitForAnalyses,
			Message: fmt.Sprintf("%d documents of yours wait for their analysis, and no more may; nothing was stored. Submit this one again when some of them are analysed", waiting),
		}
	}
	return int(waiting), err
}

// checkOntology refuses to write to a frozen ontology, and to one whose name is blocked.
func checkOntology(ctx context.Context, q *db.Queries, name string) error {
	state, err := q.OntologyState(ctx, name)
	switch {
	case isNoRows(err):
	case err != nil:
		return err
	case state == ontologies.LifecycleFrozen:
		return frozen(name, "ingesting")
	default:
		return nil
	}
	blocked, err := q.TombstoneExists(ctx, name)
	if err == nil && blocked {
		return conflict("Ontology '%s' was deleted and its name is blocked. Clear the tombstone or recreate the ontology.", name)
	}
	return err
}

// existing fills answer with the work that sub would repeat, if there is any.
func existing(ctx context.Context, q *db.Queries, sub work.Submission, answer *work.Submitted) (bool, error) {
	job, err := q.IngestionExisting(ctx, &sub.ContentHash, &sub.Ontology, duplicateWindow)
	if err == nil {
		*answer = work.Submitted{
			JobID: job.JobID, Status: work.Status(job.Status), ContentHash: sub.ContentHash, Duplicate: true,
			Row:       access.Row{Owner: int(job.UserID), ID: job.JobID, Type: job.JobType, Ontology: sub.Ontology},
			CreatedAt: kappa.At(job.CreatedAt), CompletedAt: kappa.AtPtr(job.CompletedAt), Result: job.Result,
		}
		return true, nil
	}
	if !isNoRows(err) {
		return false, err
	}
	doc, err := q.DocumentExisting(ctx, sub.ContentHash, sub.Ontology, duplicateWindow)
	if isNoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	result, err := json.Marshal(map[string]any{
		"document_id": doc.DocumentID, "filename": doc.Filename, "source_type": doc.SourceType, "source_count": doc.Sources,
	})
	*answer = work.Submitted{
		JobID: doc.JobID, Status: work.StatusCompleted, ContentHash: sub.ContentHash, Duplicate: true,
		Row:       access.Row{Owner: int(or(doc.UserID, 0)), ID: doc.JobID, Ontology: sub.Ontology},
		CreatedAt: kappa.At(doc.CreatedAt), CompletedAt: new(kappa.At(doc.CreatedAt)), Result: result,
	}
	return true, err
}

// IngestionDocument returns what the submission of a job said about the document. It
// returns ErrStale when the claim is not current.
func (s IngestionStore) IngestionDocument(ctx context.Context, c work.Claim) (work.JobDocument, error) {
	row, err := s.q().IngestionDocument(ctx, c.JobID, c.Token, c.Worker)
	if isNoRows(err) {
		return work.JobDocument{}, kappa.ErrStale
	}
	return work.JobDocument{
		ContentHash: row.ContentHash, Ontology: row.Ontology, ProcessingMode: row.ProcessingMode, Filename: row.Filename,
		SourceType: row.SourceType, SourcePath: row.SourcePath, SourceHostname: row.SourceHostname,
	}, translate(err, "read the document of "+c.JobID)
}
