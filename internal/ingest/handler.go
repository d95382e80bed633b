package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

// handlerStore is what a Handler needs of the store.
type handlerStore interface {
	// IngestionDocument returns what the submission said about the document. It
	// returns ErrStale when the claim is not current.
	IngestionDocument(ctx context.Context, claim work.Claim) (work.JobDocument, error)
	Content(ctx context.Context, contentHash string) ([]byte, error)
	// WriteChunk stores what one chunk adds to the graph, its concepts matched by m,
	// together with the checkpoint that next makes of the counts, under the claim. It
	// returns ErrStale when the claim is not current and ErrCancelled when the job
	// was asked to stop; then nothing is stored.
	WriteChunk(ctx context.Context, claim work.Claim, g knowledge.ChunkGraph, m knowledge.Matcher, next func(corpus.Counts) work.Checkpoint) (corpus.Counts, error)
	// StoredReading returns what a reader has found before in the same text; nil when
	// it has not read it.
	StoredReading(ctx context.Context, text, reader string) ([]byte, error)
	// Standing returns what stands of the document besides the version that the job brings.
	Standing(ctx context.Context, claim work.Claim, d corpus.Document) (corpus.Standing, error)
	// WriteVersion writes all chunks of a document and ends it, as WriteChunk and
	// FinishDocument do, in one transaction: what stood before stands until then. next makes
	// the checkpoint of the counts of each chunk.
	WriteVersion(ctx context.Context, claim work.Claim, v knowledge.DocumentVersion, next func([]corpus.Counts) work.Checkpoint) (replaced, missing []string, err error)
	// FinishDocument removes the chunks of earlier ingestions of the document that
	// this one did not write, and the documents that it replaces, whose ids it returns,
	// and raises the graph's epoch. Where it lacks embeddings of texts it changes nothing
	// and returns those.
	FinishDocument(ctx context.Context, claim work.Claim, f corpus.Finishing, embedded knowledge.NewEmbeddings) (replaced, missing []string, err error)
}

// extractor reads one chunk. It is safe for concurrent use and heeds ctx.
type extractor interface {
	Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error)
	// Model describes the model that reads.
	Model() models.Model
}

// HandlerConfig is what a Handler works with.
type HandlerConfig struct {
	Store     handlerStore
	Formats   textReader
	Extractor extractor
	Embedder  models.Embedder
	// Passages cuts a text into passages, in order: the same text into the same ones.
	Passages func(d corpus.DocumentText) iter.Seq[corpus.Passage]
	// Progress stores how far a document is read, as WriteChunk does of its chunks; nil stores
	// nothing.
	Progress func(ctx context.Context, claim work.Claim, c work.Checkpoint) error
	// Vocabulary returns the known relationship types, of which an extractor is told,
	// and to which what it names is normalised.
	Vocabulary func(ctx context.Context) (vocabulary.TypeNames, error)
	// Known returns concepts of the graph that bear one of the names, at most
	// knowledge.MaxKnownConcepts, as a hint for the extractor; nil gives none.
	Known func(ctx context.Context, names []string) ([]knowledge.KnownConcept, error)
	// Spending says what calls to models have cost a job; nil for models that charge
	// nothing.
	Spending spending
	// Kept keeps what was read and paid for of chunks that are not stored yet, when a job
	// pauses or its provider is away; nil keeps nothing, as for models that charge nothing.
	Kept keptReadings
	// Texts returns where it is kept what was read of the document of a job; nil keeps nothing.
	Texts func(jobID string) corpus.KeptParts
	// Learn keeps what a job took, for later estimates; nil keeps nothing.
	Learn func(ctx context.Context, l corpus.Learnt) error
	// Ahead is how many chunks are read at once in parallel mode; 0 is lookAhead.
	Ahead int
	// FanOut reads so many at once in serial mode too: each is read elsewhere.
	FanOut bool
	Log    *slog.Logger

	memory *memory
}

// keptReadings are what a job goes on with.
type keptReadings interface {
	KeepReading(ctx context.Context, claim work.Claim, text, reader string, reading []byte) error
	// KeptReading returns nil when nothing is kept of a text for the job.
	KeptReading(ctx context.Context, jobID, text, reader string) ([]byte, error)
}

// spending says what jobs have cost.
type spending interface {
	// Spent returns what calls to models have cost a job so far, over all its attempts.
	Spent(ctx context.Context, jobID string) (models.Spending, error)
}

// Handler works on ingestion jobs. It is safe for concurrent use.
type Handler struct{ cfg HandlerConfig }

// NewHandler returns a Handler; its Work is the work.Handler to register.
func NewHandler(cfg HandlerConfig) *Handler {
	kappa.Require(cfg, "Known", "Spending", "Kept", "Learn", "Progress", "Texts")
	if cfg.Ahead == 0 {
		cfg.Ahead = lookAhead
	}
	cfg.memory = processMemory()
	return &Handler{cfg: cfg}
}

// Work ingests the document of the claimed job, after the chunks that an
// earlier attempt has stored. Each chunk is stored with its checkpoint: an attempt
// that ends early loses one chunk at most. When ctx ends, Work returns
// context.Cause(ctx). It returns the store's ErrStale and ErrCancelled; a cancelled
// job has a result too, about the chunks that are stored.
func (h *Handler) Work(ctx context.Context, claim work.Claim) (json.RawMessage, error) {
	a := &attempt{cfg: h.cfg, claim: claim, stored: readCheckpoint(claim.Checkpoint)}
	err := a.run(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	switch {
	case err == nil:
		return a.completed(ctx)
	case errors.Is(err, kappa.ErrCancelled):
		r, _ := a.cancelled(context.WithoutCancel(ctx))
		return r, err
	}
	if later := (*corpus.SupersededError)(nil); errors.As(err, &later) {
		return superseded(later)
	}
	return nil, err
}

// attempt is one attempt at one document.
type attempt struct {
	cfg   HandlerConfig
	claim work.Claim

	document   corpus.Document
	parallel   bool
	blank      bool // the document has no byte but white space
	force      bool // the text is read as English whatever its language
	anew       bool // what was read before is read again
	options    corpus.ChunkOptions
	text       corpus.DocumentText
	language   corpus.TextLanguage
	total      int // chunks of text
	vocabulary vocabulary.TypeNames
	outline    *knowledge.Outline // of the whole text; nil when the extractor makes none

	stored checkpoint // what the store has

	whole    bool       // it is written at once, since an earlier version stands
	staged   checkpoint // what the store would have with what is ready
	ready    []reading  // and not written yet
	replaced []string   // documents that this one has replaced
	emitted  time.Time  // when the last progress event was written
}

func (a *attempt) run(ctx context.Context) error {
	if err := a.load(ctx); err != nil {
		return err
	}
	defer a.cfg.memory.hold(len(a.text.Text))()
	if err := a.findPlace(ctx); err != nil {
		return err
	}
	if a.total == 0 {
		return a.withoutText()
	}
	a.decide()
	err := a.work(ctx)
	if errors.Is(err, corpus.ErrEarlierStands) { // another version was complete meanwhile
		a.stored, a.whole = checkpoint{}, true
		err = a.work(ctx)
	}
	return err
}

// work reads the chunks after the checkpoint, and writes them: one by one, or at once where
// an earlier version stands.
func (a *attempt) work(ctx context.Context) error {
	if err := a.goOn(); err != nil {
		return err
	}
	a.outline = outlineOf(a.cfg.Extractor, a.text)
	passages, stop := cutPassages(a.cfg.Passages(a.text), a.stored.EndByte)
	defer stop()
	for r, err := range a.readings(ctx) {
		if err != nil {
			return err
		}
		r.graph.Passages = passages(r.graph.Chunk.Bytes.End)
		if err := a.embedPassages(ctx, &r); err != nil {
			return err
		}
		write := a.write
		if a.whole {
			write = a.stage
		}
		if err := write(ctx, r); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if a.whole {
		return a.writeVersion(ctx)
	}
	return a.finish(ctx)
}

// load reads the job's data, the document and the vocabulary.
func (a *attempt) load(ctx context.Context) error {
	var d jobData
	if err := json.Unmarshal(a.claim.Data, &d); err != nil {
		return kappa.Permanent(fmt.Errorf("decode the data of the job: %w", err))
	}
	j, err := a.cfg.Store.IngestionDocument(ctx, a.claim)
	if err != nil {
		return fmt.Errorf("read the job's document: %w", err)
	}
	if j.ContentHash == nil || j.Ontology == nil {
		return kappa.Permanent(errors.New("the job names no document or no ontology"))
	}
	a.document = corpus.Document{
		ID: *j.ContentHash, Ontology: *j.Ontology, ContentType: d.ContentType,
		Origin: corpus.Origin{Key: d.Key, SourceType: j.SourceType, SourcePath: j.SourcePath, SourceHostname: j.SourceHostname},
		Apart:  d.Apart, Replaces: d.Replace, SubmittedAt: a.claim.Position.CreatedAt,
	}
	if d.SubmittedAt != nil {
		a.document.SubmittedAt = *d.SubmittedAt
	}
	if j.Filename != nil {
		a.document.Filename = *j.Filename
	}
	a.parallel = j.ProcessingMode != nil && *j.ProcessingMode == work.ModeParallel || a.cfg.FanOut
	a.options, a.force = d.options(), d.Force
	a.anew = d.Force && !d.Reuse
	if err := a.look(ctx); err != nil {
		return err
	}
	body, err := a.cfg.Store.Content(ctx, a.document.ID)
	if err != nil {
		return fmt.Errorf("load document %s: %w", a.document.ID, err)
	}
	reading := withTexts(corpus.WithReadingProgress(ctx, a.pages(ctx)), a.cfg.Texts, a.claim.JobID)
	if a.text, err = a.cfg.Formats.Text(reading, body, d.format()); err != nil {
		return fmt.Errorf("read document %s: %w", a.document.ID, err)
	}
	a.blank, a.language = len(bytes.TrimSpace(body)) == 0, corpus.LanguageOf(a.text.Text)
	if a.vocabulary, err = a.cfg.Vocabulary(ctx); err != nil {
		return fmt.Errorf("load vocabulary: %w", err)
	}
	return nil
}

// pages returns what says how many pages of the document are read.
func (a *attempt) pages(ctx context.Context) func(done, of int) {
	return func(done, of int) {
		now := time.Now()
		if a.cfg.Progress == nil || now.Sub(a.emitted) < time.Second/work.ProgressPerSecond {
			return
		}
		a.emitted = now
		progress := a.stored.progress()
		progress.Stage, progress.Message = stageReading, fmt.Sprintf("page %d of %d", done, of)
		if err := a.cfg.Progress(ctx, a.claim, work.Checkpoint{Progress: progress, Emit: true}); err != nil {
			a.cfg.Log.DebugContext(ctx, "how far a document is read could not be said", "job", a.claim.JobID, "err", err)
		}
	}
}

// findPlace counts the chunks and checks that the checkpoint is at the end of one of
// them. If it is not, as after a change of how documents are cut, the attempt starts
// at the first chunk.
func (a *attempt) findPlace(ctx context.Context) error {
	found := a.stored.LastChunk == 0
	for chunk := range Chunks(a.text.Text, a.text.Markup, a.options) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a.total = chunk.Number
		found = found || chunk.Number == a.stored.LastChunk && chunk.Bytes.End == a.stored.EndByte
	}
	if !found || a.stored.LastChunk > 0 && a.stored.ChunksTotal != a.total {
		a.stored = checkpoint{}
	}
	a.stored.ChunksTotal = a.total
	return nil
}

// write stores r with the checkpoint after it. The last chunk writes a progress event,
// the others no more of them than ProgressPerSecond allows.
func (a *attempt) write(ctx context.Context, r reading) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	now := time.Now()
	last := r.graph.Chunk.Number == a.total
	emit := last || now.Sub(a.emitted) >= time.Second/work.ProgressPerSecond
	ctx, span := a.startSpan(ctx, tracing.OperationStore, r.graph.Chunk)
	counts, err := a.cfg.Store.WriteChunk(ctx, a.claim, r.graph, NewMatcher(a.cfg.Embedder.Model()), func(counts corpus.Counts) work.Checkpoint {
		return a.stored.after(r, counts).encode(emit)
	})
	span.End(err)
	if err != nil {
		return fmt.Errorf("store chunk %d of %d: %w", r.graph.Chunk.Number, a.total, err)
	}
	a.stored = a.stored.after(r, counts)
	if emit {
		a.emitted = now
	}
	return a.count(r)
}
