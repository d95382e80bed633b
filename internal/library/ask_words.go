package library

import (
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// missing returns the words and names of the question that no passage of the answer has.
func (x *asked) missing() []string {
	if len(x.answer.Passages) == 0 {
		all := make([]string, len(x.content))
		for i, w := range x.content {
			all[i] = x.answer.Asked[w.Start:w.End]
		}
		return all
	}
	lacking := []string{}
	for _, w := range x.answer.Passages[0].MissingWords {
		if !slices.ContainsFunc(x.answer.Passages[1:], func(p questions.AskPassage) bool { return !slices.Contains(p.MissingWords, w) }) {
			lacking = append(lacking, w)
		}
	}
	return lacking
}

// absent returns those of some words of the question that stand in no document that may be
// shown, in no name of one, and name no concept.
func (x *asked) absent(missing []string) []string {
	absent := []string{}
	for _, phrase := range missing {
		for _, w := range wholeWords(phrase) {
			if !x.stands(w) && !x.namesConcept(w) {
				absent = append(absent, phrase[w.Start:w.End])
			}
		}
	}
	return absent
}

// wholeWords returns the words of a text, without the parts of joined ones.
func wholeWords(text string) []words.Word {
	end := 0
	return slices.DeleteFunc(words.Cut(text, true).Words, func(w words.Word) bool {
		part := w.Start < end
		end = max(end, w.End)
		return part
	})
}

// stands reports whether a word stands in or around some passage that may be shown, as it
// is written or with another ending.
func (x *asked) stands(w words.Word) bool {
	view, allow := x.snapshot.View, x.filter.allow()
	if view.Frequency(index.Texts, w.Text) == 0 && view.Frequency(index.Stems, w.Stem) == 0 {
		return false
	}
	if allow == nil {
		return true
	}
	return view.Finds(bothTerms(nil, w), allow)
}

// bothTerms adds the terms by which passages are found that have a word: English ones by its
// stem, others by the word.
func bothTerms(terms []index.Term, w words.Word) []index.Term {
	return append(terms, index.Term{Field: index.Stems, Text: w.Stem, Weight: 1}, index.Term{Field: index.Texts, Text: w.Text, Weight: 1})
}

// namesConcept reports whether a concept of the answer is named so, or in part.
func (x *asked) namesConcept(w words.Word) bool {
	for _, c := range x.read.Concepts {
		if c.Named && slices.ContainsFunc(wholeWords(c.Label), func(l words.Word) bool { return l.Stem == w.Stem }) {
			return true
		}
	}
	return false
}

// statistics is what is known of the words of a library.
type statistics struct {
	*index.View

	near func(text string, most int) []string
}

// Near returns known words that a mistyped one may mean.
func (s statistics) Near(text string, most int) []string { return s.near(text, most) }

// statistics are those of the index, but that words which only stand in what may not be shown
// are never what an unknown one is taken for, and that what is quoted is meant as it is written.
func (x *asked) statistics() statistics {
	return statistics{View: x.snapshot.View, near: func(text string, most int) []string {
		if x.Exact || isLiteral(x.form.literals, text) {
			return nil
		}
		near := x.snapshot.View.Near(text, most)
		return slices.DeleteFunc(near, func(n string) bool {
			return !slices.ContainsFunc(wholeWords(n), func(w words.Word) bool { return x.stands(w) })
		})
	}}
}

// phrasesOf returns the phrases of up to four words that may name a concept, the longest first.
func phrasesOf(question string, content []words.Word) []string {
	const longest, most = 4, 60
	var all []string
	for n := min(longest, len(content)); n > 0; n-- {
		for i := 0; i+n <= len(content) && len(all) < most; i++ {
			all = append(all, question[content[i].Start:content[i+n-1].End])
		}
	}
	return all
}
