package english

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// maxStatementBytes bounds the quote of a relationship: it holds both ends.
const maxStatementBytes = 800

// place is where a sentence speaks of a candidate: at tokens [first, last), or nowhere.
type place struct {
	kind        knowledge.MarkKind
	first, last int
}

// stateIn gives rel the words of a sentence that state it, and marks where its ends stand
// in them. Of a very long sentence it takes the part that holds both.
func (r *reading) stateIn(rel *knowledge.ExtractedRelationship, index int, from, to *candidate) {
	a, b := r.closest(index, from, to)
	first, last := math.MaxInt, 0
	for _, p := range []place{a, b} {
		if p.kind.InQuote() {
			first, last = min(first, p.first), max(last, p.last)
		}
	}
	if last == 0 {
		first, last = 0, 1
	}
	rel.Quote, rel.Span = r.stating(index, first, last)
	if rel.Quote == "" {
		return
	}
	rel.Marks = knowledge.Marks{From: r.mark(index, rel.Span, a), To: r.mark(index, rel.Span, b)}
	r.refersTo(rel, index, from, to)
}

// refersTo adds the sentence before to a quote that does not name both ends.
func (r *reading) refersTo(rel *knowledge.ExtractedRelationship, index int, from, to *candidate) {
	m := &rel.Marks
	for _, end := range []struct {
		mark knowledge.Mark
		of   *candidate
	}{{m.From, from}, {m.To, to}} {
		if m.Before == "" && (end.mark.Kind == knowledge.MarkReference || end.mark.Kind == knowledge.MarkBefore) {
			m.Before, m.BeforeSpan = r.namedBefore(index, end.of)
		}
	}
}

// relateIn gives rel the words that its ends have in common: the sentence that names both
// of them, or else the two nearest sentences that do, with what stands between. When these
// are far apart it quotes the later one, and the other is the sentence before.
func (r *reading) relateIn(rel *knowledge.ExtractedRelationship, index int, from, to *candidate) {
	if r.placesIn(index, from)[0].kind == knowledge.MarkName && r.placesIn(index, to)[0].kind == knowledge.MarkName {
		r.stateIn(rel, index, from, to)
		return
	}
	var a, b mention
	distance := math.MaxInt
	for _, x := range from.mentions {
		for _, y := range to.mentions {
			if d := max(x.sentence-y.sentence, y.sentence-x.sentence); d < distance {
				a, b, distance = x, y, d
			}
		}
	}
	later := max(a.sentence, b.sentence)
	span := corpus.Span{Start: r.sentences[min(a.sentence, b.sentence)].start, End: r.sentences[later].end}
	if quote := r.mask.raw[span.Start:span.End]; distance == 0 || len(quote) > maxQuoteBytes || !utf8.ValidString(quote) {
		r.stateIn(rel, later, from, to)
		return
	}
	rel.Quote, rel.Span = r.mask.raw[span.Start:span.End], span
	rel.Marks = knowledge.Marks{
		From: r.mark(a.sentence, span, place{knowledge.MarkName, a.first, a.last}), To: r.mark(b.sentence, span, place{knowledge.MarkName, b.first, b.last}),
	}
}

// closest returns where a sentence speaks of two candidates: the two places that stand
// nearest to each other.
func (r *reading) closest(index int, from, to *candidate) (a, b place) {
	best := math.MaxInt
	for _, x := range r.placesIn(index, from) {
		for _, y := range r.placesIn(index, to) {
			gap := max(x.first-y.last, y.first-x.last)
			if gap < 0 {
				gap = 1000 // one within the other: both are marked elsewhere if that can be
			}
			if gap < best {
				a, b, best = x, y, gap
			}
		}
	}
	return a, b
}

// placesIn returns where a sentence speaks of c: by its names, or else by words that stand
// for it. When it does neither it returns that the text before does.
func (r *reading) placesIn(index int, c *candidate) []place {
	var out []place
	for _, m := range c.mentions {
		if m.sentence == index {
			out = append(out, place{knowledge.MarkName, m.first, m.last})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, p := range r.phrases[index] {
		if p.stands && r.found.find(p.key) == c {
			out = append(out, place{knowledge.MarkReference, p.first, p.last})
		}
	}
	if len(out) == 0 {
		out = append(out, place{kind: knowledge.MarkBefore})
	}
	return out
}

// mark returns a place in a sentence as a mark in a quote of it.
func (r *reading) mark(index int, quote corpus.Span, p place) knowledge.Mark {
	if !p.kind.InQuote() {
		return knowledge.Mark{Kind: p.kind}
	}
	tokens := r.sentences[index].tokens
	span := corpus.Span{Start: tokens[p.first].start - quote.Start, End: tokens[p.last-1].end - quote.Start}
	if span.Start < 0 || span.End > quote.End-quote.Start {
		return knowledge.Mark{} // it has no room in the quote
	}
	return knowledge.Mark{Kind: p.kind, Span: span}
}

// namedBefore returns the last sentence before one that names c.
func (r *reading) namedBefore(index int, c *candidate) (string, corpus.Span) {
	for _, m := range slices.Backward(c.mentions) {
		if m.sentence < index {
			return r.stating(m.sentence, m.first, m.last)
		}
	}
	return "", corpus.Span{}
}

// stating is quote for a part that may be longer, since it holds both ends of a
// relationship.
func (r *reading) stating(index, first, last int) (string, corpus.Span) {
	if quote, span := r.quote(index, first, last); quote != "" {
		return quote, span
	}
	s := r.sentences[index]
	span := corpus.Span{Start: s.tokens[first].start, End: s.tokens[last-1].end}
	quote := r.mask.raw[span.Start:span.End]
	if len(quote) > maxStatementBytes || !utf8.ValidString(quote) {
		return "", corpus.Span{}
	}
	return quote, span
}
