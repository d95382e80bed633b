package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
)

// submissionStore is what a Submitter needs of the store.
type submissionStore interface {
	// SubmitIngestion stores the document and job, which is then pending, or returns
	// the work that is there already.
	SubmitIngestion(ctx context.Context, s kappa.Submission, job kappa.NewJob) (kappa.Submitted, error)
}

// recogniser knows the formats of documents.
type recogniser interface {
	// Recognise decides what format a document has, or refuses it with a message
	// for the submitter. filename and declared are hints.
	Recognise(body []byte, filename, declared string) (kappa.ContentType, error)
}

// Submitter takes documents in.
type Submitter struct {
	store   submissionStore
	formats recogniser
	wake    func()
}

// NewSubmitter returns a Submitter that calls wake, which must not block, after
// each new job: the Wake of this process's Analyst.
func NewSubmitter(store submissionStore, formats recogniser, wake func()) *Submitter {
	return &Submitter{store: store, formats: formats, wake: wake}
}

// Submit stores s, whose values the caller has validated, as a pending job; the
// analysis follows. It fills in the content type, for which the caller's is a
// hint, and the content hash. It returns the errors of Recognise, a CodeInvalid Error
// for chunking that breaks a rule, and the errors of the store. When it returns an
// error nothing is stored.
func (u *Submitter) Submit(ctx context.Context, s kappa.Submission) (kappa.Submitted, error) {
	contentType, err := u.formats.Recognise(s.Body, s.Filename, string(s.ContentType))
	if err != nil {
		return kappa.Submitted{}, err
	}
	s.ContentType = contentType
	s.ContentHash = kappa.ContentHash(s.Body)
	job, err := newJob(s)
	if err != nil {
		return kappa.Submitted{}, err
	}
	submitted, err := u.store.SubmitIngestion(ctx, s, job)
	if err != nil {
		return kappa.Submitted{}, err
	}
	if !submitted.Duplicate {
		u.wake()
	}
	return submitted, nil
}

// newJob returns the job that reads the document of s.
func newJob(s kappa.Submission) (kappa.NewJob, error) {
	data, err := json.Marshal(jobData{
		ContentType: s.ContentType, Chunking: s.Chunking, OverlapReduced: s.OverlapReduced, AutoApprove: s.AutoApprove,
	})
	if err != nil {
		return kappa.NewJob{}, fmt.Errorf("encode the data of the job: %w", err)
	}
	if err := checkData(data); err != nil {
		return kappa.NewJob{}, err
	}
	return kappa.NewJob{
		Type: jobTypeName, Queue: kappa.DefaultQueue, Priority: kappa.PriorityUser, Data: data,
		MaxRetries: kappa.DefaultMaxRetries, UserID: s.UserID,
	}, nil
}
