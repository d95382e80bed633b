package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	analysisBatch = 50
	// analysisTries is how often an analysis may fail for a reason that may pass
	// before its job fails: after about two minutes of backoff.
	analysisTries   = 8
	defaultInterval = 2 * time.Second
)

// analysisStore is what an Analyst needs of the store.
type analysisStore interface {
	// PendingJobs returns up to limit jobs that wait for their analysis, the
	// oldest first.
	PendingJobs(ctx context.Context, limit int) ([]kappa.PendingJob, error)
	Content(ctx context.Context, contentHash string) ([]byte, error)
	// Analyzed stores the analysis of a job that is still pending, which then
	// waits for approval or is approved; of any other job it changes nothing.
	Analyzed(ctx context.Context, jobID string, analysis kappa.Analysis, autoApprove bool) error
	// AnalysisFailed ends a job that is still pending as failed, and changes
	// nothing of any other.
	AnalysisFailed(ctx context.Context, jobID, reason string) error
}

// textReader reads the text of documents.
type textReader interface {
	// Text returns the same text for the same bytes, or says why the document
	// cannot be read.
	Text(ctx context.Context, body []byte, format kappa.ContentType) (kappa.DocumentText, error)
}

// tokenCounter counts the tokens that a model is sent.
type tokenCounter interface {
	CountTokens(text string) int
	// PromptTokens returns how many are sent with each chunk besides its text.
	PromptTokens(types []string) int
}

// bandStore knows what earlier jobs of a model took.
type bandStore interface {
	Band(ctx context.Context, model string) (kappa.ErrorBand, error)
}

// AnalystConfig is what an Analyst works with.
type AnalystConfig struct {
	Store    analysisStore
	Formats  textReader
	Reader   kappa.Model      // reads the chunks
	Counter  tokenCounter     // of that model; nil for one that charges no tokens
	Band     bandStore        // nil knows only what is assumed
	Preview  *Previewer       // nil shows no preview
	Embedder kappa.Model      // embeds the concepts
	Interval time.Duration    // between two polls for pending jobs; 0 is 2 s
	Now      func() time.Time // what an analysis is dated with; nil is this machine's clock
	Log      *slog.Logger
}

// Analyst sizes and prices the documents of pending jobs. It calls no model and
// no network. The pending rows are its only state: the next process analyses what a
// crashed one left, and analysing a job twice changes nothing.
type Analyst struct {
	cfg    AnalystConfig
	wake   kappa.Waker
	memory *memory
	tries  map[string]tries // of pending jobs whose analysis failed; only runOnce touches it
}

// tries says how often an analysis failed, and when it is retried.
type tries struct {
	count int
	next  time.Time
}

// NewAnalyst returns an Analyst that does nothing until Run.
func NewAnalyst(cfg AnalystConfig) *Analyst {
	if cfg.Interval <= 0 {
		cfg.Interval = defaultInterval
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Analyst{cfg: cfg, wake: kappa.NewWaker(), memory: newMemory(), tries: map[string]tries{}}
}

// Wake has Run poll for pending jobs at once. It never blocks.
func (a *Analyst) Wake() { a.wake.Wake() }

// Run analyses pending jobs, when woken and at every interval, until ctx ends.
// It returns nil.
func (a *Analyst) Run(ctx context.Context) error {
	interval := time.NewTicker(a.cfg.Interval)
	defer interval.Stop()
	for {
		if err := a.runOnce(ctx); err != nil && ctx.Err() == nil {
			a.cfg.Log.WarnContext(ctx, "polling for pending jobs failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.wake.C():
		case <-interval.C: // the guarantee
		}
	}
}

// runOnce analyses the pending jobs. A job whose analysis fails backs off, and the
// others do not wait for it.
func (a *Analyst) runOnce(ctx context.Context) error {
	for {
		limit := analysisBatch + len(a.tries)
		jobs, err := a.cfg.Store.PendingJobs(ctx, limit)
		if err != nil {
			return fmt.Errorf("find pending jobs: %w", err)
		}
		open := map[string]tries{}
		for _, job := range jobs {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if t, failed := a.try(ctx, job); failed {
				open[job.JobID] = t
			}
		}
		a.tries = open
		if len(jobs) < limit || len(open) == len(jobs) {
			return nil
		}
	}
}

// try analyses job unless it is backing off. failed reports that it is still
// pending.
func (a *Analyst) try(ctx context.Context, job kappa.PendingJob) (t tries, failed bool) {
	t = a.tries[job.JobID]
	if time.Now().Before(t.next) {
		return t, true
	}
	err := a.work(ctx, job)
	if err == nil || gone(err) {
		return tries{}, false
	}
	if kappa.ErrorCode(err) != kappa.CodeUnavailable { // an outage is not the job's fault
		t.count++
	}
	t.next = time.Now().Add(kappa.Backoff(t.count, rand.Float64()))
	a.cfg.Log.WarnContext(ctx, "analysis failed; it is retried", "job", job.JobID, "try", t.count, "err", err)
	return t, true
}

// work analyses one job and stores the analysis, or its failure. It returns an error
// when the job is still pending.
func (a *Analyst) work(ctx context.Context, job kappa.PendingJob) error {
	data := pendingData(job)
	analysis, err := a.analyse(ctx, job, data)
	if err == nil {
		return a.cfg.Store.Analyzed(ctx, job.JobID, analysis, data.AutoApprove)
	}
	unavailable := kappa.ErrorCode(err) == kappa.CodeUnavailable
	if ctx.Err() != nil || kappa.Retryable(err) && (unavailable || a.tries[job.JobID].count+1 < analysisTries) {
		return err
	}
	a.cfg.Log.ErrorContext(ctx, "analysis failed", "job", job.JobID, "err", err)
	return a.cfg.Store.AnalysisFailed(ctx, job.JobID, "Analysis failed: "+reason(err))
}

// pendingData returns the data of a job. Data that cannot be read is empty, which
// stands for the defaults: one broken job must not block the others.
func pendingData(job kappa.PendingJob) jobData {
	var d jobData
	if json.Unmarshal(job.Data, &d) != nil {
		return jobData{}
	}
	return d
}

// gone reports that the job is not pending any more, so that nothing is left
// to do: it was cancelled, or another server was quicker.
func gone(err error) bool {
	switch kappa.ErrorCode(err) {
	case kappa.CodeNotFound, kappa.CodeConflict:
		return true
	}
	return errors.Is(err, kappa.ErrStale)
}

// reason is what the submitter reads: no more than is meant for callers.
func reason(err error) string {
	if kappa.ErrorCode(err) == kappa.CodeInternal {
		return "the document could not be read; submit it again"
	}
	return kappa.ErrorMessage(err)
}

// analyse sizes and prices the document of a job. A panic is an error that a
// retry cannot help.
func (a *Analyst) analyse(ctx context.Context, job kappa.PendingJob, data jobData) (analysis kappa.Analysis, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kappa.Permanent(fmt.Errorf("analyse %s: panic: %v\n%s", job.JobID, p, debug.Stack()))
		}
	}()
	if data.ContentType.IsImage() { // no model is called before the job is approved
		return kappa.Analysis{ImageAnalysis: kappa.EstimateImage(), Warnings: []string{}, AnalyzedAt: kappa.At(a.cfg.Now())}, nil
	}
	body, err := a.cfg.Store.Content(ctx, job.ContentHash)
	if err != nil {
		return kappa.Analysis{}, fmt.Errorf("load document %s: %w", job.ContentHash, err)
	}
	defer a.memory.hold(len(body))()
	text, err := a.cfg.Formats.Text(ctx, body, data.format())
	if err != nil {
		return kappa.Analysis{}, fmt.Errorf("read document %s: %w", job.ContentHash, err)
	}
	options := data.options()
	words := countWords(text.Text)
	sizing, err := a.size(ctx, text, options)
	if err != nil {
		return kappa.Analysis{}, err
	}
	stats := kappa.FileStats{
		Filename:        job.Filename,
		SizeBytes:       len(body),
		SizeHuman:       kappa.HumanSize(len(body)),
		WordCount:       words,
		EstimatedChunks: sizing.Chunks,
		Chunks:          sizing.Chunks,
	}
	band := kappa.AssumedBand(a.cfg.Reader)
	if a.cfg.Band != nil {
		learnt, err := a.cfg.Band.Band(ctx, a.cfg.Reader.Name)
		if err != nil {
			return kappa.Analysis{}, fmt.Errorf("read what earlier jobs took: %w", err)
		}
		band = learnt.Over(band)
	}
	preview, err := a.cfg.Preview.preview(ctx, text, options)
	if err != nil {
		return kappa.Analysis{}, fmt.Errorf("read the first chunks: %w", err)
	}
	if preview != nil {
		sizing.Read = preview.Read
	}
	return kappa.Analysis{
		FileStats:  stats,
		Cost:       sizing.Estimate(a.cfg.Reader, a.cfg.Embedder, band),
		Preview:    preview,
		Config:     kappa.AnalysisConfig{ChunkOptions: options, CheckpointInterval: kappa.CheckpointEveryChunks},
		Warnings:   slices.Concat(stats.Warnings(a.cfg.Reader, data.OverlapReduced, options), text.Warnings, languageWarning(text.Text, a.cfg.Reader, data.Force)),
		AnalyzedAt: kappa.At(a.cfg.Now()),
	}, nil
}

// size cuts a document as the ingestion will, and counts the tokens of the chunks.
func (a *Analyst) size(ctx context.Context, text kappa.DocumentText, options kappa.ChunkOptions) (kappa.Sizing, error) {
	var s kappa.Sizing
	if a.cfg.Counter != nil {
		s.PromptTokens = a.cfg.Counter.PromptTokens(nil)
	}
	for chunk := range Chunks(text.Text, text.Markup, options) {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		s.Chunks++
		s.Words += chunk.Words
		if a.cfg.Counter != nil {
			s.TextTokens += a.cfg.Counter.CountTokens(chunk.Text)
		}
	}
	return s, nil
}
