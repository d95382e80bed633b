package ingest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/tracing"
)

const (
	// lookAhead is how many chunks are read at once in parallel mode, unless
	// HandlerConfig.Ahead says otherwise.
	lookAhead = 8
	// mostWaiting is how many chunks may wait to be stored after one that is read
	// slowly, for each that is read at once.
	mostWaiting = 3
	// charsPerToken estimates the tokens that an embedding model charges, which it
	// does not report.
	charsPerToken = 4
)

// reading is a chunk that has been read, and what that cost.
type reading struct {
	graph            knowledge.ChunkGraph
	extractionTokens int
	embeddingTokens  int
	dropped          int   // of what was extracted
	reused           bool  // the same text had been read before
	hints            hints // what it was read with; none if it could not be read
	failure          error // why the chunk could not be read; then it has no concepts
}

// readings yields the chunks after the checkpoint in their order, each read by
// the extractor. It ends with the first error.
func (a *attempt) readings(ctx context.Context) iter.Seq2[reading, error] {
	if a.parallel {
		return a.readAhead(ctx)
	}
	return func(yield func(reading, error) bool) {
		for chunk := range a.remaining() {
			r, err := a.readChunk(ctx, chunk)
			if !yield(r, err) || err != nil {
				a.keepAtStop(ctx, readOutcome{r, err})
				return
			}
		}
	}
}

// remaining yields the chunks after the checkpoint.
func (a *attempt) remaining() iter.Seq[corpus.Chunk] {
	last := a.stored.LastChunk
	return func(yield func(corpus.Chunk) bool) {
		for chunk := range Chunks(a.text.Text, a.text.Markup, a.options) {
			if chunk.Number > last && !yield(chunk) {
				return
			}
		}
	}
}

// readAhead reads several chunks at a time, also while the caller works with the ones
// before, and yields them in their order, so that the graph becomes the same one as in
// serial mode. A chunk that takes long does not keep those behind it from being read, up
// to mostWaiting for each that is read at once. After an error with which the job goes on
// later it begins no more, waits for what is on its way, and keeps what that says. It
// returns when everything it started has ended.
func (a *attempt) readAhead(ctx context.Context) iter.Seq2[reading, error] {
	return func(yield func(reading, error) bool) {
		next, stop := iter.Pull(a.remaining())
		defer stop()
		var readers sync.WaitGroup
		defer readers.Wait()
		tasks := make(chan readTask, a.cfg.Ahead*mostWaiting) // as many as are begun before one is yielded
		defer close(tasks)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var queue []chan readOutcome
		var ended atomic.Pointer[error] // the error with which the job goes on later
		start := func() {
			chunk, ok := next()
			if !ok {
				return
			}
			done := make(chan readOutcome, 1)
			queue = append(queue, done)
			tasks <- readTask{chunk, done}
		}
		for range a.cfg.Ahead * mostWaiting {
			start()
		}
		for range a.cfg.Ahead {
			readers.Go(func() { a.readTasks(ctx, tasks, &ended) })
		}
		for len(queue) > 0 {
			o := <-queue[0]
			queue = queue[1:]
			if o.err != nil && goesOn(o.err) {
				for _, done := range queue {
					if late := <-done; late.err == nil {
						a.keep(ctx, late.reading)
					}
				}
				queue = nil
			} else {
				start()
			}
			if !yield(o.reading, o.err) || o.err != nil {
				cancel()
				a.keepAtStop(ctx, o)
				for _, done := range queue {
					a.keepAtStop(ctx, <-done)
				}
				return
			}
		}
	}
}

// readTask asks for a chunk to be read.
type readTask struct {
	chunk corpus.Chunk
	done  chan<- readOutcome
}

// readOutcome is what became of it.
type readOutcome struct {
	reading reading
	err     error
}

// readTasks reads chunks, in the order of the tasks, until there are no more. Once ended
// has an error each of them has that one.
func (a *attempt) readTasks(ctx context.Context, tasks <-chan readTask, ended *atomic.Pointer[error]) {
	for t := range tasks {
		var r reading
		err := context.Cause(ctx)
		if stopped := ended.Load(); stopped != nil {
			err = *stopped
		}
		if err == nil {
			r, err = a.readChunk(ctx, t.chunk)
		}
		if err != nil && goesOn(err) {
			ended.CompareAndSwap(nil, &err)
		}
		t.done <- readOutcome{r, err}
	}
}

// goesOn reports whether an attempt that ends with err is followed by another one that is
// to pay for nothing again: the job pauses, or its provider is away.
func goesOn(err error) bool {
	_, postponed := kappa.Postponed(err)
	return postponed || kappa.Paused(err)
}

// keepAtStop keeps what was read and is not stored, when it is the server that stops.
func (a *attempt) keepAtStop(ctx context.Context, o readOutcome) {
	if o.err == nil && stops(ctx) && o.reading.graph.Chunk.Number > a.stored.LastChunk {
		a.keep(ctx, o.reading)
	}
}

// stops reports whether a job ends because its server stops: another attempt goes on.
func stops(ctx context.Context) bool { return errors.Is(context.Cause(ctx), kappa.ErrShutdown) }

// keepTime is how long a server that stops takes to keep a reading.
const keepTime = 2 * time.Second

// keep keeps what was read of a chunk that this attempt will not store. When it cannot
// be kept, the chunk is read again.
func (a *attempt) keep(ctx context.Context, r reading) {
	if a.cfg.Kept == nil || r.reused || len(r.graph.Reading) == 0 {
		return
	}
	keepCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	if err := a.cfg.Kept.KeepReading(keepCtx, a.claim, r.graph.Chunk.Text, r.graph.Reader, r.graph.Reading); err != nil {
		a.cfg.Log.WarnContext(ctx, "a chunk that was read is read again", "job", a.claim.JobID, "chunk", r.graph.Chunk.Number, "err", err)
	}
}

// readChunk is read; a chunk that cannot be read however often it is tried is a reading
// with a failure, so that the others are read all the same.
func (a *attempt) readChunk(ctx context.Context, chunk corpus.Chunk) (reading, error) {
	ctx, span := a.startSpan(ctx, tracing.OperationRead, chunk)
	r, err := a.readText(ctx, chunk)
	span.End(err)
	if err == nil || ctx.Err() != nil || !isGap(err) {
		return r, err
	}
	return reading{graph: a.graphOf(chunk), failure: err}, nil
}

// startSpan begins the span of what is done with a chunk.
func (a *attempt) startSpan(ctx context.Context, operation string, chunk corpus.Chunk) (context.Context, *tracing.Span) {
	ctx, span := tracing.Start(ctx, tracing.Internal, operation, tracing.TargetChunk)
	span.Int(tracing.ChunkNumber, int64(chunk.Number))
	span.Int(tracing.ChunkOf, int64(a.total))
	return ctx, span
}

// readText has the extractor read chunk and embeds what it found. A panic on the
// way is an error that a retry cannot help: the same chunk would meet it again.
func (a *attempt) readText(ctx context.Context, chunk corpus.Chunk) (r reading, err error) {
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
	with := a.hintsFor(chunk)
	extraction, reused, err := a.extract(ctx, chunk, with)
	if err != nil {
		return reading{}, fmt.Errorf("read %s: %w", name, err)
	}
	stored, err := encodeReading(extraction)
	if err != nil {
		return reading{}, fmt.Errorf("keep the reading of %s: %w", name, err)
	}
	drafts, tokens, err := a.embed(ctx, extraction.Concepts)
	if err != nil {
		if (goesOn(err) || stops(ctx)) && !reused {
			g := a.graphOf(chunk)
			g.Reader, g.Reading = a.reader(with), stored
			a.keep(ctx, reading{graph: g})
		}
		return reading{}, fmt.Errorf("embed the concepts of %s: %w", name, err)
	}
	moveSpans(extraction, chunk.Bytes.Start)
	g := a.graphOf(chunk)
	g.Drafts, g.Instances, g.Relationships = drafts, extraction.Instances, extraction.Relationships
	g.Reader, g.Reading = a.reader(with), stored
	return reading{graph: g, extractionTokens: extraction.Tokens, embeddingTokens: tokens, dropped: extraction.Dropped, reused: reused, hints: with}, nil
}

// graphOf returns what a chunk adds to the graph before it is read.
func (a *attempt) graphOf(chunk corpus.Chunk) knowledge.ChunkGraph {
	return knowledge.ChunkGraph{
		Document: a.document,
		Chunk:    chunk,
		Places:   a.text.PlacesIn(chunk.Bytes),
		Model:    a.cfg.Embedder.Model().Name,
	}
}

// embed returns concepts with their embeddings, and an estimate of the tokens.
func (a *attempt) embed(ctx context.Context, concepts []knowledge.ExtractedConcept) ([]knowledge.ConceptDraft, int, error) {
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
	drafts := make([]knowledge.ConceptDraft, len(concepts))
	for i, c := range concepts {
		drafts[i] = knowledge.ConceptDraft{ExtractedConcept: c, Embedding: embeddings[i]}
	}
	if model.Local {
		return drafts, 0, nil
	}
	return drafts, (chars + charsPerToken - 1) / charsPerToken, nil
}

// moveSpans moves the spans of e, which count from its chunk, to count from the
// document, of which the chunk starts at byte start.
func moveSpans(e knowledge.Extraction, start int) {
	move := func(s *corpus.Span) { s.Start, s.End = s.Start+start, s.End+start }
	for i := range e.Instances {
		move(&e.Instances[i].Span)
	}
	for i := range e.Relationships {
		if e.Relationships[i].Quote != "" {
			move(&e.Relationships[i].Span)
			e.Relationships[i].Marks = e.Relationships[i].Marks.Shifted(start)
		}
	}
}
