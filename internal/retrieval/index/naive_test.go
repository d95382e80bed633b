package index

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// naive does the same as an Index, from maps, each time from the start.
type naive map[int32]Entry

func (n naive) apply(add []Entry, remove []int32) {
	for _, id := range remove {
		delete(n, id)
	}
	for _, e := range add {
		n[e.ID] = e
	}
}

// times returns how often an entry is found by a term.
func times(e *Entry, f Field, term string) float64 {
	total, around := 0.0, false
	each := func(w words.Word, found func()) {
		switch {
		case f == Texts && !e.English && w.Text == term,
			f == Prefixes && !e.English && words.Prefix(w.Text) == term,
			f == Stems && e.English && !words.Function(w.Text) && w.Stem == term:
			found()
		}
	}
	for _, w := range e.Text.Words {
		each(w, func() { total++ })
	}
	for _, w := range e.Around {
		each(w, func() { around = true })
	}
	if around {
		total += aroundCounts
	}
	return total
}

func (n naive) words() (total int64) {
	for _, e := range n {
		total += int64(len(e.Text.Words))
	}
	return total
}

func (n naive) has(e *Entry, f Field, term string) bool {
	is := func(w words.Word) bool { return w.Text == term }
	switch f {
	case Texts:
		return slices.ContainsFunc(e.Text.Words, is) || slices.ContainsFunc(e.Around, is)
	case Grams:
		return slices.ContainsFunc(e.Text.Words, func(w words.Word) bool {
			return slices.Contains(slices.Collect(words.Grams(w.Text)), term)
		})
	}
	return times(e, f, term) > 0
}

func (n naive) frequency(f Field, term string) (total int) {
	for _, e := range n {
		if n.has(&e, f, term) {
			total++
		}
	}
	return total
}

func (n naive) inDocument(document int32, f Field, term string) (total int) {
	for _, e := range n {
		if e.Document == document {
			total += int(times(&e, f, term))
		}
	}
	return total
}

func (n naive) documentWords(document int32) (total int) {
	for _, e := range n {
		if e.Document == document {
			total += len(e.Text.Words)
		}
	}
	return total
}

func (n naive) documents() int {
	all := map[int32]bool{}
	for _, e := range n {
		all[e.Document] = true
	}
	return len(all)
}

// findsSome reports whether a term of a query finds something.
func (n naive) findsSome(q Query) bool {
	for _, e := range n {
		m := Meta{Ontology: e.Ontology}
		if (q.Allow == nil || q.Allow(&m)) && slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field < postedFields && times(&e, t.Field, t.Text) > 0 }) {
			return true
		}
	}
	return false
}

// score returns the BM25 of an entry.
func (n naive) score(e *Entry, terms []Term) float64 {
	average := max(float64(n.words())/float64(len(n)), 1e-3)
	score := 0.0
	for _, t := range n.kept(terms) {
		if tf := times(e, t.Field, t.Text); tf > 0 {
			score += float64(t.Weight) * n.rarity(t) * tf / (tf + k1*(1-b+b*float64(len(e.Text.Words))/average))
		}
	}
	return score
}

func (n naive) rarity(t Term) float64 {
	df := float64(n.frequency(t.Field, t.Text))
	return math.Log(1 + (float64(len(n))-df+.5)/(df+.5))
}

// kept leaves out the terms that find nothing, and those that are too common.
func (n naive) kept(terms []Term) []Term {
	type counted struct {
		Term

		frequency int
	}
	var all []counted
	for _, t := range terms {
		df := n.frequency(t.Field, t.Text)
		i := slices.IndexFunc(all, func(o counted) bool { return o.Field == t.Field && o.Text == t.Text })
		switch {
		case t.Field == Grams || df == 0 || !n.finds(t):
		case i >= 0:
			all[i].Weight += t.Weight
		default:
			all = append(all, counted{t, df})
		}
	}
	slices.SortStableFunc(all, func(a, b counted) int { return cmp.Compare(a.frequency, b.frequency) })
	for len(n) > smallLibrary && len(all) > leastTerms && all[len(all)-1].frequency*tooCommon > len(n) {
		all = all[:len(all)-1]
	}
	var left []Term
	for _, t := range all {
		left = append(left, t.Term)
	}
	return left
}

// finds reports whether some entry is found by a term.
func (n naive) finds(t Term) bool {
	for _, e := range n {
		if times(&e, t.Field, t.Text) > 0 {
			return true
		}
	}
	return false
}

// candidates returns the scores of the best.
func (n naive) candidates(q Query) (best map[int32]float64, least float64) {
	type one struct {
		id    int32
		score float64
	}
	var all []one
	for id, e := range n {
		m := Meta{e.ID, e.Source, e.Document, e.Ontology, e.Class, e.Kind, e.Language, e.English}
		if score := n.score(&e, q.Terms); score > 0 && (q.Allow == nil || q.Allow(&m)) {
			all = append(all, one{id, score})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return -cmp.Compare(a.score, b.score) })
	best = map[int32]float64{}
	for _, o := range all[:min(len(all), q.Limit)] {
		best[o.id], least = o.score, o.score
	}
	return best, least
}

func (n naive) defining(term string) (ids []int32) {
	for id, e := range n {
		if slices.Contains(e.Definitions, term) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// texts returns all words, with how many entries have them.
func (n naive) texts() map[string]int {
	all := map[string]int{}
	for _, e := range n {
		in := map[string]bool{}
		for _, w := range slices.Concat(e.Text.Words, e.Around) {
			in[w.Text] = true
		}
		for text := range maps.Keys(in) {
			all[text]++
		}
	}
	return all
}
