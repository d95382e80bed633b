package ingest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
)

// fakeGraph is a store that keeps what is written, and the checkpoint of the
// last write.
type fakeGraph struct {
	mu         sync.Mutex
	document   kappa.JobDocument
	body       string
	written    []kappa.ChunkGraph
	checkpoint kappa.Checkpoint
	emitted    []kappa.Progress
	finished   int
	finishing  kappa.Finishing
	toEmbed    []string // texts that the end of the document needs
	replaced   []string
	earlier    []kappa.ChunkGraph // whose readings are stored

	beforeWrite func(g kappa.ChunkGraph) error // may fail the write: nothing is stored
	afterWrite  func(g kappa.ChunkGraph) error // may fail it although all is stored
	finishErr   error
}

func (f *fakeGraph) IngestionDocument(context.Context, kappa.Claim) (kappa.JobDocument, error) {
	return f.document, nil
}

func (f *fakeGraph) Content(_ context.Context, hash string) ([]byte, error) {
	if hash != kappa.ContentHash([]byte(f.body)) {
		return nil, kappa.NewError(kappa.CodeNotFound, "Document not found: "+hash)
	}
	return []byte(f.body), nil
}

func (f *fakeGraph) WriteChunk(ctx context.Context, _ kappa.Claim, g kappa.ChunkGraph, _ kappa.Matcher, next func(kappa.Counts) kappa.Checkpoint) (kappa.Counts, error) {
	if f.beforeWrite != nil {
		if err := f.beforeWrite(g); err != nil {
			return kappa.Counts{}, err
		}
	}
	if ctx.Err() != nil {
		return kappa.Counts{}, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := kappa.Counts{
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

func (f *fakeGraph) FinishDocument(_ context.Context, _ kappa.Claim, end kappa.Finishing, embedded kappa.NewEmbeddings) (replaced, missing []string, err error) {
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

// fakeExtractor finds the first and the last word of a passage, and that one
// precedes the other. It makes up a quote too.
type fakeExtractor struct {
	mu     sync.Mutex
	read   int
	before func(ctx context.Context, p kappa.Passage) error
}

func (*fakeExtractor) Model() kappa.Model { return kappa.Model{Name: "reader", PricePerMillion: 100} }

func (f *fakeExtractor) Extract(ctx context.Context, p kappa.Passage) (kappa.Extraction, error) {
	f.mu.Lock()
	f.read++
	f.mu.Unlock()
	if f.before != nil {
		if err := f.before(ctx, p); err != nil {
			return kappa.Extraction{}, err
		}
	}
	words := strings.Fields(p.Text)
	first, last := words[0], words[len(words)-1]
	return kappa.Extraction{
		Concepts: []kappa.ExtractedConcept{{Key: "a", Label: first, Weight: 1}, {Key: "b", Label: last, Weight: 1}},
		Instances: []kappa.ExtractedInstance{
			{Concept: "a", Quote: first, Span: kappa.Span{Start: 0, End: len(first)}},
			{Concept: "b", Quote: last, Span: kappa.Span{Start: len(p.Text) - len(last), End: len(p.Text)}},
			{Concept: "b", Quote: "words that are not in the passage"},
		},
		Relationships: []kappa.ExtractedRelationship{{From: "a", To: "b", Type: "PRECEDES", Confidence: 1, Quote: last, Span: kappa.Span{Start: len(p.Text) - len(last), End: len(p.Text)}}},
		Tokens:        100,
	}, nil
}

// fakeFormats reads text, and as a format of its own what begins with FAKE: the
// text is what follows.
type fakeFormats struct{}

const fakeFormat = "FAKE"

func (fakeFormats) Recognise(body []byte, filename, _ string) (kappa.ContentType, error) {
	switch {
	case strings.TrimSpace(string(body)) == "":
		return "", kappa.NewError(kappa.CodeMalformed, "blank")
	case strings.HasSuffix(filename, ".md"):
		return kappa.ContentMarkdown, nil
	}
	return kappa.ContentPlain, nil
}

func (fakeFormats) Prepare(context.Context, []byte, kappa.ContentType) error { return nil }

func (fakeFormats) Text(_ context.Context, body []byte, format kappa.ContentType) (kappa.DocumentText, error) {
	if format != kappa.ContentPDF {
		return kappa.DocumentText{Text: string(body), Markup: format}, nil
	}
	text, ok := strings.CutPrefix(string(body), fakeFormat)
	if !ok {
		return kappa.DocumentText{}, kappa.NewError(kappa.CodeMalformed, "The PDF is broken.")
	}
	return kappa.DocumentText{Text: text, Markup: kappa.ContentPlain, Warnings: []string{"Page 2 has no text layer"}}, nil
}

type fakeEmbedder struct{ short, local bool }

func (f fakeEmbedder) Model() kappa.Model {
	return kappa.Model{Name: "fake-embedding", PricePerMillion: 1000, Local: f.local}
}

func (f fakeEmbedder) Embed(_ context.Context, texts []string) ([]kappa.Embedding, error) {
	embeddings := make([]kappa.Embedding, len(texts))
	for i, text := range texts {
		embeddings[i] = kappa.Embedding{float32(len(text)), 1}
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
	claim     kappa.Claim
	parallel  int // chunks that are read at once; 0 is the default
	kept      *fakeKept
}

// fakeKept keeps readings of one job.
type fakeKept struct {
	mu       sync.Mutex
	readings map[string][]byte
}

func (f *fakeKept) KeepReading(_ context.Context, _ kappa.Claim, text, reader string, reading []byte) error {
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
	data, _ := json.Marshal(jobData{ContentType: kappa.ContentPlain, Chunking: smallOptions()})
	return &ingestion{
		store: &fakeGraph{body: body, document: kappa.JobDocument{
			ContentHash: new(kappa.ContentHash([]byte(body))), Ontology: new("nature"),
			Filename: new("words.txt"), ProcessingMode: &mode,
		}},
		extractor: &fakeExtractor{},
		kept:      &fakeKept{readings: map[string][]byte{}},
		claim:     kappa.Claim{JobID: "job_0123456789ab", JobType: jobTypeName, Attempt: 1, Data: data},
	}
}

// work makes one attempt, after the checkpoint that is stored.
func (i *ingestion) work(t *testing.T, ctx context.Context) (json.RawMessage, error) {
	i.claim.Checkpoint = i.store.checkpoint.State
	return NewHandler(HandlerConfig{
		Vocabulary: builtinTypes,
		Store:      i.store, Formats: fakeFormats{}, Extractor: i.extractor, Embedder: i.embedder, Ahead: i.parallel, Kept: i.kept, Log: testLog(t),
	}).Work(ctx, i.claim)
}

// describe shows graphs in a form that can be compared.
func describe(graphs []kappa.ChunkGraph) []string {
	described := make([]string, len(graphs))
	for i, g := range graphs {
		described[i] = fmt.Sprintf("%+v", g)
	}
	return described
}

func builtinTypes(context.Context) (kappa.TypeNames, error) { return kappa.BuiltinTypeNames(), nil }
