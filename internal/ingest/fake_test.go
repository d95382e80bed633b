package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// fakeGraph is a store that keeps what is written, and the checkpoint of the
// last write.
type fakeGraph struct {
	mu         sync.Mutex
	document   work.JobDocument
	body       string
	written    []knowledge.ChunkGraph
	checkpoint work.Checkpoint
	emitted    []work.Progress
	finished   int
	finishing  corpus.Finishing
	toEmbed    []string // texts that the end of the document needs
	replaced   []string
	earlier    []knowledge.ChunkGraph // whose readings are stored

	standing corpus.Standing
	versions int // documents that were written at once

	beforeWrite func(g knowledge.ChunkGraph) error // may fail the write: nothing is stored
	afterWrite  func(g knowledge.ChunkGraph) error // may fail it although all is stored
	finishErr   error
}

func (f *fakeGraph) IngestionDocument(context.Context, work.Claim) (work.JobDocument, error) {
	return f.document, nil
}

func (f *fakeGraph) Content(_ context.Context, hash string) ([]byte, error) {
	if hash != corpus.ContentHash([]byte(f.body)) {
		return nil, kappa.NewError(kappa.CodeNotFound, "Document not found: "+hash)
	}
	return []byte(f.body), nil
}

func (f *fakeGraph) WriteChunk(ctx context.Context, _ work.Claim, g knowledge.ChunkGraph, _ knowledge.Matcher, next func(corpus.Counts) work.Checkpoint) (corpus.Counts, error) {
	if f.beforeWrite != nil {
		if err := f.beforeWrite(g); err != nil {
			return corpus.Counts{}, err
		}
	}
	if ctx.Err() != nil {
		return corpus.Counts{}, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := corpus.Counts{
		SourcesCreated: 1, ConceptsCreated: len(g.Drafts),
		InstancesCreated: len(g.Instances), RelationshipsCreated: len(g.Relationships),
	}
	_ = next(counts) // a transaction may be repeated
	f.checkpoint = next(counts)
	f.written = append(f.written, g)
	if f.checkpoint.Emit {
		f.emitted = append(f.emitted, f.checkpoint.Progress)
	}
	if f.afterWrite != nil {
		return counts, f.afterWrite(g)
	}
	return counts, nil
}

func (f *fakeGraph) StoredReading(_ context.Context, text, reader string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.earlier {
		if g.Chunk.Text == text && g.Reader == reader {
			return g.Reading, nil
		}
	}
	return nil, nil
}

func (f *fakeGraph) FinishDocument(_ context.Context, _ work.Claim, end corpus.Finishing, embedded knowledge.NewEmbeddings) (replaced, missing []string, err error) {
	if f.finishErr != nil {
		return nil, nil, f.finishErr
	}
	for _, text := range f.toEmbed {
		if _, known := embedded.ByText[text]; !known {
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		return nil, missing, nil
	}
	f.finished++
	f.finishing = end
	return f.replaced, nil, nil
}

func (f *fakeGraph) Standing(context.Context, work.Claim, corpus.Document) (corpus.Standing, error) {
	return f.standing, nil
}

func (f *fakeGraph) WriteVersion(_ context.Context, _ work.Claim, v knowledge.DocumentVersion, next func([]corpus.Counts) work.Checkpoint) (replaced, missing []string, err error) {
	if f.finishErr != nil {
		return nil, nil, f.finishErr
	}
	for _, text := range f.toEmbed {
		if _, known := v.Embedded.ByText[text]; !known {
			missing = append(missing, text)
		}
	}
	if len(missing) > 0 {
		return nil, missing, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := make([]corpus.Counts, len(v.Chunks))
	for i, g := range v.Chunks {
		counts[i] = corpus.Counts{SourcesCreated: 1, ConceptsCreated: len(g.Drafts), InstancesCreated: len(g.Instances), RelationshipsCreated: len(g.Relationships)}
	}
	f.versions++
	f.written, f.checkpoint = append(f.written, v.Chunks...), next(counts)
	f.finishing = corpus.Finishing{Document: v.Document}
	return f.replaced, nil, nil
}

// fakeExtractor finds the first and the last word of a passage, and that one
// precedes the other. It makes up a quote too.
type fakeExtractor struct {
	mu     sync.Mutex
	read   int
	before func(ctx context.Context, p knowledge.Passage) error
}

func (*fakeExtractor) Model() models.Model { return models.Model{Name: "reader", PricePerMillion: 100} }

func (f *fakeExtractor) Extract(ctx context.Context, p knowledge.Passage) (knowledge.Extraction, error) {
	f.mu.Lock()
	f.read++
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(ctx, p); err != nil {
			return knowledge.Extraction{}, err
		}
	}
	words := strings.Fields(p.Text)
	first, last := words[0], words[len(words)-1]
	return knowledge.Extraction{
		Concepts: []knowledge.ExtractedConcept{{Key: "a", Label: first, Weight: 1}, {Key: "b", Label: last, Weight: 1}},
		Instances: []knowledge.ExtractedInstance{
			{Concept: "a", Quote: first, Span: corpus.Span{Start: 0, End: len(first)}},
			{Concept: "b", Quote: last, Span: corpus.Span{Start: len(p.Text) - len(last), End: len(p.Text)}},
			{Concept: "b", Quote: "words that are not in the passage"},
		},
		Relationships: []knowledge.ExtractedRelationship{{From: "a", To: "b", Type: "PRECEDES", Confidence: 1, Quote: last, Span: corpus.Span{Start: len(p.Text) - len(last), End: len(p.Text)}}},
		Tokens:        100,
	}, nil
}

// fakeFormats reads text, and as a format of its own what begins with FAKE: the
// text is what follows.
type fakeFormats struct{}

const fakeFormat = "FAKE"

func (fakeFormats) Recognise(body []byte, filename, _ string) (corpus.ContentType, error) {
	switch {
	case strings.TrimSpace(string(body)) == "":
		return "", kappa.NewError(kappa.CodeMalformed, "blank")
	case strings.HasSuffix(filename, ".md"):
		return corpus.ContentMarkdown, nil
	}
	return corpus.ContentPlain, nil
}

func (fakeFormats) Prepare(context.Context, []byte, corpus.ContentType) error { return nil }

func (fakeFormats) Text(_ context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	if format != corpus.ContentPDF {
		return corpus.DocumentText{Text: string(body), Markup: format}, nil
	}
	text, ok := strings.CutPrefix(string(body), fakeFormat)
	if !ok {
		return corpus.DocumentText{}, kappa.NewError(kappa.CodeMalformed, "The PDF is broken.")
	}
	return corpus.DocumentText{Text: text, Markup: corpus.ContentPlain, Warnings: []string{"Page 2 has no text layer"}}, nil
}

type fakeEmbedder struct {
	short, local, names bool
	noPassages          bool // it fails with long texts
	asked               *[]string
}

func (f fakeEmbedder) Model() models.Model {
	return models.Model{Name: "fake-embedding", PricePerMillion: 1000, Local: f.local, NamesOnly: f.names}
}

func (f fakeEmbedder) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	if f.asked != nil {
		*f.asked = append(*f.asked, texts...)
	}
	embeddings := make([]models.Embedding, len(texts))
	for i, text := range texts {
		if f.noPassages && len(text) > 100 {
			return nil, errors.New("too long")
		}
		embeddings[i] = models.Embedding{float32(len(text)), 1}
	}
	if f.short {
		return embeddings[1:], nil
	}
	return embeddings, nil
}

// ingestion is a document with the parts that work on it.
type ingestion struct {
	store     *fakeGraph
	extractor *fakeExtractor
	embedder  fakeEmbedder
	claim     work.Claim
	parallel  int // chunks that are read at once; 0 is the default
	kept      *fakeKept
}

// fakeKept keeps readings of one job.
type fakeKept struct {
	mu       sync.Mutex
	readings map[string][]byte
}

func (f *fakeKept) KeepReading(_ context.Context, _ work.Claim, text, reader string, reading []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readings[reader+text] = reading
	return nil
}

func (f *fakeKept) KeptReading(_ context.Context, _, text, reader string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readings[reader+text], nil
}

// newIngestion has a document of numbered words, which smallOptions cut into
// chunks of 15 words with 4 in common.
func newIngestion(words int, mode string) *ingestion {
	body := numbered(words)
	data, _ := json.Marshal(jobData{ContentType: corpus.ContentPlain, Chunking: smallOptions()})
	return &ingestion{
		store: &fakeGraph{body: body, document: work.JobDocument{
			ContentHash: new(corpus.ContentHash([]byte(body))), Ontology: new("nature"),
			Filename: new("words.txt"), ProcessingMode: &mode,
		}},
		extractor: &fakeExtractor{},
		kept:      &fakeKept{readings: map[string][]byte{}},
		claim:     work.Claim{JobID: "job_0123456789ab", JobType: jobTypeName, Attempt: 1, Data: data},
	}
}

// work makes one attempt, after the checkpoint that is stored.
func (i *ingestion) work(t *testing.T, ctx context.Context) (json.RawMessage, error) {
	i.claim.Checkpoint = i.store.checkpoint.State
	return NewHandler(HandlerConfig{
		Vocabulary: builtinTypes,
		Store:      i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Ahead: i.parallel, Kept: i.kept, Log: testLog(t),
	}).Work(ctx, i.claim)
}

// describe shows graphs in a form that can be compared.
func describe(graphs []knowledge.ChunkGraph) []string {
	described := make([]string, len(graphs))
	for i, g := range graphs {
		described[i] = fmt.Sprintf("%+v", g)
	}
	return described
}

// fakePassages makes a passage of each sentence.
func fakePassages(d corpus.DocumentText) iter.Seq[corpus.Passage] {
	return func(yield func(corpus.Passage) bool) {
		at, number := 0, 0
		for sentence := range strings.SplitAfterSeq(d.Text, ". ") {
			text := strings.TrimSpace(sentence)
			start := at + strings.Index(sentence, text)
			at += len(sentence)
			if text == "" {
				continue
			}
			number++
			if !yield(corpus.Passage{Number: number, Text: text, Span: corpus.Span{Start: start, End: start + len(text)}, Class: corpus.ClassProse}) {
				return
			}
		}
	}
}

func builtinTypes(context.Context) (vocabulary.TypeNames, error) {
	return vocabulary.BuiltinTypeNames(), nil
}
