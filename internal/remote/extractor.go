package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

const (
	childPoll  = 2 * time.Second // a notification may be lost
	childTries = 3               // jobs for one chunk in one attempt of its document
)

// children submits jobs and says how they are.
type children interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
	JobsByIDs(ctx context.Context, ids []string) ([]work.Job, error)
	Cancel(ctx context.Context, id string) (running bool, err error)
}

// outliner makes outlines of whole documents, for readers on other machines that see one
// chunk each.
type outliner interface {
	Outline(text string, ct corpus.ContentType) *knowledge.Outline
	Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline
}

// ExtractorConfig is what an Extractor works with.
type ExtractorConfig struct {
	Jobs children
	// Budget returns an error when a job may have no more passages read; nil lets all of
	// them be read.
	Budget func(ctx context.Context, jobID string) error
	// Charge counts what a worker's job has spent for the job that c names, once however
	// often it is called; nil counts nothing.
	Charge func(ctx context.Context, runID string, c models.Call, r models.CallResult) error
	// CostOf returns what a model charges, in US dollars; nil is nothing.
	CostOf func(model string, u models.TokenUsage) float64
	// Outlines makes outlines of whole documents, which travel with each of their chunks; nil
	// makes none.
	Outlines outliner
	Log      *slog.Logger
}

// Extractor has remote workers read passages: each is a job of its own, whose parent is
// the ingestion. It is safe for concurrent use, and as many passages are read at once
// as there are callers.
type Extractor struct {
	ExtractorConfig
	read batcher[string, work.Job]

	mu      sync.Mutex
	waiting map[string]map[chan struct{}]bool // by parent
}

// NewExtractor returns an extractor by remote workers.
func NewExtractor(cfg ExtractorConfig) *Extractor {
	kappa.Require(cfg, "Budget", "Charge", "CostOf", "Outlines")
	e := &Extractor{ExtractorConfig: cfg, waiting: map[string]map[chan struct{}]bool{}}
	e.read.run = e.readAll
	return e
}

// Model describes what reads: which model it is, only the workers know.
func (*Extractor) Model() models.Model { return models.Model{Name: "remote", Provider: "remote"} }

// Outline returns the outline of a whole document, which is made here: workers see chunks.
func (e *Extractor) Outline(text string, ct corpus.ContentType) *knowledge.Outline {
	if e.Outlines == nil {
		return nil
	}
	return e.Outlines.Outline(text, ct)
}

// Narrow returns what of an outline matters to a passage, which travels with it.
func (e *Extractor) Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	if e.Outlines == nil {
		return o
	}
	return e.Outlines.Narrow(o, p)
}

type parentKey struct{}

// WithParent says for whom what is done under a context reads passages.
func WithParent(ctx context.Context, claim work.Claim) context.Context {
	return context.WithValue(ctx, parentKey{}, claim)
}

// Ended says that a job of a parent has ended. It does not wait.
func (e *Extractor) Ended(parentID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for wake := range e.waiting[parentID] {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// Extract submits a passage and waits until a worker has read it. A passage that was
// submitted by an earlier attempt of the same document is not submitted again. When the
// document is cancelled, so is the job; when the server gives the document up, the job
// goes on, and the next attempt finds it. A job that has reached its budget has no more
// passages read: Extract then returns the error of ExtractorConfig.Budget.
func (e *Extractor) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	parent, ok := ctx.Value(parentKey{}).(work.Claim)
	if !ok {
		return knowledge.Extraction{}, errors.New("remote workers read the passages of documents only")
	}
	if e.Budget != nil {
		if err := e.Budget(ctx, parent.JobID); err != nil {
			return knowledge.Extraction{}, err
		}
	}
	wake, done := e.wait(parent.JobID)
	defer done()
	data, err := json.Marshal(wire.NewChunk(p))
	if err != nil {
		return knowledge.Extraction{}, err
	}
	sum := sha256.Sum256([]byte(p.Text)) // what is known besides grows from attempt to attempt
	key := "chunk:" + parent.JobID + ":" + hex.EncodeToString(sum[:16])
	for try := 1; ; try++ {
		job, err := e.submit(ctx, work.NewJob{
			Type: work.TypeExtractChunk, Queue: work.DefaultQueue, Priority: parent.Position.Priority, Data: data, AutoApprove: true,
			MaxRetries: work.DefaultMaxRetries, UserID: parent.UserID, Remote: true, ParentID: parent.JobID, Key: key,
		})
		if err != nil {
			return knowledge.Extraction{}, fmt.Errorf("submit a passage for remote workers: %w", err)
		}
		if job, err = e.follow(ctx, job, wake); err != nil {
			return knowledge.Extraction{}, err
		}
		if job.Status == work.StatusCompleted {
			return e.decode(ctx, job, parent.JobID)
		}
		if try >= childTries || job.Status == work.StatusFailed && try > 1 {
			return knowledge.Extraction{}, kappa.Permanent(kappa.NewError(kappa.CodeUpstream, "job "+job.ID+", for one passage, is "+string(job.Status)+": "+errorOf(job)))
		}
		key = fmt.Sprintf("chunk:%s:%s:%d.%d", parent.JobID, hex.EncodeToString(sum[:16]), parent.Token, try) // once more in this attempt
	}
}

// submit submits a job, and waits for the answer also when ctx ends meanwhile: who
// cancels must know the job.
func (e *Extractor) submit(ctx context.Context, j work.NewJob) (work.Job, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer stop()
	return e.Jobs.SubmitJob(ctx, j)
}

func errorOf(job work.Job) string {
	if job.Error == nil {
		return "no reason was given"
	}
	return *job.Error
}

// wait returns what wakes when a job of the parent has ended.
func (e *Extractor) wait(parentID string) (wake chan struct{}, done func()) {
	wake = make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting[parentID] == nil {
		e.waiting[parentID] = map[chan struct{}]bool{}
	}
	e.waiting[parentID][wake] = true
	return wake, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if delete(e.waiting[parentID], wake); len(e.waiting[parentID]) == 0 {
			delete(e.waiting, parentID)
		}
	}
}

// follow returns a job when it has ended.
func (e *Extractor) follow(ctx context.Context, job work.Job, wake chan struct{}) (work.Job, error) {
	tick := time.NewTicker(childPoll)
	defer tick.Stop()
	for !job.Status.Terminal() {
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), kappa.ErrCancelled) {
				e.cancel(context.WithoutCancel(ctx), job.ID)
			}
			return job, context.Cause(ctx)
		case <-wake:
		case <-tick.C:
		}
		now, err := e.read.do(ctx, job.ID)
		switch {
		case err != nil && ctx.Err() == nil:
			e.Log.WarnContext(ctx, "reading a passage's job failed; it is read again", "job", job.ID, "err", err)
		case err == nil && now.ID == "":
			return job, kappa.NewError(kappa.CodeUnavailable, "job "+job.ID+", for one passage, was deleted")
		case err == nil:
			job = now
		}
	}
	return job, nil
}

func (e *Extractor) cancel(ctx context.Context, id string) {
	ctx, stop := context.WithTimeout(ctx, statementLimit)
	defer stop()
	if _, err := e.Jobs.Cancel(ctx, id); err != nil && kappa.ErrorCode(err) != kappa.CodeConflict {
		e.Log.WarnContext(ctx, "cancelling a passage's job failed", "job", id, "err", err)
	}
}

// readAll reads many jobs with one statement; one that is gone has no id.
func (e *Extractor) readAll(ctx context.Context, ids []string) ([]work.Job, error) {
	list, err := e.Jobs.JobsByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := map[string]work.Job{}
	for _, job := range list {
		byID[job.ID] = job
	}
	jobs := make([]work.Job, len(ids))
	for i, id := range ids {
		jobs[i] = byID[id]
	}
	return jobs, nil
}
