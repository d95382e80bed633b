package ingest

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// stated gives a relationship the sentence that states it, when the reader named none or
// named one that the text does not have, and says where both ends stand in it. What the
// reader says of that is kept as far as the quote bears it out; the rest is found by the
// names of the ends.
func (c *cleaner) stated(r knowledge.ExtractedRelationship, found bool, given string) knowledge.ExtractedRelationship {
	if !found {
		r = c.findStatement(r)
	} else if r.Quote != given {
		r.Marks = knowledge.Marks{} // they count from another beginning
	}
	r.Marks.From = c.mark(r.Span, r.Marks.From, r.From)
	r.Marks.To = c.mark(r.Span, r.Marks.To, r.To)
	r.Marks.Before, r.Marks.BeforeSpan = c.before(r.Marks)
	return r
}

// before returns the sentence before, if the text has it.
func (c *cleaner) before(m knowledge.Marks) (string, corpus.Span) {
	span, found := c.text.at(m.BeforeSpan, m.Before)
	if !found {
		return "", corpus.Span{}
	}
	return c.text.text[span.Start:span.End], span
}

// mark returns m if the quote at a span bears it out, and otherwise where the quote names a
// concept.
func (c *cleaner) mark(span corpus.Span, m knowledge.Mark, concept string) knowledge.Mark {
	quote := c.text.text[span.Start:span.End]
	switch m.Kind {
	case knowledge.MarkName, knowledge.MarkReference:
		if 0 <= m.Start && m.Start < m.End && m.End <= len(quote) && utf8.ValidString(quote[m.Start:m.End]) {
			return m
		}
	case knowledge.MarkBefore:
		return knowledge.Mark{Kind: knowledge.MarkBefore}
	}
	if at, found := c.nameIn(span, concept); found {
		return knowledge.Mark{Kind: knowledge.MarkName, Span: at}
	}
	return knowledge.Mark{}
}

// nameIn returns where a part of the text first names a concept, counted from the part.
func (c *cleaner) nameIn(part corpus.Span, concept string) (corpus.Span, bool) {
	for _, p := range c.placesOf(concept) {
		if p.Start >= part.Start && p.End <= part.End {
			return corpus.Span{Start: p.Start - part.Start, End: p.End - part.Start}, true
		}
	}
	return corpus.Span{}, false
}

// placesOf returns where the text names a concept, letter by letter or in another form, in
// the order of the text. It is found once for each concept.
func (c *cleaner) placesOf(concept string) []corpus.Span {
	if known, ok := c.places[concept]; ok {
		return known
	}
	var places []corpus.Span
	for _, name := range c.names[concept] {
		places = append(append(places, c.text.all(name)...), c.keyed()[naming.IdentityKey(name)]...)
	}
	slices.SortFunc(places, func(a, b corpus.Span) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	c.places[concept] = slices.Compact(places)
	return c.places[concept]
}

// keyed returns where the text has what may be a name, by naming.IdentityKey. It is found
// once.
func (c *cleaner) keyed() map[string][]corpus.Span {
	if c.byKey != nil {
		return c.byKey
	}
	c.byKey = map[string][]corpus.Span{}
	words := wordSpans(c.text.text)
	for i, first := range words {
		most := longestName
		switch strings.ToLower(c.text.text[first.Start:first.End]) {
		case "a", "an", "the": // is no part of a name; where it is, the name stands there letter by letter
			most = 1
		}
		for n := 1; n <= most && i+n <= len(words); n++ {
			span := corpus.Span{Start: words[i].Start, End: words[i+n-1].End}
			key := naming.IdentityKey(c.text.text[span.Start:span.End])
			c.byKey[key] = append(c.byKey[key], span)
		}
	}
	return c.byKey
}

// wordSpans returns the words of a text, without the marks around them.
func wordSpans(text string) []corpus.Span {
	var out []corpus.Span
	inner := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }
	start, end := -1, 0
	for i, r := range text {
		if inner(r) || start >= 0 && (r == '+' || r == '#') {
			if start < 0 {
				start = i
			}
			end = i + utf8.RuneLen(r)
		} else if start >= 0 {
			out, start = append(out, corpus.Span{Start: start, End: end}), -1
		}
	}
	if start >= 0 {
		out = append(out, corpus.Span{Start: start, End: end})
	}
	return out
}

// findStatement finds a sentence for a relationship without one: the shortest that names
// both ends, of the quotes that show them or else of the text. Without any it is the quote
// of one end, and that of the other stands before it.
func (c *cleaner) findStatement(r knowledge.ExtractedRelationship) knowledge.ExtractedRelationship {
	r.Quote, r.Span, r.Marks = "", corpus.Span{}, knowledge.Marks{}
	shown := append(c.spansOf(r.From), c.spansOf(r.To)...)
	best, found := c.shortest(shown, r)
	if !found {
		best, found = c.shortest(c.sentences(), r)
	}
	if !found {
		return c.twoQuotes(r)
	}
	r.Quote, r.Span = c.text.text[best.Start:best.End], best
	return r
}

// spansOf returns where the quotes of a concept stand.
func (c *cleaner) spansOf(concept string) []corpus.Span {
	var out []corpus.Span
	for _, i := range c.shown {
		if i.Concept == concept {
			out = append(out, i.Span)
		}
	}
	return out
}

// shortest returns the shortest of some parts of the text that names both ends of r.
func (c *cleaner) shortest(parts []corpus.Span, r knowledge.ExtractedRelationship) (best corpus.Span, found bool) {
	for _, part := range parts {
		if part.End-part.Start > maxQuoteBytes || found && part.End-part.Start >= best.End-best.Start {
			continue
		}
		if _, from := c.nameIn(part, r.From); !from {
			continue
		}
		if _, to := c.nameIn(part, r.To); to {
			best, found = part, true
		}
	}
	return best, found
}

// twoQuotes quotes the end that is shown later, and says that the other one is named before.
func (c *cleaner) twoQuotes(r knowledge.ExtractedRelationship) knowledge.ExtractedRelationship {
	from, to := c.spansOf(r.From), c.spansOf(r.To)
	if len(from) == 0 || len(to) == 0 {
		return r
	}
	first, second := from[0], to[0]
	earlier := &r.Marks.From
	if first.Start > second.Start {
		first, second, earlier = second, first, &r.Marks.To
	}
	r.Quote, r.Span = c.text.text[second.Start:second.End], second
	if first.End <= second.Start {
		*earlier = knowledge.Mark{Kind: knowledge.MarkBefore}
		r.Marks.Before, r.Marks.BeforeSpan = c.text.text[first.Start:first.End], first
	}
	return r
}

// sentences returns the sentences of the text. They are found once.
func (c *cleaner) sentences() []corpus.Span {
	if c.parts != nil {
		return c.parts
	}
	words := newWordScanner(c.text.text, corpus.ContentPlain)
	start := -1
	for w, ok := words.next(); ok; w, ok = words.next() {
		if start < 0 {
			start = w.start
		}
		if w.after >= rankSentence || w.end == len(c.text.text) {
			c.parts, start = append(c.parts, corpus.Span{Start: start, End: w.end}), -1
		}
	}
	if start >= 0 {
		c.parts = append(c.parts, corpus.Span{Start: start, End: len(c.text.text)})
	}
	return c.parts
}
