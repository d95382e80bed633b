package answers

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Borne reports whether passages that a sentence cites bear it out: they have its names and its
// numbers. See [Bearing].
func Borne(sentence string, passages []string) bool { return len(Bearing(sentence, passages)) > 0 }

// Bearing returns the indexes of those passages that bear a sentence out: each that has all of
// its names and numbers; or, when none has all, those that have some, if they have all together.
// Without names and numbers each passage bears it. Names are compared only where sentence and
// passage are of one script and language and do not write every noun with a capital letter.
func Bearing(sentence string, passages []string) []int {
	facts := factsOf(sentence)
	var whole, some []int
	together := make([]bool, len(facts))
	for i, p := range passages {
		known := newBearer(p)
		numbersOnly := otherLanguage(sentence, p)
		count := 0
		for j, f := range facts {
			if numbersOnly && !f.number || known.has(f) {
				together[j] = true
				count++
			}
		}
		switch {
		case count == len(facts):
			whole = append(whole, i)
		case count > 0:
			some = append(some, i)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	if slices.Contains(together, false) {
		return nil
	}
	return some
}

// fact is a name or a number that a sentence states.
type fact struct {
	text   string // folded
	stem   string
	value  float64
	number bool
}

// factsOf returns the names and numbers of a sentence. A capital letter at its beginning makes no
// name of a word.
func factsOf(sentence string) []fact {
	var all []fact
	pieces := piecesOf(sentence)
	amounts := amountsOf(sentence)
	for _, a := range amounts {
		if a.known && strings.ContainsAny(sentence[a.Start:a.End], "0123456789") {
			all = append(all, fact{text: strings.ToLower(sentence[a.Start:a.End]), value: a.value, number: true})
		}
	}
	german := corpus.LanguageOf(sentence).Name == "German" || mostlyCapitals(pieces)
	for i, p := range pieces {
		digits := strings.ContainsAny(p.Text, "0123456789")
		if digits && slices.ContainsFunc(amounts, func(a amount) bool { return p.Start >= a.Start && p.Start < a.End }) {
			continue
		}
		switch {
		case digits:
			all = append(all, fact{text: p.Text, stem: p.Stem, number: true})
		case p.small, !p.capital, dateWord(p.raw) && false:
		case acronym(p.raw), i > 0 && !german && !strings.HasSuffix(strings.TrimRight(sentence[:p.Start], " \"“'(*"), ".") && !strings.HasSuffix(strings.TrimRight(sentence[:p.Start], " \"“'(*"), ":"):
			all = append(all, fact{text: p.Text, stem: p.Stem})
		}
	}
	return all
}

// mostlyCapitals reports a sentence that writes its nouns with capital letters.
func mostlyCapitals(pieces []piece) bool {
	capitals, said := 0, 0
	for i, p := range pieces {
		if i == 0 || p.small {
			continue
		}
		said++
		if p.capital {
			capitals++
		}
	}
	return said >= 4 && 10*capitals > 7*said
}

// otherLanguage reports whether names of a sentence may be written otherwise in a passage.
func otherLanguage(sentence, passage string) bool {
	a, b := corpus.LanguageOf(sentence), corpus.LanguageOf(passage)
	if a.Script != "" && b.Script != "" && a.Script != b.Script {
		return true
	}
	// A short sentence has no clear language: few English words in one of many words are a sign.
	return a.Name != "" && b.Name != "" && a.Name != b.Name || a.Words >= 6 && a.English == 0 && b.English > 0.2
}

// bearer is a passage, as facts are looked up in it.
type bearer struct {
	texts  map[string]bool
	joined string
	values []float64
}

func newBearer(passage string) bearer {
	b := bearer{texts: map[string]bool{}}
	for _, w := range words.Cut(passage, true).Words {
		b.texts[w.Text], b.texts[w.Stem] = true, true
	}
	for _, a := range amountsOf(passage) {
		if a.known {
			b.values = append(b.values, a.value)
		}
	}
	b.joined = strings.ToLower(passage)
	return b
}

// has reports whether a passage has a fact: the word, or the number in whatever form.
func (b bearer) has(f fact) bool {
	if b.texts[f.text] || f.stem != "" && b.texts[f.stem] || strings.Contains(b.joined, f.text) {
		return true
	}
	return f.number && f.value != 0 && slices.ContainsFunc(b.values, func(v float64) bool { return sameValue(v, f.value) })
}
