package index

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	// tooCommon is the share of the passages, one in so many, above which a term finds none
	// when leastTerms others remain: it says little, and there are many to look at.
	tooCommon  = 4
	leastTerms = 2
	// smallLibrary has no term that is too common: looking at all passages costs nothing, and the
	// terms that remain may be of another language than what may be shown.
	smallLibrary = 2000

	// leastWeight is what counts: every passage that a term finds weighs more than nothing.
	leastWeight = 1e-30
)

// Candidates returns the passages whose terms weigh most, best first, by BM25 (k1 .7, b .7).
// Passages that weigh the same come by their IDs; which of them are left out beyond the limit
// is not said. Terms of Grams find none. The error is that of the context.
func (v *View) Candidates(ctx context.Context, q Query) ([]Candidate, error) {
	defer keepAlive(v)
	known := v.weighed(q.Terms)
	terms := v.telling(known)
	if len(terms) == 0 || q.Limit <= 0 {
		return nil, ctx.Err()
	}
	s := scratches.Get().(*search)
	defer s.end()
	s.begin(ctx, &q)
	for i, p := range v.parts {
		if err := s.searchPart(p, terms, i); err != nil {
			return nil, err
		}
	}
	all := make([]Candidate, 0, len(s.best.heap))
	for _, one := range s.best.heap {
		c := candidate(one.value.part, one.value.passage, one.score)
		c.known = known
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// weighedTerm is a term of a query with its place in each part.
type weighedTerm struct {
	field     Field
	text      string
	weight    float32 // of an impact of one step
	frequency int
	finds     bool  // some passage is found by it: English ones have texts, and are not found by them
	at        []int // by part: its number there plus one, or 0
}

// weighed looks the terms of a query up in all parts, and returns those that find something, the
// rarest first.
func (v *View) weighed(terms []Term) []weighedTerm {
	var all []weighedTerm
	type key struct {
		field Field
		text  string
	}
	numbers := make(map[key]int, len(terms))
	for _, t := range terms {
		if t.Field >= postedFields || !(t.Weight > 0) {
			continue
		}
		i, ok := numbers[key{t.Field, t.Text}]
		if !ok {
			i = len(all)
			numbers[key{t.Field, t.Text}] = i
			all = append(all, v.find(t.Field, t.Text))
		}
		all[i].weight += t.Weight * v.rarity(all[i].frequency) / impactSteps
	}
	all = slices.DeleteFunc(all, func(t weighedTerm) bool { return t.frequency == 0 || !t.finds || t.weight < leastWeight })
	slices.SortStableFunc(all, func(a, b weighedTerm) int { return cmp.Compare(a.frequency, b.frequency) })
	return all
}

// find looks a term up in all parts.
func (v *View) find(f Field, text string) weighedTerm {
	t, hashed := weighedTerm{field: f, text: text, at: make([]int, len(v.parts))}, hash(text)
	for i, p := range v.parts {
		if at, ok := p.fields[f].find(text, hashed); ok {
			t.at[i] = at + 1
			t.frequency += p.frequency(f, at)
			t.finds = t.finds || len(p.fields[f].list(at).heads) > 0
		}
	}
	return t
}

// rarity is the weight of a term that so many passages have.
func (v *View) rarity(frequency int) float32 {
	n, f := float64(v.passages), float64(min(frequency, v.passages))
	return float32(math.Log(1 + (n-f+.5)/(f+.5)))
}

// telling leaves out the terms that are too common, while enough others remain.
func (v *View) telling(all []weighedTerm) []weighedTerm {
	for v.passages > smallLibrary && len(all) > leastTerms && all[len(all)-1].frequency*tooCommon > v.passages {
		all = all[:len(all)-1]
	}
	return all
}
