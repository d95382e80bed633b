package ingest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// submissionStore is what a Submitter needs of the store.
type submissionStore interface {
	// SubmitIngestion stores the document and job, which is then pending, or returns
	// the work that is there already.
	SubmitIngestion(ctx context.Context, s work.Submission, job work.NewJob) (work.Submitted, error)
}

// recogniser knows the formats of documents.
type recogniser interface {
	// Recognise decides what format a document has, or refuses it with a message
	// for the submitter. filename and declared are hints.
	Recognise(body []byte, filename, declared string) (corpus.ContentType, error)
}

// Submitter takes documents in.
type Submitter struct {
	store   submissionStore
	formats recogniser
	wake    func()

	describer func() Describer                // of images; nil, or what returns nil, describes none
	ocr       func(ctx context.Context) error // why no image is read by its words; nil reads none
	memory    *memory
	budget    *corpus.Budget // of jobs whose submission names none; nil sets no limit
	backlog   *backlog
}

// NewSubmitter returns a Submitter that calls wake, which must not block, after
// each new job: the Wake of this process's Analyst.
func NewSubmitter(store submissionStore, formats recogniser, wake func()) *Submitter {
	return &Submitter{store: store, formats: formats, wake: wake, memory: processMemory(), backlog: newBacklog(0)}
}

// DefaultBudget gives the jobs a budget whose submissions name none.
func (u *Submitter) DefaultBudget(b *corpus.Budget) { u.budget = b }

// LimitWaiting refuses submissions of users of whom most documents wait for their analysis.
func (u *Submitter) LimitWaiting(most int) { u.backlog = newBacklog(most) }

// Submit stores s, whose values the caller has validated, as a pending job; the
// analysis follows. It fills in the content type, for which the caller's is a
// hint, and the content hash. It returns the errors of Recognise, a CodeInvalid Error
// for chunking that breaks a rule, and the errors of the store. When it returns an
// error nothing is stored.
func (u *Submitter) Submit(ctx context.Context, s work.Submission) (work.Submitted, error) {
	defer u.memory.hold(len(s.Body))()
	contentType, err := u.formats.Recognise(s.Body, s.Filename, string(s.ContentType))
	if err != nil {
		return work.Submitted{}, err
	}
	s.ContentType = contentType
	switch {
	case contentType.IsImage():
		err = u.checkImage(ctx, s)
	case s.OnlyImage:
		err = kappa.NewError(kappa.CodeMalformed, fmt.Sprintf("The document is no image, but %s; images are %s", contentType, corpus.ImageTypes()))
	}
	if err != nil {
		return work.Submitted{}, err
	}
	s.ContentHash = corpus.ContentHash(s.Body)
	job, err := newJob(s, contentType.IsImage() && u.imagesBy() == nil)
	if err != nil {
		return work.Submitted{}, err
	}
	if job.Budget = s.Budget; job.Budget == nil {
		job.Budget = u.budget
	}
	s.MostWaiting = u.backlog.take(s.UserID)
	submitted, err := u.store.SubmitIngestion(ctx, s, job)
	if err != nil {
		return work.Submitted{}, err
	}
	if s.MostWaiting > 0 && !submitted.Duplicate {
		u.backlog.counted(s.UserID, submitted.Waiting)
	}
	if !submitted.Duplicate {
		u.wake()
	}
	return submitted, nil
}

// newJob returns the job that reads the document of s, with ocr by the words of a picture.
func newJob(s work.Submission, ocr bool) (work.NewJob, error) {
	data, err := json.Marshal(jobData{
		ContentType: s.ContentType, Chunking: s.Chunking, OverlapReduced: s.OverlapReduced, AutoApprove: s.AutoApprove, Force: s.Force,
		Replace: s.Replace, Key: s.Key, Apart: s.Apart, OCR: ocr,
	})
	if err != nil {
		return work.NewJob{}, fmt.Errorf("encode the data of the job: %w", err)
	}
	name, check := jobTypeName, checkData
	if s.ContentType.IsImage() && !ocr {
		name, check = imageJobName, checkImageData
	}
	if err := check(data); err != nil {
		return work.NewJob{}, err
	}
	return work.NewJob{
		Type: name, Queue: work.DefaultQueue, Priority: work.PriorityUser, Data: data,
		MaxRetries: work.DefaultMaxRetries, UserID: s.UserID,
	}, nil
}
