package english

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// Limits of what one concept carries.
const (
	maxInstances   = 5
	maxQuoteBytes  = 400
	maxSearchTerms = 8
)

// build turns the chosen candidates and the statements between them into an
// extraction.
func (r *reading) build(chosen []*candidate) knowledge.Extraction {
	var e knowledge.Extraction
	keys := map[*candidate]string{}
	places := map[*candidate]int{}
	taken := map[string]bool{}
	for i, c := range chosen {
		label := c.label()
		key := uniqueSlug(label, taken)
		keys[c], places[c] = key, i
		e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{
			Key: key, Label: label, Description: c.describe, SearchTerms: c.searchTerms(label),
			Weight: math.Round(c.score*1000) / 1000,
		})
		e.Instances = append(e.Instances, r.instances(c, key)...)
	}
	typed := map[[2]int]bool{}
	e.Relationships = r.typed(keys, places, typed)
	for _, p := range r.related(chosen, typed) {
		rel := p.relationship(keys[chosen[p.a]], keys[chosen[p.b]])
		from, to := chosen[p.a], chosen[p.b]
		if rel.From != keys[from] {
			from, to = to, from
		}
		r.relateIn(&rel, p.first, from, to)
		e.Relationships = append(e.Relationships, rel)
	}
	return e
}

// typed returns the relationships that sentences state between chosen
// candidates, each once with its highest confidence, and adds their pairs to pairs.
func (r *reading) typed(keys map[*candidate]string, places map[*candidate]int, pairs map[[2]int]bool) []knowledge.ExtractedRelationship {
	var out []knowledge.ExtractedRelationship
	seen := map[string]int{}
	for _, st := range r.statements {
		from, to := r.found.find(st.from), r.found.find(st.to)
		if keys[from] == "" || keys[to] == "" || from == to {
			continue
		}
		pairs[[2]int{places[from], places[to]}] = true
		id := keys[from] + " " + st.typ + " " + keys[to]
		if i, ok := seen[id]; ok {
			if st.confidence > out[i].Confidence { // the surest sentence is the one to quote
				out[i].Confidence = st.confidence
				r.stateIn(&out[i], st.sentence, from, to)
			}
			continue
		}
		seen[id] = len(out)
		rel := knowledge.ExtractedRelationship{
			From: keys[from], To: keys[to], Type: st.typ, Direction: knowledge.Outward, Confidence: st.confidence,
		}
		r.stateIn(&rel, st.sentence, from, to)
		out = append(out, rel)
	}
	return out
}

// instances returns the quotes that show c: the one that says most first, the
// others in the order of the text.
func (r *reading) instances(c *candidate, key string) []knowledge.ExtractedInstance {
	ranked := slices.Clone(c.mentions)
	slices.SortStableFunc(ranked, func(a, b mention) int {
		return cmp.Compare(r.quality(c, b), r.quality(c, a))
	})
	var out []knowledge.ExtractedInstance
	seen := map[string]bool{}
	for _, m := range ranked {
		if len(out) == maxInstances || len(out) > 0 && r.quality(c, m) == 0 {
			break
		}
		quote, span := r.quote(m.sentence, m.first, m.last)
		if quote == "" { // broken bytes around it: the name alone is whole
			span = r.nameSpan(m)
			quote = r.mask.raw[span.Start:span.End]
		}
		if seen[quote] {
			continue
		}
		seen[quote] = true
		out = append(out, knowledge.ExtractedInstance{Concept: key, Quote: quote, Span: span})
	}
	if len(out) > 1 {
		slices.SortStableFunc(out[1:], func(a, b knowledge.ExtractedInstance) int { return a.Span.Start - b.Span.Start })
	}
	return out
}

// quality ranks a mention as a quote: 0 a heading, 1 a fragment, 2 a row, 3 a
// sentence, 4 one that makes a statement about c, 5 the one that defines it.
func (r *reading) quality(c *candidate, m mention) int {
	s := &r.sentences[m.sentence]
	switch {
	case s.kind == blockHeading:
		return 0
	case s.words() < 4:
		return 1
	case c.defined && c.definition == m.sentence:
		return 5
	case slices.Contains(c.statements, m.sentence):
		return 4
	case s.kind == blockRow:
		return 2
	}
	return 3
}

// quote returns the words of a sentence and where they stand. Of a very long
// one it takes the part around tokens [first, last), from the start of a clause
// when that is near.
func (r *reading) quote(index, first, last int) (string, corpus.Span) {
	s := r.sentences[index]
	span := corpus.Span{Start: s.start, End: s.end}
	if span.End-span.Start > maxQuoteBytes {
		span = window(s, first, max(last, first+1))
	}
	quote := r.mask.raw[span.Start:span.End]
	if !utf8.ValidString(quote) || len(quote) > maxQuoteBytes {
		return "", corpus.Span{}
	}
	return quote, span
}

// nameSpan returns where the name of a mention stands, or its first word when
// markup with broken bytes stands between its words.
func (r *reading) nameSpan(m mention) corpus.Span {
	tokens := r.sentences[m.sentence].tokens
	span := corpus.Span{Start: tokens[m.first].start, End: tokens[m.last-1].end}
	if !utf8.ValidString(r.mask.raw[span.Start:span.End]) || span.End-span.Start > maxQuoteBytes {
		span.End = tokens[m.first].end
	}
	return span
}

// window returns up to maxQuoteBytes of s around tokens [first, last).
func window(s sentence, first, last int) corpus.Span {
	from := first
	for i := first; i >= 0 && s.tokens[last-1].end-s.tokens[i].start <= maxQuoteBytes*2/3; i-- {
		if i == 0 || s.tokens[i-1].kind == kindPunct && strings.ContainsAny(s.tokens[i-1].text, ",;:—–|(") {
			from = i
		}
	}
	span := corpus.Span{Start: s.tokens[from].start, End: s.tokens[last-1].end}
	for i := last; i < len(s.tokens) && s.tokens[i].end-span.Start <= maxQuoteBytes; i++ {
		span.End = s.tokens[i].end
	}
	return span
}

// searchTerms returns the other names of c.
func (c *candidate) searchTerms(label string) []string {
	seen := map[string]bool{strings.ToLower(label): true}
	terms := []string{}
	add := func(term string) {
		if low := strings.ToLower(term); low != "" && !seen[low] && len(terms) < maxSearchTerms {
			seen[low] = true
			terms = append(terms, term)
		}
	}
	for _, a := range c.aliases {
		add(a)
	}
	add(c.plural)
	for _, f := range c.forms {
		add(f.text)
	}
	return terms
}

// uniqueSlug returns a key for label that is not taken yet, and takes it.
func uniqueSlug(label string, taken map[string]bool) string {
	slug := slugOf(label)
	key := slug
	for n := 2; taken[key]; n++ {
		key = fmt.Sprintf("%s-%d", slug, n)
	}
	taken[key] = true
	return key
}

// slugOf keeps the letters and digits of a label in lower case and puts hyphens
// between them.
func slugOf(label string) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "concept"
	}
	return strings.Join(words, "-")
}
