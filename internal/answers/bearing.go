package answers

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

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
	dates := momentsOf(sentence, pieces)
	amounts := amountsOf(sentence, pieces, dates)
	for _, a := range amounts {
		if strings.ContainsAny(sentence[a.Start:a.End], "0123456789") {
			all = append(all, fact{text: strings.ToLower(sentence[a.Start:a.End]), value: a.value, number: true})
		}
	}
	nouns := mostlyCapitals(pieces) || germanIn(pieces) > 1 // every noun is written so
	for i, p := range pieces {
		digits := strings.ContainsAny(p.Text, "0123456789")
		switch {
		case digits && slices.ContainsFunc(amounts, func(a amount) bool { return p.Start >= a.Start && p.Start < a.End }):
		case digits:
			all = append(all, fact{text: p.Text, stem: p.Stem, number: true})
		case p.small, !p.capital, languageForms["en"].empty[p.Text]:
		case acronym(p.raw), !nouns && !begins(sentence, pieces, i):
			all = append(all, fact{text: p.Text, stem: p.Stem})
		}
	}
	return all
}

// begins reports whether a word begins a sentence and has a capital letter for that: another one
// behind it makes both a name.
func begins(sentence string, pieces []piece, i int) bool {
	before := strings.TrimRight(sentence[:pieces[i].Start], " \"“'(*")
	if before != "" && strings.IndexByte(".:!?", before[len(before)-1]) < 0 {
		return false
	}
	return i+1 == len(pieces) || !pieces[i+1].capital || pieces[i+1].small || sentence[pieces[i].End:pieces[i+1].Start] != " "
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

// otherLanguage reports whether names of a sentence may be written otherwise in a passage: they are
// of two scripts, or one is English and the other is not.
func otherLanguage(sentence, passage string) bool {
	a, b := corpus.LanguageOf(sentence), corpus.LanguageOf(passage)
	return a.Script != "" && b.Script != "" && a.Script != b.Script || foreign(piecesOf(sentence)) != foreign(piecesOf(passage))
}

// foreign reports whether more of the small words are of other languages than are of English.
func foreign(pieces []piece) bool {
	balance := 0
	for _, p := range pieces {
		switch {
		case words.Function(p.Text):
			balance--
		case foreignSmall[p.Text]:
			balance++
		}
	}
	return balance > 0
}

// germanIn counts the small words of German.
func germanIn(pieces []piece) (count int) {
	for _, p := range pieces {
		if germanSmall[p.Text] && !words.Function(p.Text) {
			count++
		}
	}
	return count
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
	pieces := piecesOf(passage)
	for _, a := range amountsOf(passage, pieces, nil) {
		b.values = append(b.values, a.value)
	}
	b.joined = strings.ToLower(passage)
	return b
}

// has reports whether a passage has a fact: the word, or the number in whatever form.
func (b bearer) has(f fact) bool {
	if b.texts[f.text] || f.stem != "" && b.texts[f.stem] || strings.Contains(b.joined, f.text) {
		return true
	}
	return f.number && f.value != 0 && slices.ContainsFunc(b.values, func(v float64) bool { return v == f.value || rounded(v, 2) == f.value || rounded(v, 3) == f.value })
}
