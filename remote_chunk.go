package kappa

import (
	"maps"
	"slices"
	"strings"
)

// RemoteChunk is a chunk of a document that a remote worker reads: the data of a job of
// the type extract_chunk.
type RemoteChunk struct {
	Ontology   string             `json:"ontology"`
	DocumentID string             `json:"document_id"`
	Chunk      RemoteChunkText    `json:"chunk"`
	Context    RemoteChunkContext `json:"context"`
	Limits     RemoteChunkLimits  `json:"limits"`
}

// RemoteChunkText is the text of a chunk, and where it stands.
type RemoteChunkText struct {
	Number      int         `json:"number"` // from 1
	Text        string      `json:"text"`
	ContentType ContentType `json:"content_type,omitempty"` // text/plain without
	StartChar   int         `json:"start_char"`             // in characters of the document
	EndChar     int         `json:"end_char"`
	WordCount   int         `json:"word_count"`
}

// RemoteChunkContext is what is known already: hints for who reads.
type RemoteChunkContext struct {
	Concepts          []RemoteConcept `json:"concepts"`
	RelationshipTypes []string        `json:"relationship_types"`
	Outline           *RemoteOutline  `json:"outline,omitempty"`
}

// RemoteOutline is what the outline of the whole document says of the chunk; see Outline.
type RemoteOutline struct {
	Terms    map[string]int    `json:"terms,omitempty"`    // how often the document has a phrase, by its stems
	Headings []string          `json:"headings,omitempty"` // what headings name, by its stems
	Long     map[string]string `json:"long,omitempty"`     // what an abbreviation stands for

	Boilerplate []string `json:"boilerplate,omitempty"` // lines that the document repeats, with 0 for each number
}

func newRemoteOutline(o *Outline) *RemoteOutline {
	if o == nil || len(o.Terms)+len(o.Headings)+len(o.Long)+len(o.Boilerplate) == 0 {
		return nil
	}
	return &RemoteOutline{
		Terms: o.Terms, Headings: slices.Sorted(maps.Keys(o.Headings)), Long: o.Long,
		Boilerplate: slices.Sorted(maps.Keys(o.Boilerplate)),
	}
}

func (o *RemoteOutline) outline() *Outline {
	if o == nil {
		return nil
	}
	out := &Outline{Terms: o.Terms, Headings: map[string]bool{}, Long: o.Long, Boilerplate: map[string]bool{}}
	for _, h := range o.Headings {
		out.Headings[h] = true
	}
	for _, line := range o.Boilerplate {
		out.Boilerplate[line] = true
	}
	return out
}

// RemoteConcept is a concept that is in the graph already.
type RemoteConcept struct {
	ID    string `json:"concept_id"`
	Label string `json:"label"`
}

// RemoteChunkLimits say how much is wanted.
type RemoteChunkLimits struct {
	MaxConcepts int `json:"max_concepts"`
}

// maxRemoteConcepts is how many concepts are asked for in one chunk.
const maxRemoteConcepts = 40

// NewRemoteChunk returns what a worker gets of a passage.
func NewRemoteChunk(p Passage) RemoteChunk {
	c := RemoteChunk{
		Ontology: p.Place.Ontology, DocumentID: p.Place.DocumentID,
		Chunk: RemoteChunkText{
			Number: p.Place.Number, Text: p.Text, ContentType: p.ContentType,
			StartChar: p.Place.StartChar, EndChar: p.Place.EndChar, WordCount: len(strings.Fields(p.Text)),
		},
		Context: RemoteChunkContext{Concepts: make([]RemoteConcept, len(p.Known)), RelationshipTypes: append([]string{}, p.Types...), Outline: newRemoteOutline(p.Outline)},
		Limits:  RemoteChunkLimits{MaxConcepts: maxRemoteConcepts},
	}
	for i, k := range p.Known {
		c.Context.Concepts[i] = RemoteConcept(k)
	}
	return c
}

// Passage returns the chunk as an extractor reads it.
func (c RemoteChunk) Passage() Passage {
	p := Passage{
		Text: c.Chunk.Text, ContentType: c.Chunk.ContentType, Types: c.Context.RelationshipTypes, Outline: c.Context.Outline.outline(),
		Place: PassagePlace{
			Ontology: c.Ontology, DocumentID: c.DocumentID, Number: c.Chunk.Number,
			StartChar: c.Chunk.StartChar, EndChar: c.Chunk.EndChar,
		},
	}
	if p.ContentType == "" {
		p.ContentType = ContentPlain
	}
	for _, k := range c.Context.Concepts {
		p.Known = append(p.Known, KnownConcept(k))
	}
	return p
}

// RemoteReading is what a worker has found in a chunk: the result of a job of the type
// extract_chunk. Workers that know no more leave Weights, Spans and Quotes out.
type RemoteReading struct {
	Extraction
	Weights []float64       `json:"weights,omitempty"` // of the concepts
	Spans   []Span          `json:"spans,omitempty"`   // of the instances, in the chunk
	Quotes  []RemoteStating `json:"quotes,omitempty"`  // of the relationships
	Usage   RemoteUsage     `json:"usage"`
}

// RemoteStating is where a relationship is stated.
type RemoteStating struct {
	Quote string `json:"quote"`
	Span
	Marks *WrittenMarks `json:"marks,omitempty"` // nil from a worker that does not know them
}

// RemoteUsage is what a reading has cost.
type RemoteUsage struct {
	Model        string `json:"model"`
	InputTokens  int    `json:"input_tokens"`
	OutputTokens int    `json:"output_tokens"`
}

// NewRemoteReading returns an extraction by a model as it travels.
func NewRemoteReading(e Extraction, model string) RemoteReading {
	r := RemoteReading{Extraction: e, Usage: RemoteUsage{Model: model, InputTokens: e.Tokens}}
	r.Concepts, r.Instances, r.Relationships = notNil(e.Concepts), notNil(e.Instances), notNil(e.Relationships)
	for _, c := range e.Concepts {
		r.Weights = append(r.Weights, c.Weight)
	}
	for _, i := range e.Instances {
		r.Spans = append(r.Spans, i.Span)
	}
	for _, x := range e.Relationships {
		r.Quotes = append(r.Quotes, RemoteStating{Quote: x.Quote, Span: x.Span, Marks: x.Marks.Written()})
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
func (r RemoteReading) Found() Extraction {
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
