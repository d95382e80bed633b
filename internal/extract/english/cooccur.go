package english

import (
	"cmp"
	"math"
	"slices"

	"github.com/kappagraph/kappa"
)

// Limits of relationships that rest on standing in one sentence alone.
const (
	minTogether      = 2   // sentences that make an association
	minAssociation   = 0.1 // normalised pointwise mutual information
	maxAssociations  = 2   // of one concept
	maxTies          = 6   // concepts that a single shared sentence ties to one
	maxCrowdConcepts = 12  // a sentence with more concepts, a list, says nothing
)

// pair is two chosen candidates that share sentences.
type pair struct {
	a, b     int // places in the chosen list, a < b
	together int
	first    int // the first sentence they share
	npmi     float64
}

// related returns the pairs of chosen candidates to relate by co-occurrence:
// associations, which share sentences more often than chance, and ties, which
// share a single sentence and join a concept that has no other relationship to
// the weightiest one beside it. The pairs in typed are left out.
func (r *reading) related(chosen []*candidate, typed map[[2]int]bool) []pair {
	alone, together, n := r.countTogether(chosen)
	var associations, ties []pair
	for key, p := range together {
		if typed[key] || typed[[2]int{key[1], key[0]}] || chosen[p.a].contains(chosen[p.b]) || chosen[p.b].contains(chosen[p.a]) {
			continue
		}
		p.npmi = npmi(p.together, alone[p.a], alone[p.b], n)
		switch {
		case p.together < minTogether:
			ties = append(ties, *p)
		case p.npmi >= minAssociation:
			associations = append(associations, *p)
		}
	}
	slices.SortFunc(associations, func(x, y pair) int {
		return cmp.Or(y.together-x.together, cmp.Compare(y.npmi, x.npmi), x.a-y.a, x.b-y.b)
	})
	slices.SortFunc(ties, func(x, y pair) int { return cmp.Or(x.a-y.a, x.b-y.b) })
	linked := map[int]bool{}
	for p := range typed {
		linked[p[0]], linked[p[1]] = true, true
	}
	out := strongest(associations, len(chosen)/2, linked)
	return append(out, tieIn(ties, linked)...)
}

// strongest keeps up to limit associations, maxAssociations for a concept, and
// marks what they link.
func strongest(pairs []pair, limit int, linked map[int]bool) []pair {
	used := map[int]int{}
	var out []pair
	for _, p := range pairs {
		if len(out) < limit && used[p.a] < maxAssociations && used[p.b] < maxAssociations {
			used[p.a]++
			used[p.b]++
			linked[p.a], linked[p.b] = true, true
			out = append(out, p)
		}
	}
	return out
}

// tieIn keeps the pairs that link a concept nothing else links.
func tieIn(pairs []pair, linked map[int]bool) []pair {
	used := map[int]int{}
	var out []pair
	for _, p := range pairs {
		if linked[p.a] && linked[p.b] || used[p.a] == maxTies || used[p.b] == maxTies {
			continue
		}
		used[p.a]++
		used[p.b]++
		linked[p.a], linked[p.b] = true, true
		out = append(out, p)
	}
	return out
}

// countTogether counts in how many sentences each chosen candidate, and each
// pair of them, stands, and how many sentences have any.
func (r *reading) countTogether(chosen []*candidate) (map[int]int, map[[2]int]*pair, int) {
	in := map[int][]int{}
	for i, c := range chosen {
		for _, m := range c.mentions {
			if s := in[m.sentence]; r.sentences[m.sentence].kind != blockHeading && (len(s) == 0 || s[len(s)-1] != i) {
				in[m.sentence] = append(s, i)
			}
		}
	}
	alone, together := map[int]int{}, map[[2]int]*pair{}
	for s := range r.sentences {
		for i, a := range in[s] {
			alone[a]++
			for _, b := range in[s][i+1:] {
				if len(in[s]) > maxCrowdConcepts {
					break
				}
				p := together[[2]int{a, b}]
				if p == nil {
					p = &pair{a: a, b: b, first: s}
					together[[2]int{a, b}] = p
				}
				p.together++
			}
		}
	}
	return alone, together, len(in)
}

// npmi is the normalised pointwise mutual information of two events that
// happened a and b times, and ab times together, in n trials: -1 never
// together, 0 independent, 1 always together.
func npmi(ab, a, b, n int) float64 {
	if ab >= n {
		return 0
	}
	pab := float64(ab) / float64(n)
	return math.Log(pab*float64(n)*float64(n)/(float64(a)*float64(b))) / -math.Log(pab)
}

// confidence maps the association of a pair to 0.3 to 0.5; meeting once is 0.3.
func (p pair) confidence() float64 {
	if p.together == 1 {
		return 0.3
	}
	return math.Round((0.3+0.2*max(0, min(1, p.npmi)))*100) / 100
}

// relationship turns a pair into a relationship between two keys.
func (p pair) relationship(a, b string) kappa.ExtractedRelationship {
	return kappa.ExtractedRelationship{
		From: a, To: b, Type: "RELATED_TO", Direction: kappa.Bidirectional, Confidence: p.confidence(),
	}
}
