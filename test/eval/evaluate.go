package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/internal/extract"
	"github.com/kappagraph/kappa/knowledge"
)

// What the figures ask for.
const (
	fewKeyphrases = 5    // how many concepts count as the keyphrases of a text, for F@5
	topKeyphrases = 10   // and for F@10
	leastShown    = 0.35 // confidence of a RELATED_TO that is shown unasked
)

// evaluate runs the extractor over a set.
func evaluate(ctx context.Context, l extract.Extractor, s set) (report, error) {
	each := make([]counts, len(s.documents))
	var notes []string
	for i, d := range s.documents {
		start := time.Now()
		passage := d.passage
		if o, ok := l.(extract.Outliner); ok { // as the ingestion does
			passage.Outline = o.Outline(passage.Text, passage.ContentType)
		}
		e, err := l.Extract(ctx, passage)
		if err != nil {
			return report{}, fmt.Errorf("document %q: %w", d.name, err)
		}
		took := time.Since(start)
		m := measure(d, e, s.pairsOnly)
		m.took = took
		each[i] = m.counts
		notes = append(notes, m.notes...)
	}
	r := byStyle(s.name, s.documents, each)
	r.Notes = notes
	return r, nil
}

// measurement compares one extraction with the annotations of its document.
type measurement struct {
	counts
	document   document
	extraction knowledge.Extraction
	names      map[string][]string // of each concept, by its key
	notes      []string
}

// measure returns the counts of one document and what was wrong or missed.
func measure(d document, e knowledge.Extraction, pairsOnly bool) *measurement {
	m := &measurement{document: d, extraction: e, names: map[string][]string{}}
	m.documents, m.words, m.concepts = 1, len(strings.Fields(d.passage.Text)), len(e.Concepts)
	for _, c := range e.Concepts {
		m.names[c.Key] = namesOf(c)
	}
	m.quotes()
	m.keyphrasesAt()
	m.conceptsNamed()
	m.relationships(pairsOnly)
	m.unrelated()
	return m
}

// namesOf returns the label and the search terms of a concept.
func namesOf(c knowledge.ExtractedConcept) []string {
	return append([]string{c.Label}, c.SearchTerms...)
}

// note adds a line of what was wrong or missed.
func (m *measurement) note(format string, args ...any) {
	m.notes = append(m.notes, m.document.name+": "+fmt.Sprintf(format, args...))
}

// quotes counts the quotes that are not exactly the text at their span.
func (m *measurement) quotes() {
	text := m.document.passage.Text
	for _, i := range m.extraction.Instances {
		if i.Span.Start < 0 || i.Span.End > len(text) || i.Span.Start >= i.Span.End || text[i.Span.Start:i.Span.End] != i.Quote {
			m.inexact++
			m.note("inexact quote %q at %d:%d", i.Quote, i.Span.Start, i.Span.End)
		}
	}
}

// keyphrasesAt compares the heaviest concepts with the annotated keyphrases, by the
// stems of the whole phrase.
func (m *measurement) keyphrasesAt() {
	gold := m.document.keyphrases
	if gold == nil {
		return
	}
	m.keyed, m.keyphrases = 1, len(gold)
	text := stems(m.document.passage.Text)
	for _, k := range gold {
		if present(text, k) {
			m.keyphrasesPresent++
		}
	}
	m.hits5, m.predicted5, _ = m.hits(fewKeyphrases)
	var missed []string
	m.hits10, m.predicted10, missed = m.hits(topKeyphrases)
	m.macroF10 = harmonic(share(m.hits10, m.predicted10), share(m.hits10, m.keyphrases)).value
	var extra []string
	for _, c := range m.extraction.Concepts[:min(len(m.extraction.Concepts), topKeyphrases)] {
		if !slices.ContainsFunc(gold, func(k []string) bool { return exactly([]string{c.Label}, k) }) {
			extra = append(extra, c.Label)
		}
	}
	m.note("keyphrases %d of %d; not annotated: %s; missed: %s", m.hits10, len(gold), strings.Join(extra, ", "), strings.Join(missed, ", "))
}

// hits counts the keyphrases among the labels of the heaviest concepts, and the
// distinct labels.
func (m *measurement) hits(top int) (hits, predicted int, missed []string) {
	var labels []string
	for _, c := range m.extraction.Concepts[:min(len(m.extraction.Concepts), top)] {
		labels = append(labels, c.Label)
	}
	for _, k := range m.document.keyphrases {
		if exactly(labels, k) {
			hits++
		} else {
			missed = append(missed, k[0])
		}
	}
	return hits, len(stemSet(labels)), missed
}

// conceptsNamed counts what is annotated, as a keyphrase, an entity or another concept,
// and that a concept names by its label or a search term.
func (m *measurement) conceptsNamed() {
	named := map[string]bool{}
	for _, c := range m.extraction.Concepts {
		for _, name := range namesOf(c) {
			named[stems(name)] = true
		}
	}
	isNamed := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return named[stems(name)] })
	}
	for _, entity := range m.document.entities {
		m.entities++
		if isNamed(entity) {
			m.entityHits++
		} else {
			m.note("entity missed: %s", strings.Join(entity, ", "))
		}
	}
	text := stems(m.document.passage.Text)
	for _, thing := range m.document.things() {
		m.named++
		there, found := present(text, thing), isNamed(thing)
		if there {
			m.present++
		}
		if found {
			m.namedFound++
		} else {
			m.note("concept missed: %s", thing[0])
		}
		if there && found {
			m.presentFound++
		}
	}
}

// things returns all that is annotated as a concept, each once.
func (d document) things() [][]string {
	var out [][]string
	for _, list := range [][][]string{d.keyphrases, d.entities, d.concepts} {
		for _, names := range list {
			same := func(other []string) bool { return exactly(names, other) }
			if i := slices.IndexFunc(out, same); i >= 0 {
				out[i] = slices.Concat(out[i], names)
				continue
			}
			out = append(out, names)
		}
	}
	return out
}
