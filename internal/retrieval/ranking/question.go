package ranking

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// Statistics is what is known of the words of a library. *index.View is one.
type Statistics interface {
	Passages() int
	Words() int64
	Frequency(f index.Field, term string) int
	Near(text string, most int) []string
}

const (
	// mostBytes bounds the text that is read of a question: an answer is not found by more.
	mostBytes = 8000
	// mostTerms bounds the words that are compared, so that a set of them is one number. Of a
	// longer question the rarest words are kept.
	mostTerms = 64
	// mostNear is how many known words an unknown one may mean, and mostUnknown for how many
	// that is looked up.
	mostNear    = 3
	mostUnknown = 8
)

// Question is a question that is ready to be compared with passages of one library.
type Question struct {
	text  string
	words []asked
	stems side // for English passages
	other side // for passages in other languages
	grams gramSet
	size  float64 // passages of the library
	mean  float64 // words of a passage
	// unspaced is the share of the words that are pieces of a text without spaces, such as
	// Chinese, of which any passage has many.
	unspaced float64
}

// asked is a word of the question, as it was written.
type asked struct {
	words.Word

	function bool // says nothing of the subject
	name     bool // begins with a capital inside the question
	number   bool
	unknown  bool     // no passage has it
	near     []string // known words that an unknown one may mean
	joined   string   // a known word that it makes with the next one: back up, backup
}

// Ask reads a question. With english, words that only hold an English sentence together do
// not count, unless there are no others.
func Ask(text string, english bool, s Statistics) Question {
	text = text[:min(len(text), mostBytes)]
	q := Question{text: text, size: float64(s.Passages())}
	q.mean = math.Max(1, float64(s.Words())/math.Max(1, q.size))
	q.words = read(text, english, s)
	for i := range q.words {
		if words.Unspaced(q.words[i].Text) {
			q.unspaced += 1 / float64(len(q.words))
		}
	}
	q.stems = newSide(q.words, s, index.Stems, index.Texts)
	q.other = newSide(q.words, s, index.Prefixes, index.Texts)
	q.grams = newGramSet(q.words, s)
	return q
}

// read cuts the question and says of each word what it is to the library.
func read(text string, english bool, s Statistics) []asked {
	cut, asking := words.Cut(text, true), words.NewAsking(text)
	all := make([]asked, 0, len(cut.Words))
	for i, w := range cut.Words {
		first, _ := utf8.DecodeRuneInString(text[w.Start:])
		a := asked{
			Word:     w,
			function: english && words.Function(w.Text) || !english && asking.Has(w),
			name:     unicode.IsUpper(first) && i > 0,
			number:   unicode.IsDigit(first),
			unknown:  s.Frequency(index.Texts, w.Text) == 0,
		}
		whole := i+1 < len(cut.Words) && cut.Words[i+1].Start < w.End
		if a.unknown && whole && !words.Unspaced(w.Text) && !strings.ContainsAny(w.Text, "._/@+#") {
			continue // its parts stand for it
		}
		all = append(all, a)
	}
	if !english {
		unname(all)
	}
	if !slices.ContainsFunc(all, func(a asked) bool { return !a.function }) {
		for i := range all {
			all[i].function = false
		}
	}
	all = rarest(all, s)
	unknown := 0
	for i := range all {
		a := &all[i]
		if a.unknown && !a.function && !a.number && unknown < mostUnknown && s.Frequency(index.Stems, a.Stem) == 0 {
			unknown++
			a.near = s.Near(a.Text, mostNear)
		}
	}
	join(all, s)
	return all
}

// unname takes the capitals of a question for no names where many words have one, as in German.
func unname(all []asked) {
	names := 0
	for i := range all {
		if all[i].name {
			names++
		}
	}
	if len(all) < 5 || 4*names <= len(all) {
		return
	}
	for i := range all {
		all[i].name = false
	}
}

// join finds the words that two in a row are when they are written as one.
func join(all []asked, s Statistics) {
	for i := range len(all) - 1 {
		a, next := &all[i], &all[i+1]
		if a.function || a.number || next.number || len(a.Text) < 3 || len(next.Text) < 2 || next.Start <= a.End-1 || next.Start > a.End+1 || words.Unspaced(a.Text) {
			continue
		}
		if joined := a.Text + next.Text; s.Frequency(index.Texts, joined) > 0 {
			a.joined = joined
		}
	}
}

// rarest keeps the words of a question that is longer than sensible that say most.
func rarest(all []asked, s Statistics) []asked {
	if len(all) <= mostTerms {
		return all
	}
	frequency := make(map[string]int, len(all))
	var distinct []string
	for _, a := range all {
		if _, ok := frequency[a.Text]; !ok {
			f := s.Frequency(index.Texts, a.Text)
			if f == 0 || a.function {
				f = math.MaxInt // what no passage has finds none
			}
			frequency[a.Text] = f
			distinct = append(distinct, a.Text)
		}
	}
	slices.SortStableFunc(distinct, func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	kept := map[string]bool{}
	for _, text := range distinct[:min(len(distinct), mostTerms)] {
		kept[text] = true
	}
	all = slices.DeleteFunc(all, func(a asked) bool { return !kept[a.Text] })
	return all[:min(len(all), 4*mostTerms)]
}

// assumed is how many passages a library has besides, without a word of the question: in one of
// a few passages, words that are there would weigh nothing beside those that are not.
const assumed = 10

// rarity is what a term weighs that so many of the passages have.
func rarity(passages float64, frequency int) float64 {
	return math.Log(1 + (passages+assumed-float64(frequency)+.5)/(float64(frequency)+.5))
}
