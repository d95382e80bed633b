package keyterms

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// The confidence of two terms that stand in one sentence, and in several: what rests on one
// alone is weak, and is shown when it is asked for.
const (
	onceConfidence  = vocabulary.LeastRelated - 0.05
	twiceConfidence = vocabulary.LeastRelated + 0.05
	mostConfidence  = 0.5
)

// extraction makes concepts of terms.
func (t *text) extraction(chosen []*term) knowledge.Extraction {
	var e knowledge.Extraction
	for _, k := range chosen {
		forms := k.sortedForms()
		e.Concepts = append(e.Concepts, knowledge.ExtractedConcept{
			Key: k.key, Label: forms[0], SearchTerms: forms[1:min(len(forms), 1+mostOtherForm)], Weight: math.Round(k.weight*1000) / 1000,
		})
		e.Instances = append(e.Instances, t.quotes(k)...)
	}
	e.Relationships = t.related(chosen)
	return e
}

// quotes are the sentences that show a term.
func (t *text) quotes(k *term) (list []knowledge.ExtractedInstance) {
	last := -1
	for _, p := range k.places {
		if p.sentence == last || len(list) == mostQuotes {
			continue
		}
		last = p.sentence
		s := t.sentence(p)
		list = append(list, knowledge.ExtractedInstance{Concept: k.key, Quote: t.text[s.Start:s.End], Span: s})
	}
	return list
}

// sentence returns the sentence around a place, or the part of a long one.
func (t *text) sentence(p place) corpus.Span {
	s := t.sentences[p.sentence]
	s.End = max(s.End, p.End)
	s.Start = min(s.Start, p.Start)
	if s.End-s.Start > mostQuote {
		s.Start = t.cut(max(s.Start, p.Start-mostQuote/3), p.Start)
		s.End = t.cutBack(min(s.End, p.End+mostQuote/3), p.End)
	}
	for s.Start < p.Start && strings.ContainsRune(" \t\r\n#>*|-", rune(t.text[s.Start])) {
		s.Start++
	}
	for s.End > p.End && strings.ContainsRune(" \t\r\n", rune(t.text[s.End-1])) {
		s.End--
	}
	return s
}

// cut returns the first place after one where a character begins, after a space if there is
// one before a limit.
func (t *text) cut(at, limit int) int {
	if i := strings.IndexByte(t.text[at:limit], ' '); i >= 0 && at > 0 {
		return at + i + 1
	}
	for at < limit && !utf8.RuneStart(t.text[at]) {
		at++
	}
	return at
}

// cutBack is cut backwards.
func (t *text) cutBack(at, limit int) int {
	if i := strings.LastIndexByte(t.text[limit:at], ' '); i >= 0 && at < len(t.text) {
		return limit + i
	}
	for at > limit && at < len(t.text) && !utf8.RuneStart(t.text[at]) {
		at--
	}
	return at
}

// pair is two terms that stand side by side.
type pair struct {
	a, b     int // places in the list of the terms, a < b
	together int // sentences
	first    [2]place
}

// related relates terms that stand side by side in sentences, those that do so often first.
func (t *text) related(chosen []*term) (list []knowledge.ExtractedRelationship) {
	inSentence := map[int][]placed{}
	for i, k := range chosen {
		for _, p := range k.places {
			inSentence[p.sentence] = append(inSentence[p.sentence], placed{i, p})
		}
	}
	pairs := map[[2]int]*pair{}
	var order []*pair
	for sentence := range t.sentences {
		beside(inSentence[sentence], func(x, y placed) {
			key := [2]int{min(x.term, y.term), max(x.term, y.term)}
			p := pairs[key]
			if p == nil {
				p = &pair{a: x.term, b: y.term, first: [2]place{x.place, y.place}}
				pairs[key], order = p, append(order, p)
			}
			p.together++
		})
	}
	slices.SortStableFunc(order, func(x, y *pair) int { return cmp.Compare(y.together, x.together) })
	for _, p := range order[:min(len(order), mostRelations)] {
		list = append(list, t.relationship(chosen, p))
	}
	return list
}

// placed is a term at a place.
type placed struct {
	term int
	place
}

// beside calls relate with the terms of a sentence that stand side by side, each pair once.
func beside(list []placed, relate func(x, y placed)) {
	slices.SortFunc(list, func(a, b placed) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	var apart []placed // without what stands within another
	terms := map[int]bool{}
	for _, p := range list {
		if len(apart) == 0 || p.Start >= apart[len(apart)-1].End {
			apart = append(apart, p)
			terms[p.term] = true
		}
	}
	if len(terms) > mostPerSentence {
		return
	}
	seen := map[[2]int]bool{}
	for i := 1; i < len(apart); i++ {
		x, y := apart[i-1], apart[i]
		key := [2]int{min(x.term, y.term), max(x.term, y.term)}
		if x.term != y.term && !seen[key] {
			seen[key] = true
			relate(x, y)
		}
	}
}

func (t *text) relationship(chosen []*term, p *pair) knowledge.ExtractedRelationship {
	s := t.sentence(place{corpus.Span{Start: p.first[0].Start, End: p.first[1].End}, p.first[0].sentence})
	mark := func(at place) knowledge.Mark {
		return knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: at.Start - s.Start, End: at.End - s.Start}}
	}
	confidence := onceConfidence
	if p.together > 1 {
		confidence = min(twiceConfidence+0.02*float64(p.together-2), mostConfidence)
	}
	return knowledge.ExtractedRelationship{
		From: chosen[p.a].key, To: chosen[p.b].key, Type: vocabulary.TypeRelatedTo, Direction: knowledge.Bidirectional, Confidence: confidence,
		Quote: t.text[s.Start:s.End], Span: s, Marks: knowledge.Marks{From: mark(p.first[0]), To: mark(p.first[1])},
	}
}
