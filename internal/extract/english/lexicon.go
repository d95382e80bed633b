package english

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// band says how common a word is in English at large.
type band uint8

const (
	bandRare band = iota
	bandTopical
	bandCommon
	bandEveryday
	bandFunction
)

// lexicon is what the extractor knows about English words. It does not change
// once made.
type lexicon struct {
	bands         map[string]band
	generic       map[string]bool // nouns that name nothing on their own
	empty         map[string]bool // modifiers that add nothing to a name
	abbreviations map[string]bool
	verbs         map[string]verbForm
	verbOnly      map[string]bool // verbs whose base and -s forms are no nouns
	complements   map[string]bool // "lemma prep" of verbs that need a preposition
	eponyms       map[string]bool
	ofHeads       map[string]bool // nouns whose bare "of" phrase makes a term
	demonyms      map[string][]string
}

// newLexicon reads the word lists.
func newLexicon() *lexicon {
	l := &lexicon{
		bands:         make(map[string]band, 6000),
		generic:       wordSet(genericWords),
		empty:         wordSet(emptyModifiers),
		abbreviations: wordSet(abbreviationWords),
		eponyms:       wordSet(eponymHeads),
		ofHeads:       wordSet(ofHeadWords),
		demonyms:      newDemonyms(),
	}
	for _, list := range []struct {
		words string
		band  band
	}{{topicalWords, bandTopical}, {commonWords, bandCommon}, {everydayWords, bandEveryday}, {functionWords, bandFunction}} {
		for w := range strings.FieldsSeq(list.words) {
			l.bands[w] = list.band
		}
	}
	l.verbs = newVerbs()
	l.verbOnly = wordSet(verbOnlyWords)
	l.complements = map[string]bool{}
	for key := range newRules() {
		if !key.passive && key.prep != "" {
			l.complements[key.lemma+" "+key.prep] = true
		}
	}
	return l
}

// wordSet makes a set of the words of a list.
func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// abbreviationWords end in a full stop that ends no sentence.
const abbreviationWords = `
e.g. i.e. etc. cf. vs. viz. al. approx. ca. fig. figs. eq. eqs. sec. ch. vol. no. nos. pp. ed. eds. est. dept. univ. inc. ltd. co. corp. st. mt. ft. br. pt. bros. messrs. mme. mlle. sr. sra. adm. cmdr. maj. pres. supt. ave. blvd. rd.
mr. mrs. ms. dr. prof. rev. hon. gen. col. lt. sgt. capt. gov. sen. rep. jr. sr. jan. feb. mar. apr. jun. jul. aug. sept. sep.
oct. nov. dec. mon. tue. wed. thu. fri. max. min. dist. resp. a.m. p.m. ph.d. b.c. a.d. u.s. u.k. u.n. spp. sp. var.`

// eponymHeads are the nouns after a possessive that make it a name: Newton's
// law, Parkinson's disease.
const eponymHeads = `
algorithm axiom coefficient comet conjecture constant constants criterion disease effect equation equations experiment formula function
inequality law laws lemma method model number numbers paradox postulate principle problem razor ratio rule rules series syndrome test theorem
theory triangle uncertainty fever palsy`

// ofHeadWords are nouns that make a term with a bare noun after "of": breach of
// contract, depth of field, rate of return.
const ofHeadWords = `
act angle balance bill breach burden centre center code conflict conservation cost declaration degree depth division duty economy field
freedom law letter line moment order point power presumption principle proof quality rate right rule separation speed standard
state statute theory weight writ chain coefficient theorem arc axis`

// abbreviation reports whether w, which ends in a full stop, is an
// abbreviation rather than the last word of a sentence.
func (l *lexicon) abbreviation(w string) bool {
	if l.abbreviations[lower(w)] {
		return true
	}
	// Letters with a stop after each: U.S.A.
	for i := 0; i < len(w); i += 2 {
		if i+1 >= len(w) || w[i+1] != '.' || w[i] < 'A' || w[i] > 'z' {
			return false
		}
	}
	return len(w) >= 4
}

// takes reports whether the verb lemma is known to take its complement with
// prep in the active voice.
func (l *lexicon) takes(lemma, prep string) bool {
	return l.complements[lemma+" "+prep]
}

// band returns how common a lower-case word is, also when it is inflected.
func (l *lexicon) band(low string) band {
	if b, ok := l.bands[low]; ok {
		return b
	}
	for _, base := range bases(low) {
		if b, ok := l.bands[base]; ok {
			return b
		}
	}
	return bandRare
}

// isGeneric reports whether the noun low names nothing on its own.
func (l *lexicon) isGeneric(low string) bool {
	return l.generic[low] || l.generic[singular(low)]
}

// maxIDF is the inverse document frequency of a rare word.
const maxIDF = 6

// idf returns the inverse document frequency of a lower-case word.
func (l *lexicon) idf(low string) float64 {
	switch l.band(low) {
	case bandFunction:
		return 0.2
	case bandEveryday:
		return 2.2
	case bandCommon:
		return 4
	case bandTopical:
		return 5.6
	}
	return maxIDF
}

// bases returns what a lower-case word may be an inflection of, likeliest
// first.
func bases(w string) []string {
	n := len(w)
	switch {
	case strings.HasSuffix(w, "ies") && n > 4:
		return []string{w[:n-3] + "y"}
	case strings.HasSuffix(w, "es") && n > 4:
		return []string{w[:n-1], w[:n-2]}
	case strings.HasSuffix(w, "s") && n > 3 && w[n-2] != 's':
		return []string{w[:n-1]}
	case strings.HasSuffix(w, "ied") && n > 4:
		return []string{w[:n-3] + "y"}
	case strings.HasSuffix(w, "ed") && n > 4:
		return []string{w[:n-1], w[:n-2], undouble(w[:n-2])}
	case strings.HasSuffix(w, "ing") && n > 5:
		return []string{w[:n-3], w[:n-3] + "e", undouble(w[:n-3])}
	case strings.HasSuffix(w, "ly") && n > 4:
		return []string{w[:n-2]}
	}
	return nil
}

// undouble drops the second of two equal last letters.
func undouble(w string) string {
	if n := len(w); n > 2 && w[n-1] == w[n-2] {
		return w[:n-1]
	}
	return w
}

// singular returns the singular of a lower-case noun, by rule.
func singular(w string) string {
	n := len(w)
	switch {
	case n < 4 || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"), strings.HasSuffix(w, "ics"),
		strings.HasSuffix(w, "'s"):
		return w
	case singularNouns[w], singularNames[w], w == "species", w == "series":
		return w
	case strings.HasSuffix(w, "ies"):
		if n == 4 || w == "movies" || w == "cookies" {
			return strings.TrimSuffix(w, "s")
		}
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "aches") && achesPlural(w):
		return w[:n-1]
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"),
		strings.HasSuffix(w, "zzes"), strings.HasSuffix(w, "oes") && len(w) > 6:
		return w[:n-2]
	case strings.HasSuffix(w, "lyses"), strings.HasSuffix(w, "theses"):
		return w[:n-2] + "is"
	}
	return w[:n-1]
}

// stem returns the Porter2 stem of a lower-case word; words with digits or
// marks stay as they are.
func stem(w string) string {
	for i := range len(w) {
		if (w[i] < 'a' || w[i] > 'z') && w[i] != '\'' {
			return strings.TrimSuffix(w, "'s")
		}
	}
	if len(w) <= 3 {
		return w
	}
	return english.Stem(singular(w), true)
}
