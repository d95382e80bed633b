package relations

import (
	"math"
	"slices"
	"strings"
)

// none is the class of names that are of no kind, and of pairs that are nothing to each other.
const none = "-"

// Model reads relationships. It is safe for concurrent use.
type Model struct {
	kinds     *linear
	relations *linear
	sure      []knot // what a probability of a class is worth
	related   []knot // what one of being anything to each other is worth
}

// knot is a point of a curve.
type knot struct{ at, worth float64 }

// Backward marks a class whose relationship goes from the later mention to the earlier one.
const Backward = "<"

// Kinds returns what each mention of the sentences of a text is: "PER", "ORG", "LOC", "MISC", or
// "-" for no name. All mentions of a thing are of one kind, which they tell together.
func (m *Model) Kinds(text []*Sentence) [][]string {
	sums := map[int][]float64{}
	scores := make([]float64, len(m.kinds.Classes))
	var f features
	for _, s := range text {
		for _, mention := range s.Mentions {
			f = s.ofKind(mention, f[:0])
			m.kinds.score(f, scores)
			sum := sums[mention.Thing]
			if sum == nil {
				sum = make([]float64, len(scores))
				sums[mention.Thing] = sum
			}
			for i, p := range scores {
				sum[i] += math.Log(p + 0.01)
			}
		}
	}
	out := make([][]string, len(text))
	for i, s := range text {
		out[i] = make([]string, len(s.Mentions))
		for j, mention := range s.Mentions {
			out[i][j] = m.kinds.Classes[best(sums[mention.Thing])]
		}
	}
	return out
}

// Read returns what s states of pairs of its mentions, where that is at least as probable as
// asked. A pair has at most one relation, and one that is symmetric comes once.
func (m *Model) Read(s *Sentence, kinds []string, least Limits) []Relation {
	if len(s.Mentions) < 2 {
		return nil
	}
	var out []Relation
	scores := make([]float64, len(m.relations.Classes))
	var f features
	s.pairs(func(a, b int) {
		if kinds[a] == none || kinds[b] == none {
			return
		}
		f = s.ofPair(a, b, kinds, f[:0])
		m.relations.score(f, scores)
		class := best(scores[1:]) + 1 // the first one is none
		name := m.relations.Classes[class]
		r := Relation{From: a, To: b, Type: strings.TrimPrefix(name, Backward), Probability: worth(m.sure, scores[class])}
		if strings.HasPrefix(name, Backward) {
			r.From, r.To = b, a
		}
		related := worth(m.related, 1-scores[0])
		if r.Type == Other || r.Probability < least.Type || related < least.Sure {
			if r = (Relation{From: a, To: b, Probability: related}); related < least.Related {
				return
			}
		}
		out = append(out, r)
	})
	return out
}

// Limits are how probable what is read is at least.
type Limits struct {
	Type    float64 // that two names are to each other what is said
	Sure    float64 // of these: that they are anything to each other
	Related float64 // of others: that they are anything to each other
}

// Related returns how probable it is that mentions a and b, the later one, are anything to each
// other; false when one is no name.
func (m *Model) Related(s *Sentence, a, b int, kinds []string) (float64, bool) {
	if kinds[a] == none || kinds[b] == none {
		return 0, false
	}
	scores := make([]float64, len(m.relations.Classes))
	m.relations.score(s.ofPair(a, b, kinds, nil), scores)
	return worth(m.related, 1-scores[0]), true
}

// Knows reports a type of which the model has seen enough to know it better than a rule does.
func (m *Model) Knows(relationship string) bool {
	at := slices.Index(m.relations.Classes, relationship)
	return at >= 0 && m.relations.Counts[at] >= leastKnown
}

// leastKnown is how many examples of a type Knows asks for.
const leastKnown = 300

// Other is the type of relationships that have a name nowhere.
const Other = "OTHER"

// worth returns what a probability of the linear model is worth, between the knots of a curve.
func worth(curve []knot, p float64) float64 {
	i := slices.IndexFunc(curve, func(k knot) bool { return k.at >= p })
	switch {
	case len(curve) == 0:
		return p
	case i < 0:
		return curve[len(curve)-1].worth
	case i == 0:
		return curve[0].worth
	}
	from, to := curve[i-1], curve[i]
	return from.worth + (to.worth-from.worth)*(p-from.at)/max(to.at-from.at, 1e-9)
}
