package english

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// extraPlaces is how many names and ends of typed relationships are kept beyond
// the places of a passage.
const extraPlaces = 10

// maxMains is how many phrases that the document repeats a passage keeps beyond its
// places.
const maxMains = 10

// mostChosen bounds what is kept of a passage, whatever it states.
const mostChosen = 100

// choose scores the candidates and returns those worth keeping, best first. How
// many grows with the square root of the passage's words: about 6 of 30, 10 of
// 150 and 21 of 1,000. Names and the ends of typed relationships have a lower
// bar and a few places on top.
func (r *reading) choose() []*candidate {
	r.countNested()
	var ranked []*candidate
	for _, c := range r.found.list {
		if c.merged == nil && len(c.mentions) > 0 {
			c.score = r.score(c)
			ranked = append(ranked, c)
		}
	}
	slices.SortStableFunc(ranked, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	if len(ranked) == 0 {
		return nil
	}
	places := int(math.Ceil(0.6*math.Sqrt(float64(r.words)))) + 2
	bar := ranked[min(4, len(ranked)-1)].score * 0.3
	var chosen []*candidate
	mains := 0
	terms, beyond := 0, 0 // chosen that are no names; chosen for what is stated of them alone
	for _, c := range ranked {
		if len(chosen) == mostChosen {
			break
		}
		within := len(chosen)-beyond < places+extraPlaces || c.name && len(chosen)-beyond < places+3*extraPlaces
		switch {
		case c.described == len(c.mentions) && !c.linked:
		case !within && !c.linked && !c.titled && c.repeated == 0:
		case c.name && within:
			chosen = append(chosen, c)
		case within && c.score >= bar && terms < places && !r.redundant(c, chosen),
			within && c.score >= bar*0.5 && (c.linked || c.defined):
			chosen = append(chosen, c)
			terms++
		case c.titled && !c.code, c.repeated > 0 && mains < maxMains: // main terms of the document
			chosen = append(chosen, c)
			beyond++
			mains++
		case c.linked: // what the text states is kept, however light its ends are
			chosen = append(chosen, c)
			beyond++
		}
	}
	return chosen
}

// score weighs a candidate: how often, how rare its words, how long, how early,
// and whether the text makes something of it. The factors were fitted to the
// tuning part of the evaluation set and rounded.
func (r *reading) score(c *candidate) float64 {
	frequency := 0.4*float64(c.nested) - 0.6*float64(c.inner)
	for _, m := range c.mentions {
		frequency++
		if r.sentences[m.sentence].kind == blockHeading {
			frequency += 0.3
		}
	}
	if c.repeated > 0 { // a floor for terms of everyday words, which stand in few places of each chunk
		frequency = max(frequency, 1) + 0.5*math.Log2(float64(c.repeated))
	}
	position := float64(c.mentions[0].sentence) / float64(len(r.sentences))
	score := math.Pow(frequency, 0.6) * c.idf / maxIDF * lengthFactor(c) * (1.3 - 0.3*position)
	for _, bonus := range []struct {
		has    bool
		factor float64
	}{
		{c.defined, 1.3},
		{c.linked, 1.2},
		{c.heading, 1.15},
		{c.titled && !c.heading, 1.3},
		{c.heading && r.onlyHeading(c), 0.6},
		{c.marked && !c.code, 1.2},
		{c.code, 0.95},
		{c.code && strings.ContainsAny(c.key, "/*{"), 0.6},
	} {
		if bonus.has {
			score *= bonus.factor
		}
	}
	return score
}

// onlyHeading reports whether c stands in headings alone.
func (r *reading) onlyHeading(c *candidate) bool {
	for _, m := range c.mentions {
		if r.sentences[m.sentence].kind != blockHeading {
			return false
		}
	}
	return true
}

// lengthFactor prefers terms of two and three words, which say more than one.
func lengthFactor(c *candidate) float64 {
	factor := 1.0
	switch n := len(c.stems); {
	case c.reference:
		return 0.9
	case n == 1 && (c.name || c.acronym || c.code):
		return 1.1
	case n == 1:
		return 0.65
	case n == 2:
		factor = 1.8
	case n == 3:
		factor = 1.5
	}
	if c.name {
		factor *= 1.4
	}
	return factor
}

// countNested counts for each candidate how often it stands inside a longer
// one.
func (r *reading) countNested() {
	for _, c := range r.found.list {
		n := len(c.stems)
		for from := range n {
			for to := from + 1; to <= n && to-from < n; to++ {
				if inner := r.found.find(strings.Join(c.stems[from:to], " ")); inner != nil && inner != c.root() {
					inner.nested += len(c.mentions)
				}
			}
		}
	}
}

// redundant reports whether c stands alone at most once and is part of a
// candidate that is already chosen.
func (r *reading) redundant(c *candidate, chosen []*candidate) bool {
	if len(c.mentions) > 1 || c.linked || c.name {
		return false
	}
	for _, o := range chosen {
		if o != c && o.contains(c) {
			return true
		}
	}
	return false
}
