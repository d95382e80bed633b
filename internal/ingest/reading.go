package ingest

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
)

const (
	// lookAhead is how many chunks are read at once while the one before them
	// is stored, in parallel mode.
	lookAhead = 2
	// charsPerToken estimates the tokens that an embedding model charges, which it
	// does not report.
	charsPerToken = 4
)

// reading is a chunk that has been read, and what that cost.
type reading struct {
	graph            kappa.ChunkGraph
	extractionTokens int
	embeddingTokens  int
}

// readings yields the chunks after the checkpoint in their order, each read by
// the extractor. It ends with the first error.
func (a *attempt) readings(ctx context.Context) iter.Seq2[reading, error] {
	if a.parallel {
		return a.readAhead(ctx)
	}
	return func(yield func(reading, error) bool) {
		for chunk := range a.remaining() {
			r, err := a.read(ctx, chunk)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// remaining yields the chunks after the checkpoint.
func (a *attempt) remaining() iter.Seq[kappa.Chunk] {
	last := a.stored.LastChunk
	return func(yield func(kappa.Chunk) bool) {
		for chunk := range Chunks(a.text.Text, a.text.Markup, a.options) {
			if chunk.Number > last && !yield(chunk) {
				return
			}
		}
	}
}

// readAhead reads up to lookAhead chunks at a time, also while the caller works
// with the one before. It returns when everything it started has ended.
func (a *attempt) readAhead(ctx context.Context) iter.Seq2[reading, error] {
	type outcome struct {
		reading reading
		err     error
	}
	return func(yield func(reading, error) bool) {
		next, stop := iter.Pull(a.remaining())
		defer stop()
		var started sync.WaitGroup
		defer started.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var queue []chan outcome
		start := func() {
			chunk, ok := next()
			if !ok {
				return
			}
			done := make(chan outcome, 1)
			queue = append(queue, done)
			started.Go(func() {
				r, err := a.read(ctx, chunk)
				done <- outcome{r, err}
			})
		}
		for range lookAhead {
			start()
		}
		for len(queue) > 0 {
			o := <-queue[0]
			queue = queue[1:]
			start()
			if !yield(o.reading, o.err) || o.err != nil {
				return
			}
		}
	}
}

// read has the extractor read chunk and embeds what it found. A panic on the
// way is an error that a retry cannot help: the same chunk would meet it again.
func (a *attempt) read(ctx context.Context, chunk kappa.Chunk) (r reading, err error) {
	name := fmt.Sprintf("chunk %d of %d (bytes %d to %d)", chunk.Number, a.total, chunk.Bytes.Start, chunk.Bytes.End)
	defer func() {
		if p := recover(); p != nil {
			a.cfg.Log.ErrorContext(ctx, "extractor panicked", "job", a.claim.JobID, "chunk", chunk.Number, "panic", p, "stack", string(debug.Stack()))
			err = kappa.Permanent(fmt.Errorf("read %s: the extractor panicked: %v", name, p))
		}
	}()
	if ctx.Err() != nil {
		return reading{}, context.Cause(ctx)
	}
	extraction, err := a.cfg.Extractor.Extract(ctx, kappa.Passage{Text: chunk.Text, ContentType: a.text.Markup})
	if err != nil {
		return reading{}, fmt.Errorf("read %s: %w", name, err)
	}
	extraction = Clean(extraction, chunk.Text, a.vocabulary)
	drafts, tokens, err := a.embed(ctx, extraction.Concepts)
	if err != nil {
		return reading{}, fmt.Errorf("embed the concepts of %s: %w", name, err)
	}
	moveSpans(extraction, chunk.Bytes.Start)
	return reading{
		graph: kappa.ChunkGraph{
			Document:      a.document,
			SourceID:      kappa.SourceID(a.document.ID, a.document.Ontology, chunk.Bytes),
			Chunk:         chunk,
			Model:         a.cfg.Embedder.Model().Name,
			Drafts:        drafts,
			Instances:     extraction.Instances,
			Relationships: extraction.Relationships,
		},
		extractionTokens: extraction.Tokens,
		embeddingTokens:  tokens,
	}, nil
}

// embed returns concepts with their embeddings, and an estimate of the tokens.
func (a *attempt) embed(ctx context.Context, concepts []kappa.ExtractedConcept) ([]kappa.ConceptDraft, int, error) {
	if len(concepts) == 0 {
		return nil, 0, nil
	}
	texts := make([]string, len(concepts))
	chars := 0
	for i, c := range concepts {
		texts[i] = c.EmbeddingText()
		chars += utf8.RuneCountInString(texts[i])
	}
	model := a.cfg.Embedder.Model()
	embeddings, err := a.cfg.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	if len(embeddings) != len(texts) {
		return nil, 0, fmt.Errorf("model %s returned %d embeddings for %d texts", model.Name, len(embeddings), len(texts))
	}
	drafts := make([]kappa.ConceptDraft, len(concepts))
	for i, c := range concepts {
		drafts[i] = kappa.ConceptDraft{ExtractedConcept: c, Embedding: embeddings[i]}
	}
	if model.Local {
		return drafts, 0, nil
	}
	return drafts, (chars + charsPerToken - 1) / charsPerToken, nil
}

// moveSpans moves the spans of e, which count from its chunk, to count from the
// document, of which the chunk starts at byte start.
func moveSpans(e kappa.Extraction, start int) {
	move := func(s *kappa.Span) { s.Start, s.End = s.Start+start, s.End+start }
	for i := range e.Instances {
		move(&e.Instances[i].Span)
	}
	for i := range e.Relationships {
		if e.Relationships[i].Quote != "" {
			move(&e.Relationships[i].Span)
		}
	}
}
