package graph

import (
	"strings"

	"github.com/kappagraph/kappa/knowledge/naming"
)

// kindredScore is what a concept scores whose name says the same thing with another
// ending: above what an embedding of its letters says, below its own name.
const kindredScore = 0.9

// numberScore is what a concept scores whose name is the singular of what was asked for:
// "moss piglets" means the tardigrade that is also called a moss piglet.
const numberScore = 0.99

// families are endings of the last word of a name that make the doer of one and the same
// action from it, or the action itself. A short word is left alone: a sector is no
// section, a letter no letting.
var families = []struct {
	before  string // one of these letters; "" is any
	least   int    // letters before the ending
	endings []string
}{
	{"ts", 6, []string{"or", "ion", "ing"}}, // collector, collection, collecting
	{"", 5, []string{"er", "ing"}},          // scheduler, scheduling
	{"", 4, []string{"izer", "ization", "izing"}},
}

// kindred returns the names that a phrase may stand under with another ending of its last
// word, such as "garbage collection" for "garbage collector", each in the singular. They
// need not be words: what no concept bears finds nothing.
func kindred(phrase string) []string {
	var names []string
	for _, f := range families {
		for _, ending := range f.endings {
			root, has := strings.CutSuffix(singular(phrase), ending)
			word := root[strings.LastIndexByte(root, ' ')+1:]
			if !has || len(word) < f.least || f.before != "" && !strings.ContainsAny(word[len(word)-1:], f.before) {
				continue
			}
			for _, other := range f.endings {
				if other != ending {
					names = append(names, root+other)
				}
			}
		}
	}
	return names
}

// singular drops the s of a plural: the endings have no other.
func singular(phrase string) string {
	if strings.HasSuffix(phrase, "ss") {
		return phrase
	}
	return strings.TrimSuffix(phrase, "s")
}

// oneOf returns the singular of a phrase: cities are a city.
func oneOf(phrase string) string {
	const shortest = 4 // "gas" and "bus" have no other number
	switch {
	case len(phrase) < shortest || strings.HasSuffix(phrase, "us") || strings.HasSuffix(phrase, "is"):
		return phrase
	case strings.HasSuffix(phrase, "ies"):
		return strings.TrimSuffix(phrase, "ies") + "y"
	}
	return singular(phrase)
}

// names returns what p may be called, in the form of naming.LabelKey, and what a concept
// of that name scores.
func (p probe) names() map[string]float64 {
	scores := map[string]float64{}
	add := func(text string, weight float64) {
		scores[text] = max(scores[text], weight)
		if one := oneOf(text); one != text {
			scores[one] = max(scores[one], weight*numberScore)
		}
		for _, other := range kindred(text) {
			scores[other] = max(scores[other], weight*kindredScore)
		}
	}
	for _, part := range p.parts {
		add(part.text, part.weight())
	}
	add(naming.LabelKey(p.query.Query), 1)
	return scores
}
