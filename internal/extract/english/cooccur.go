package english

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
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
	headed   bool    // one is the term of the heading above the other
	sure     float64 // how probable it is, by the weights; 0 when they were not asked
}

// related returns the pairs of chosen candidates to relate without a statement:
// associations, which share sentences more often than chance; ties to the term that the
// heading of their section names; and ties of a concept that has no other relationship
// to one beside it, in its sentence or else in its paragraph. The pairs in typed are
// left out. Lists and tables show what a section is about, not what belongs together.
func (r *reading) related(chosen []*candidate, typed map[[2]int]bool) []pair {
	may := func(a, b int) bool {
		return !typed[[2]int{a, b}] && !typed[[2]int{b, a}] && !chosen[a].contains(chosen[b]) && !chosen[b].contains(chosen[a])
	}
	out := r.nearPairs(chosen, may)
	for _, p := range out {
		typed[[2]int{p.a, p.b}] = true
	}
	alone, together, n := r.countTogether(chosen, func(m mention) int { return m.sentence }, maxCrowdConcepts)
	var associations, sentences []pair
	for _, p := range together {
		if !may(p.a, p.b) {
			continue
		}
		p.npmi = npmi(p.together, alone[p.a], alone[p.b], n)
		if p.together >= minTogether && p.npmi >= minAssociation {
			associations = append(associations, *p)
		} else if p.together < minTogether {
			sentences = append(sentences, *p)
		}
	}
	slices.SortFunc(associations, func(x, y pair) int {
		return cmp.Or(y.together-x.together, cmp.Compare(y.npmi, x.npmi), x.a-y.a, x.b-y.b)
	})
	linked := map[int]bool{}
	for p := range typed {
		linked[p[0]], linked[p[1]] = true, true
	}
	_, together, _ = r.countTogether(chosen, func(m mention) int { return r.sentences[m.sentence].block }, 2*maxCrowdConcepts)
	var paragraphs []pair
	for _, p := range together {
		if may(p.a, p.b) {
			p.together = 1
			paragraphs = append(paragraphs, *p)
		}
	}
	out = append(out, strongest(associations, len(chosen)/8, linked)...)
	out = append(out, tieBoth(sentences, linked)...)
	out = append(out, tieBoth(paragraphs, linked)...)
	out = append(out, r.headingTies(chosen, may, linked)...)
	out = append(out, tieIn(sentences, linked)...)
	return append(out, tieIn(paragraphs, linked)...)
}

// nearPairs returns the pairs of chosen names that are something to each other by the weights, in
// the sentence where that is most probable.
func (r *reading) nearPairs(chosen []*candidate, may func(a, b int) bool) []pair {
	place := map[*candidate]int{}
	for i, c := range chosen {
		place[c] = i
	}
	at := map[[2]int]int{}
	var out []pair
	for _, st := range r.near {
		a, known := place[r.found.find(st.from)]
		b, both := place[r.found.find(st.to)]
		if a > b {
			a, b = b, a
		}
		if !known || !both || a == b || !may(a, b) {
			continue
		}
		i, have := at[[2]int{a, b}]
		if !have {
			i = len(out)
			at[[2]int{a, b}] = i
			out = append(out, pair{a: a, b: b, together: 1})
		}
		if st.confidence > out[i].sure {
			out[i].sure, out[i].first = st.confidence, st.sentence
		}
	}
	return out
}

// headingTies ties each concept that nothing links to the term that the heading of its
// section names.
func (r *reading) headingTies(chosen []*candidate, may func(a, b int) bool, linked map[int]bool) []pair {
	place := map[*candidate]int{}
	for i, c := range chosen {
		place[c] = i
	}
	heads := make([]int, len(r.sentences)) // of each sentence, the place of the heading's term plus one
	head := 0
	for i, s := range r.sentences {
		if s.kind == blockHeading {
			best := len(chosen)
			for _, p := range r.phrases[i] {
				if at, ok := place[r.found.find(p.key)]; ok && p.key != "" {
					best = min(best, at)
				}
			}
			if best < len(chosen) {
				head = best + 1
			}
			continue
		}
		heads[i] = head
	}
	var out []pair
	for i, c := range chosen {
		if linked[i] {
			continue
		}
		for _, m := range c.mentions {
			if h := heads[m.sentence] - 1; h >= 0 && h != i && may(min(h, i), max(h, i)) {
				linked[i], linked[h] = true, true
				out = append(out, pair{a: min(h, i), b: max(h, i), together: 1, first: m.sentence, headed: true})
				break
			}
		}
	}
	return out
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

// tieBoth keeps pairs of which nothing links either, so that one tie serves two: those
// first whose ends have the fewest others to be tied to.
func tieBoth(ties []pair, linked map[int]bool) []pair {
	choices := map[int]int{}
	for _, p := range ties {
		if !linked[p.a] && !linked[p.b] {
			choices[p.a]++
			choices[p.b]++
		}
	}
	fewest := func(p pair) int { return min(choices[p.a], choices[p.b]) }
	slices.SortFunc(ties, func(x, y pair) int {
		return cmp.Or(fewest(x)-fewest(y), choices[x.a]+choices[x.b]-choices[y.a]-choices[y.b], x.a-y.a, x.b-y.b)
	})
	var out []pair
	for _, p := range ties {
		if !linked[p.a] && !linked[p.b] {
			linked[p.a], linked[p.b] = true, true
			out = append(out, p)
		}
	}
	return out
}

// tieIn keeps the pairs that link a concept nothing else links.
func tieIn(pairs []pair, linked map[int]bool) []pair {
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Or(x.a-y.a, x.b-y.b) })
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

// countTogether counts in how many units, sentences or blocks, each chosen candidate,
// and each pair of them, stands, and how many units have any. A unit with more than
// crowd of them says nothing.
func (r *reading) countTogether(chosen []*candidate, unit func(mention) int, crowd int) (map[int]int, map[[2]int]*pair, int) {
	in := map[int][]int{}
	first := map[int]int{} // the first sentence of each unit that has any
	for i, c := range chosen {
		for _, m := range c.mentions {
			if k := r.sentences[m.sentence].kind; k != blockParagraph {
				continue
			}
			u := unit(m)
			if s := in[u]; len(s) == 0 || s[len(s)-1] != i {
				in[u] = append(s, i)
			}
			if at, ok := first[u]; !ok || m.sentence < at {
				first[u] = m.sentence
			}
		}
	}
	units := slices.Sorted(maps.Keys(in))
	alone, together := map[int]int{}, map[[2]int]*pair{}
	for _, u := range units {
		for i, a := range in[u] {
			alone[a]++
			for _, b := range in[u][i+1:] {
				if len(in[u]) > crowd {
					break
				}
				p := together[[2]int{a, b}]
				if p == nil {
					p = &pair{a: a, b: b, first: first[u]}
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

// confidence is what the weights say of a pair, or else maps its association to 0.3 to 0.5;
// meeting once is 0.3, and standing under a heading 0.4.
func (p pair) confidence() float64 {
	if p.sure > 0 {
		return p.sure
	}
	if p.headed {
		return 0.4
	}
	if p.together == 1 {
		return 0.3
	}
	return math.Round((0.3+0.2*max(0, min(1, p.npmi)))*100) / 100
}

// relationship turns a pair into a relationship between two keys, in their order: it
// has no direction, and is the same one whichever was named first.
func (p pair) relationship(a, b string) knowledge.ExtractedRelationship {
	if b < a {
		a, b = b, a
	}
	return knowledge.ExtractedRelationship{
		From: a, To: b, Type: vocabulary.TypeRelatedTo, Direction: knowledge.Bidirectional, Confidence: p.confidence(),
	}
}
