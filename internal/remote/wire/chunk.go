package wire

import (
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// Chunk is a chunk of a document that a remote worker reads: the data of a job of
// the type extract_chunk.
type Chunk struct {
	Ontology   string       `json:"ontology"`
	DocumentID string       `json:"document_id"`
	Chunk      ChunkText    `json:"chunk"`
	Context    ChunkContext `json:"context"`
	Limits     ChunkLimits  `json:"limits"`
}

// ChunkText is the text of a chunk, and where it stands.
type ChunkText struct {
	Number      int                `json:"number"` // from 1
	Text        string             `json:"text"`
	ContentType corpus.ContentType `json:"content_type,omitempty"` // text/plain without
	Language    string             `json:"language,omitempty"`     // as knowledge.Passage has it; English without
	StartChar   int                `json:"start_char"`             // in characters of the document
	EndChar     int                `json:"end_char"`
	WordCount   int                `json:"word_count"`
}

// ChunkContext is what is known already: hints for who reads.
type ChunkContext struct {
	Concepts          []KnownConcept `json:"concepts"`
	RelationshipTypes []string       `json:"relationship_types"`
	Outline           *Outline       `json:"outline,omitempty"`
}

// Outline is what the outline of the whole document says of the chunk; see Outline.
type Outline struct {
	Terms    map[string]int    `json:"terms,omitempty"`    // how often the document has a phrase, by its stems
	Headings []string          `json:"headings,omitempty"` // what headings name, by its stems
	Long     map[string]string `json:"long,omitempty"`     // what an abbreviation stands for

	Boilerplate []string `json:"boilerplate,omitempty"` // lines that the document repeats, with 0 for each number
}

func newOutline(o *knowledge.Outline) *Outline {
	if o == nil || len(o.Terms)+len(o.Headings)+len(o.Long)+len(o.Boilerplate) == 0 {
		return nil
	}
	return &Outline{
		Terms: o.Terms, Headings: slices.Sorted(maps.Keys(o.Headings)), Long: o.Long,
		Boilerplate: slices.Sorted(maps.Keys(o.Boilerplate)),
	}
}

func (o *Outline) outline() *knowledge.Outline {
	if o == nil {
		return nil
	}
	out := &knowledge.Outline{Terms: o.Terms, Headings: map[string]bool{}, Long: o.Long, Boilerplate: map[string]bool{}}
	for _, h := range o.Headings {
		out.Headings[h] = true
	}
	for _, line := range o.Boilerplate {
		out.Boilerplate[line] = true
	}
	return out
}

// KnownConcept is a concept that is in the graph already.
type KnownConcept struct {
	ID    string `json:"concept_id"`
	Label string `json:"label"`
}

// ChunkLimits say how much is wanted.
type ChunkLimits struct {
	MaxConcepts int `json:"max_concepts"`
}

// maxConcepts is how many concepts are asked for in one chunk.
const maxConcepts = 40

// NewChunk returns what a worker gets of a passage.
func NewChunk(p knowledge.Passage) Chunk {
	c := Chunk{
		Ontology: p.Place.Ontology, DocumentID: p.Place.DocumentID,
		Chunk: ChunkText{
			Number: p.Place.Number, Text: p.Text, ContentType: p.ContentType, Language: p.Language,
			StartChar: p.Place.StartChar, EndChar: p.Place.EndChar, WordCount: len(strings.Fields(p.Text)),
		},
		Context: ChunkContext{Concepts: make([]KnownConcept, len(p.Known)), RelationshipTypes: append([]string{}, p.Types...), Outline: newOutline(p.Outline)},
		Limits:  ChunkLimits{MaxConcepts: maxConcepts},
	}
	for i, k := range p.Known {
		c.Context.Concepts[i] = KnownConcept(k)
	}
	return c
}

// Passage returns the chunk as an extractor reads it.
func (c Chunk) Passage() knowledge.Passage {
	p := knowledge.Passage{
		Text: c.Chunk.Text, ContentType: c.Chunk.ContentType, Language: c.Chunk.Language, Types: c.Context.RelationshipTypes, Outline: c.Context.Outline.outline(),
		Place: knowledge.PassagePlace{
			Ontology: c.Ontology, DocumentID: c.DocumentID, Number: c.Chunk.Number,
			StartChar: c.Chunk.StartChar, EndChar: c.Chunk.EndChar,
		},
	}
	if p.ContentType == "" {
		p.ContentType = corpus.ContentPlain
	}
	for _, k := range c.Context.Concepts {
		p.Known = append(p.Known, knowledge.KnownConcept(k))
	}
	return p
}

// Reading is what a worker has found in a chunk: the result of a job of the type
// extract_chunk. Workers that know no more leave Weights, Spans and Quotes out.
type Reading struct {
	knowledge.Extraction
	Weights []float64     `json:"weights,omitempty"` // of the concepts
	Spans   []corpus.Span `json:"spans,omitempty"`   // of the instances, in the chunk
	Quotes  []Stating     `json:"quotes,omitempty"`  // of the relationships
	Usage   Usage         `json:"usage"`
}

// Stating is where a relationship is stated.
type Stating struct {
	Quote string `json:"quote"`
	corpus.Span
	Marks *knowledge.WrittenMarks `json:"marks,omitempty"` // nil from a worker that does not know them
}

// Usage is what a reading has cost.
type Usage struct {
	Model        string `json:"model"`
	InputTokens  int    `json:"input_tokens"`
	OutputTokens int    `json:"output_tokens"`
}

// NewReading returns an extraction by a model as it travels.
func NewReading(e knowledge.Extraction, model string) Reading {
	r := Reading{Extraction: e, Usage: Usage{Model: model, InputTokens: e.Tokens}}
	r.Concepts, r.Instances, r.Relationships = notNil(e.Concepts), notNil(e.Instances), notNil(e.Relationships)
	for _, c := range e.Concepts {
		r.Weights = append(r.Weights, c.Weight)
	}
	for _, i := range e.Instances {
		r.Spans = append(r.Spans, i.Span)
	}
	for _, x := range e.Relationships {
		r.Quotes = append(r.Quotes, Stating{Quote: x.Quote, Span: x.Span, Marks: x.Marks.Written()})
	}
	return r
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Found returns the extraction. What is wrong in it is left out later, as of any reader.
func (r Reading) Found() knowledge.Extraction {
	e := r.Extraction
	e.Tokens = max(0, r.Usage.InputTokens) + max(0, r.Usage.OutputTokens)
	for i := range e.Concepts {
		if e.Concepts[i].Weight = 1; len(r.Weights) == len(e.Concepts) {
			e.Concepts[i].Weight = r.Weights[i]
		}
	}
	for i := range e.Instances {
		if len(r.Spans) == len(e.Instances) {
			e.Instances[i].Span = r.Spans[i]
		}
	}
	for i := range e.Relationships {
		if len(r.Quotes) == len(e.Relationships) {
			q := r.Quotes[i]
			e.Relationships[i].Quote, e.Relationships[i].Span, e.Relationships[i].Marks = q.Quote, q.Span, q.Marks.Marks()
		}
	}
	return e
}
