package ingest

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// readingForm names the form in which readings are kept. Another one is not used again.
const readingForm = "1"

// hints are what a chunk is read with besides its text.
type hints struct {
	outline  *knowledge.Outline // nil: nothing
	language string             // for which the built-in extractor has no rules; "" is none
	parts    []knowledge.PassagePart
}

// hintsFor returns the language of a chunk, and what of the document's outline matters to it.
// They stay the same when the document changes elsewhere, unless that changes what it says of
// the chunk's words.
func (a *attempt) hintsFor(chunk corpus.Chunk) hints {
	language, parts := a.languageOf(chunk)
	p := knowledge.Passage{Text: chunk.Text, ContentType: a.text.Markup, Language: language, Parts: parts}
	return hints{language: language, parts: parts, outline: narrow(a.cfg.Extractor, a.outline, p)}
}

// reader names who reads a chunk, and with which hints: what it has read so before need not
// be read again.
func (a *attempt) reader(with hints) string {
	name := a.cfg.Extractor.Model().Name + " " + readingForm
	if with.language != "" {
		name += " " + with.language
	}
	if parts := partsName(with.parts); parts != "" {
		name += " " + parts
	}
	if with.outline != nil {
		name += " " + with.outline.Hash
	}
	return name
}

// narrow returns what of an outline matters to a passage of its document; nil without one.
func narrow(e extractor, outline *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	if o, ok := e.(outliner); ok && outline != nil {
		return o.Narrow(outline, p)
	}
	return nil
}

// outliner is an extractor that reads chunks with an outline of their document. The
// outline depends on the text alone: each attempt makes the same one.
type outliner interface {
	Outline(text string, ct corpus.ContentType) *knowledge.Outline
	Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline
}

// outlineOf returns the outline of a document for an extractor that makes one.
func outlineOf(e extractor, text corpus.DocumentText) *knowledge.Outline {
	if o, ok := e.(outliner); ok {
		return o.Outline(text.Text, text.Markup)
	}
	return nil
}

// extract returns what a chunk says: what the same reader found in it before with the same
// hints, or else what it finds now. A forced ingestion reads anew what its own job has not read.
func (a *attempt) extract(ctx context.Context, chunk corpus.Chunk, with hints) (e knowledge.Extraction, reused bool, err error) {
	text, reader := chunk.Text, a.reader(with)
	if a.cfg.Kept != nil {
		kept, err := a.cfg.Kept.KeptReading(ctx, a.claim.JobID, text, reader)
		if err != nil {
			return e, false, err
		}
		if e, ok := decodeReading(kept); ok {
			return Clean(e, text, a.vocabulary.All()), false, nil // the job has paid for it
		}
	}
	if !a.anew {
		stored, err := a.cfg.Store.StoredReading(ctx, text, reader)
		if err != nil {
			return e, false, err
		}
		if e, ok := decodeReading(stored); ok {
			return Clean(e, text, a.vocabulary.All()), true, nil
		}
	}
	main := a.text.MainText(chunk)
	if strings.TrimSpace(main) == "" {
		return knowledge.Extraction{}, false, nil
	}
	passage := knowledge.Passage{
		Text: main, ContentType: a.text.Markup, Language: with.language, Parts: with.parts, Types: a.vocabulary.Active, Outline: with.outline,
		Place: knowledge.PassagePlace{
			Ontology: a.document.Ontology, DocumentID: a.document.ID, Number: chunk.Number, StartChar: chunk.StartChar, EndChar: chunk.EndChar,
		},
	}
	if a.cfg.Known != nil {
		if passage.Known, err = a.cfg.Known(ctx, namesIn(main)); err != nil {
			return e, false, fmt.Errorf("look up what is known of it: %w", err)
		}
	}
	e, err = a.cfg.Extractor.Extract(ctx, passage)
	return Clean(e, text, a.vocabulary.All()), false, err
}

// storedReading is an extraction with what its form for models leaves out.
type storedReading struct {
	knowledge.Extraction
	Weights []float64       `json:"weights"`
	Spans   []corpus.Span   `json:"spans"`  // of the instances
	Quotes  []storedStating `json:"quotes"` // of the relationships
}

// storedStating is where a relationship is stated.
type storedStating struct {
	Quote string `json:"quote"`
	corpus.Span
	Marks *knowledge.WrittenMarks `json:"marks,omitempty"` // nil in what was kept before there were any
}

// encodeReading returns an extraction in the form in which it is kept. Its spans count
// from the chunk.
func encodeReading(e knowledge.Extraction) ([]byte, error) {
	s := storedReading{Extraction: e}
	for _, c := range e.Concepts {
		s.Weights = append(s.Weights, c.Weight)
	}
	for _, i := range e.Instances {
		s.Spans = append(s.Spans, i.Span)
	}
	for _, r := range e.Relationships {
		s.Quotes = append(s.Quotes, storedStating{r.Quote, r.Span, r.Marks.Written()})
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("compress a reading: %w", err)
	}
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return nil, fmt.Errorf("encode a reading: %w", err)
	}
	err = w.Close()
	return b.Bytes(), err
}

const mostReadingBytes = 64 << 20 // of one that is kept, expanded

// decodeReading reads what encodeReading has made. A reading that cannot be read counts
// as none.
func decodeReading(stored []byte) (knowledge.Extraction, bool) {
	if len(stored) == 0 {
		return knowledge.Extraction{}, false
	}
	var s storedReading
	err := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(stored)), mostReadingBytes)).Decode(&s)
	if err != nil || len(s.Weights) != len(s.Concepts) || len(s.Spans) != len(s.Instances) || len(s.Quotes) != len(s.Relationships) {
		return knowledge.Extraction{}, false
	}
	for i := range s.Concepts {
		s.Concepts[i].Weight = s.Weights[i]
	}
	for i := range s.Instances {
		s.Instances[i].Span = s.Spans[i]
	}
	for i := range s.Relationships {
		q := s.Quotes[i]
		s.Relationships[i].Quote, s.Relationships[i].Span, s.Relationships[i].Marks = q.Quote, q.Span, q.Marks.Marks()
	}
	return s.Extraction, true
}
