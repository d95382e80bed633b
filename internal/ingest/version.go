package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// look asks what stands of the document. It returns a SupersededError when a later version does:
// nothing of this one needs to be read.
func (a *attempt) look(ctx context.Context) error {
	if !a.document.Versioned() {
		return nil
	}
	standing, err := a.cfg.Store.Standing(ctx, a.claim, a.document)
	if err != nil {
		return fmt.Errorf("see what stands of the document: %w", err)
	}
	if standing.LaterJob != "" {
		return &corpus.SupersededError{JobID: standing.LaterJob}
	}
	a.whole = standing.Earlier
	return nil
}

// decide chooses between writing the document chunk by chunk and at once: what an earlier attempt
// has begun chunk by chunk goes on so, and so is read what is too large.
func (a *attempt) decide() {
	a.document.Beside = a.total > corpus.MostChunksAtOnce
	if a.document.Beside || a.stored.LastChunk > 0 {
		a.whole = false
	}
}

// stage keeps a chunk that is ready until all are. What was paid for is kept in the store too.
func (a *attempt) stage(ctx context.Context, r reading) error {
	if r.graph.Chunk.Number == a.stored.LastChunk+1 {
		a.staged, a.ready = a.stored, nil
	}
	a.keep(ctx, r)
	a.staged, a.ready = a.staged.after(r, corpus.Counts{}), append(a.ready, r)
	if r.failure != nil && a.staged.unreadable(a.total) {
		return r.failure
	}
	now := time.Now()
	if a.cfg.Progress == nil || now.Sub(a.emitted) < time.Second/work.ProgressPerSecond {
		return nil
	}
	a.emitted = now
	progress := a.staged.progress()
	progress.Stage = stageExtracting
	err := a.cfg.Progress(ctx, a.claim, work.Checkpoint{Progress: progress, Emit: true})
	if errors.Is(err, kappa.ErrCancelled) || errors.Is(err, kappa.ErrStale) {
		return err
	}
	return nil
}

// writeVersion writes all chunks at once, in place of the earlier version.
func (a *attempt) writeVersion(ctx context.Context) error {
	v := knowledge.DocumentVersion{
		Document: a.document,
		Matcher:  func() knowledge.Matcher { return NewMatcher(a.cfg.Embedder.Model()) },
		Embedded: knowledge.NewEmbeddings{Model: a.cfg.Embedder.Model().Name, ByText: map[string]models.Embedding{}},
	}
	for _, r := range a.ready {
		v.Chunks = append(v.Chunks, r.graph)
		for _, d := range r.graph.Drafts {
			v.Embedded.ByText[d.EmbeddingText()] = d.Embedding
		}
	}
	written := a.stored
	err := a.finishing(ctx, v.Embedded, func() (replaced, missing []string, err error) {
		return a.cfg.Store.WriteVersion(ctx, a.claim, v, func(counts []corpus.Counts) work.Checkpoint {
			written = a.stored
			for i, r := range a.ready {
				written = written.after(r, counts[i])
			}
			return written.encode(true)
		})
	})
	if err == nil {
		a.stored, a.ready = written, nil
	}
	return err
}
