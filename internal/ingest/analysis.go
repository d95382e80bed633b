package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// pendingData returns the data of a job. Data that cannot be read is empty, which
// stands for the defaults: one broken job must not block the others.
func pendingData(job work.PendingJob) jobData {
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
func (a *Analyst) analyse(ctx context.Context, job work.PendingJob, data jobData) (analysis corpus.Analysis, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = kappa.Permanent(fmt.Errorf("analyse %s: panic: %v\n%s", job.JobID, p, debug.Stack()))
		}
	}()
	if data.ContentType.IsImage() && !data.OCR { // no model is called before the job is approved
		return corpus.Analysis{ImageAnalysis: corpus.EstimateImage(), Warnings: []string{}, AnalyzedAt: kappa.At(a.cfg.Now())}, nil
	}
	body, err := a.cfg.Store.Content(ctx, job.ContentHash)
	if err != nil {
		return corpus.Analysis{}, fmt.Errorf("load document %s: %w", job.ContentHash, err)
	}
	if err := a.cfg.Formats.Prepare(ctx, body, data.format()); err != nil {
		return corpus.Analysis{}, fmt.Errorf("get ready for %s: %w", data.format(), err)
	}
	most := 0 // pages of a document that is to be soon done have no time of their own
	if job.Late {
		most = math.MaxInt
	}
	ctx, cancel := corpus.WithReadingLimit(ctx, a.limitOf(job), most, errLimit)
	defer cancel()
	defer func() {
		if err != nil && errors.Is(context.Cause(ctx), errLimit) {
			err = fmt.Errorf("%w: %w", errLimit, err)
		}
	}()
	defer a.memory.hold(len(body))()
	text, err := a.cfg.Formats.Text(withTexts(ctx, a.cfg.Texts, job.JobID), body, data.format())
	if err != nil {
		return corpus.Analysis{}, fmt.Errorf("read document %s: %w", job.ContentHash, err)
	}
	options := data.options()
	assumed := len(text.Pictures) * corpus.WordsOfPicture // of what is read when the job runs
	words := countWords(text.Text) + assumed
	models := a.cfg.Models() // an analysis keeps to one answer
	sizing, err := size(ctx, models.Counter, text, options)
	if err != nil {
		return corpus.Analysis{}, err
	}
	sizing = sizing.With(assumed, options)
	stats := corpus.FileStats{
		Filename: job.Filename, SizeBytes: len(body), SizeHuman: corpus.HumanSize(len(body)),
		WordCount: words, EstimatedChunks: sizing.Chunks, Chunks: sizing.Chunks,
	}
	band, err := a.band(ctx, models.Reader)
	if err != nil {
		return corpus.Analysis{}, err
	}
	preview, err := models.Preview.preview(ctx, text, options, data.Force)
	if err != nil {
		return corpus.Analysis{}, fmt.Errorf("read the first chunks: %w", err)
	}
	if preview != nil {
		sizing.Read = preview.Read
	}
	return corpus.Analysis{
		FileStats:  stats,
		Cost:       sizing.Estimate(models.Reader, models.Embedder, band),
		Preview:    preview,
		Config:     corpus.AnalysisConfig{ChunkOptions: options, CheckpointInterval: corpus.CheckpointEveryChunks},
		Warnings:   slices.Concat(stats.Warnings(models.Reader, data.OverlapReduced, options), text.Warnings, languageWarning(text.Text, models.Reader, data.Force)),
		AnalyzedAt: kappa.At(a.cfg.Now()),
	}, nil
}

// withTexts has what is read of the document of a job kept, so that it is read once.
func withTexts(ctx context.Context, texts func(jobID string) corpus.KeptParts, jobID string) context.Context {
	if texts == nil {
		return ctx
	}
	return corpus.WithKeptParts(ctx, texts(jobID))
}

// band returns how far estimates are off: as earlier jobs of the model say, else as is assumed.
func (a *Analyst) band(ctx context.Context, reader models.Model) (corpus.ErrorBand, error) {
	band := corpus.AssumedBand(reader)
	learnt, err := a.cfg.Band.Band(ctx, reader.Name)
	if err != nil {
		return band, fmt.Errorf("read what earlier jobs took: %w", err)
	}
	return learnt.Over(band), nil
}

// size cuts a document as the ingestion will, and counts the tokens of the chunks.
func size(ctx context.Context, counter tokenCounter, text corpus.DocumentText, options corpus.ChunkOptions) (corpus.Sizing, error) {
	var s corpus.Sizing
	if counter != nil {
		s.PromptTokens = counter.PromptTokens(nil)
	}
	for chunk := range Chunks(text.Text, text.Markup, options) {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		s.Chunks++
		s.Words += chunk.Words
		if counter != nil {
			s.TextTokens += counter.CountTokens(chunk.Text)
		}
	}
	return s, nil
}
