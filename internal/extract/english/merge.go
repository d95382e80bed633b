package english

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/naming"
)

// absorb makes other a part of c.
func (c *candidate) absorb(other *candidate) {
	other.merged = c
	c.mentions = append(c.mentions, other.mentions...)
	slices.SortStableFunc(c.mentions, func(a, b mention) int {
		return cmp.Or(a.sentence-b.sentence, a.first-b.first)
	})
	for _, f := range other.forms {
		if !slices.Contains(c.aliases, f.text) {
			c.aliases = append(c.aliases, f.text)
		}
	}
	c.name = c.name || other.name && !other.acronym
	c.heading = c.heading || other.heading
	c.marked = c.marked || other.marked
	if !c.defined {
		c.defined, c.definition = other.defined, other.definition
	}
	if c.describe == "" {
		c.describe = other.describe
	}
	c.idf = max(c.idf, other.idf)
}

// joinSpellings joins candidates that are one word apart only in spelling:
// "rain fall" and "rainfall", "colour" and "color".
func (c *candidates) joinSpellings() {
	byShape := map[string]*candidate{}
	for _, cand := range c.list {
		if cand.merged != nil || cand.code {
			continue
		}
		shape := spelling(cand.key)
		first := byShape[shape]
		switch {
		case first == nil:
			byShape[shape] = cand
		case len(cand.mentions) > len(first.mentions) && cand.name == first.name:
			cand.absorb(first)
			byShape[shape] = cand
		default:
			first.absorb(cand)
		}
	}
}

// spelling maps spellings of one word to the same string: spaces, British and
// American endings, and doubled letters make no difference.
func spelling(key string) string {
	if folded := naming.FoldLetters(key); folded != key {
		words := strings.Fields(folded)
		for i, w := range words {
			words[i] = inflected(w)
		}
		key = strings.Join(words, " ")
	}
	numbers := numerals(key)
	key = strings.ReplaceAll(key, " ", "")
	if len(key) < 5 {
		return key
	}
	for _, ending := range [...][2]string{{"our", "or"}, {"ise", "ize"}, {"isa", "iza"}, {"yse", "yze"}, {"ogue", "og"}, {"aem", "em"}, {"oest", "est"}} {
		key = strings.ReplaceAll(key, ending[0], ending[1])
	}
	var b strings.Builder
	for i := range len(key) {
		if i == 0 || key[i] != key[i-1] {
			b.WriteByte(key[i])
		}
	}
	return b.String() + numbers
}

// numerals returns the words of a key that are numbers, Roman ones too, with a mark before
// each: Apollo 1 is not Apollo 11, and Charles I not Charles II.
func numerals(key string) string {
	var b strings.Builder
	for w := range strings.FieldsSeq(key) {
		if strings.ContainsAny(w, "0123456789") || strings.Trim(w, "ivxlcdm") == "" {
			b.WriteString("#" + w)
		}
	}
	return b.String()
}

// joinSurnames joins a person's surname with the one full name it ends.
func (c *candidates) joinSurnames() {
	full := map[string][]*candidate{}
	for _, cand := range c.list {
		if cand.merged == nil && c.isPerson(cand) {
			last := cand.stems[len(cand.stems)-1]
			full[last] = append(full[last], cand)
		}
	}
	for _, cand := range c.list {
		if cand.merged != nil || !cand.name || len(cand.stems) != 1 || len(full[cand.key]) != 1 {
			continue
		}
		full[cand.key][0].absorb(cand)
	}
}

// nameParticles are the small words in names of persons.
const nameParticles = " von van der den de da di du la le bin ibn al ten ter "

// placeWords are first words of places that are called after another one: Upper Norrby is
// not a person whose surname is Norrby.
const placeWords = " upper lower middle inner outer north south east west northern southern eastern western new old great greater little lesser port lake mount mont fort saint st st. san santa los las el rio cape bay isle glen ben loch sankt bad "

// isPerson reports whether a candidate looks like the full name of a person:
// two or three capitalised words, none of which is an English word.
func (c *candidates) isPerson(cand *candidate) bool {
	if !cand.name || cand.acronym || len(cand.stems) < 2 || len(cand.stems) > 4 {
		return false
	}
	for w := range strings.FieldsSeq(cand.forms[0].text) {
		if strings.Contains(placeWords, " "+lower(w)+" ") {
			return false
		}
		if strings.Contains(nameParticles, " "+w+" ") {
			continue
		}
		if !isCapital(w) || isAcronym(w) || strings.Contains(w, "-") || c.words.band(lower(w)) > bandTopical {
			return false
		}
	}
	return true
}
