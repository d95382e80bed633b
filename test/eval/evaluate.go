package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/extract"
)

// topKeyphrases is how many concepts count as the keyphrases of a text.
const topKeyphrases = 10

// report holds the figures of one set.
type report struct {
	Set            string  `json:"set"`
	Documents      int     `json:"documents"`
	Words          int     `json:"words"`
	Concepts       int     `json:"concepts"`
	WordsPerSecond float64 `json:"words_per_second"`
	InexactQuotes  int     `json:"inexact_quotes"` // quotes that are not the text at their span

	KeyphrasePrecision float64 `json:"keyphrase_precision_at_10"` // micro
	KeyphraseRecall    float64 `json:"keyphrase_recall_at_10"`    // micro
	KeyphraseF         float64 `json:"keyphrase_f_at_10"`         // micro
	KeyphraseMacroF    float64 `json:"keyphrase_macro_f_at_10"`   // mean of the documents

	Entities     int     `json:"entities"`
	EntityRecall float64 `json:"entity_recall"`

	Typed                 int     `json:"typed_relationships"`
	RelationshipPrecision float64 `json:"relationship_precision"`
	RelationshipRecall    float64 `json:"relationship_recall"` // informational
	Related               int     `json:"related_relationships"`

	Notes []string `json:"notes,omitempty"` // what was wrong or missed
}

// counts are what the figures of a report are made of.
type counts struct {
	hits, predicted, gold  int // keyphrases
	macro                  float64
	keyed                  int // documents with keyphrases
	entityHits             int
	typedRight             int
	goldTriples, goldFound int
}

// evaluate runs the extractor over a set.
func evaluate(ctx context.Context, l extract.Extractor, s set) (report, error) {
	r := report{Set: s.name, Documents: len(s.documents)}
	var c counts
	var took time.Duration
	for _, d := range s.documents {
		start := time.Now()
		e, err := l.Extract(ctx, d.passage)
		if err != nil {
			return r, fmt.Errorf("document %q: %w", d.name, err)
		}
		took += time.Since(start)
		r.Words += len(strings.Fields(d.passage.Text))
		r.Concepts += len(e.Concepts)
		r.quotes(d, e)
		r.keyphrases(d, e, &c)
		r.entities(d, e, &c)
		r.relationships(s, d, e, &c)
	}
	r.KeyphrasePrecision = share(c.hits, c.predicted)
	r.KeyphraseRecall = share(c.hits, c.gold)
	r.KeyphraseF = harmonic(r.KeyphrasePrecision, r.KeyphraseRecall)
	r.KeyphraseMacroF = c.macro / float64(max(c.keyed, 1))
	r.EntityRecall = share(c.entityHits, r.Entities)
	r.RelationshipPrecision = share(c.typedRight, r.Typed)
	r.RelationshipRecall = share(c.goldFound, c.goldTriples)
	r.WordsPerSecond = float64(r.Words) / took.Seconds()
	return r, nil
}

// share returns part/whole, and 0 when there is no whole.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// harmonic returns the harmonic mean of two shares.
func harmonic(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// note adds a line of what was wrong or missed.
func (r *report) note(d document, format string, args ...any) {
	r.Notes = append(r.Notes, d.name+": "+fmt.Sprintf(format, args...))
}

// quotes counts the quotes that are not exactly the text at their span.
func (r *report) quotes(d document, e kappa.Extraction) {
	for _, i := range e.Instances {
		if i.Span.Start < 0 || i.Span.End > len(d.passage.Text) || i.Span.Start >= i.Span.End ||
			d.passage.Text[i.Span.Start:i.Span.End] != i.Quote {
			r.InexactQuotes++
			r.note(d, "inexact quote %q at %d:%d", i.Quote, i.Span.Start, i.Span.End)
		}
	}
}

// keyphrases compares the heaviest concepts with the annotated keyphrases, by
// the stems of the whole phrase.
func (r *report) keyphrases(d document, e kappa.Extraction, c *counts) {
	if d.keyphrases == nil {
		return
	}
	var labels []string
	for _, concept := range e.Concepts[:min(len(e.Concepts), topKeyphrases)] {
		labels = append(labels, concept.Label)
	}
	predicted, gold := stemSet(labels), stemSet(d.keyphrases)
	hits := 0
	for _, p := range predicted {
		if slices.Contains(gold, p) {
			hits++
		}
	}
	c.hits += hits
	c.predicted += len(predicted)
	c.gold += len(gold)
	c.keyed++
	c.macro += harmonic(share(hits, len(predicted)), share(hits, len(gold)))
	var extra []string
	for _, label := range labels {
		if !slices.Contains(gold, stems(label)) {
			extra = append(extra, label)
		}
	}
	var missed []string
	for _, g := range d.keyphrases {
		if !slices.Contains(predicted, stems(g)) {
			missed = append(missed, g)
		}
	}
	r.note(d, "keyphrases %d of %d; not annotated: %s; missed: %s", hits, len(gold), strings.Join(extra, ", "), strings.Join(missed, ", "))
}

// entities counts the annotated entities that a concept names, by its label or
// a search term.
func (r *report) entities(d document, e kappa.Extraction, c *counts) {
	named := map[string]bool{}
	for _, concept := range e.Concepts {
		for _, name := range namesOf(concept) {
			named[stems(name)] = true
		}
	}
	for _, entity := range d.entities {
		r.Entities++
		if slices.ContainsFunc(entity, func(name string) bool { return named[stems(name)] }) {
			c.entityHits++
		} else {
			r.note(d, "entity missed: %s", strings.Join(entity, ", "))
		}
	}
}

// namesOf returns the label and the search terms of a concept.
func namesOf(c kappa.ExtractedConcept) []string {
	return append([]string{c.Label}, c.SearchTerms...)
}

// relationships compares typed relationships with the annotated ones. Those
// that rest on co-occurrence, RELATED_TO, are only counted.
func (r *report) relationships(s set, d document, e kappa.Extraction, c *counts) {
	if d.relationships == nil {
		return
	}
	names := map[string][]string{}
	for _, concept := range e.Concepts {
		names[concept.Key] = namesOf(concept)
	}
	found := make([]bool, len(d.relationships))
	for _, rel := range e.Relationships {
		if rel.Type == "RELATED_TO" {
			r.Related++
			continue
		}
		r.Typed++
		right := false
		for i, gold := range d.relationships {
			if gold.states(names[rel.From], names[rel.To], rel.Type, s.pairsOnly) {
				found[i], right = true, true
			}
		}
		if right {
			c.typedRight++
		} else {
			r.note(d, "wrong: %s %s %s — %q", names[rel.From][0], rel.Type, names[rel.To][0], rel.Quote)
		}
	}
	for i, gold := range d.relationships {
		c.goldTriples++
		if found[i] {
			c.goldFound++
		} else if !s.pairsOnly {
			r.note(d, "relationship missed: %s %s %s", gold.from[0], gold.types[0], gold.to[0])
		}
	}
}
