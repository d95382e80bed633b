package library

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// formWords say which form a question has, and nothing of its subject.
var formWords = map[string][]string{
	questions.FormRelation: {
		"relate", "relates", "related", "relation", "relations", "relationship", "relationships", "connect", "connects", "connected", "connection", "connections",
		"link", "links", "linked", "tied", "common", "zusammenhang", "beziehung", "verbindung", "hängt", "hängen", "zusammen", "zwischen", "relación", "entre",
	},
	questions.FormComparison: {
		"difference", "differences", "different", "differ", "differs", "compare", "compares", "compared", "comparison", "distinction", "versus", "vs",
		"unterschied", "unterschiede", "zwischen", "vergleich", "vergleiche", "diferencia", "diferencias", "différence", "différences", "entre",
	},
	questions.FormList: {"list", "enumerate", "kinds", "types", "sorts", "every", "available", "exist", "liste", "nenne", "zähle", "gibt"},
}

// asks reports a word of the question that asks for something and names nothing: nobody wants to
// hear that the documents lack it.
func (x *asked) asks(written string) bool {
	w := strings.ToLower(written)
	if slices.Contains(formWords[x.form.name], w) || questions.FillerWord(w) {
		return true
	}
	if x.asking == nil {
		if x.asking = answers.Asking(x.answer.Asked); x.asking == nil {
			x.asking = map[string]bool{}
		}
	}
	return x.asking[w] || words.Unspaced(w) && !strings.ContainsFunc(w, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// telling leaves out the phrases of which every word only asks.
func (x *asked) telling(phrases []string) []string {
	return slices.DeleteFunc(slices.Clone(phrases), func(p string) bool {
		return !slices.ContainsFunc(wholeWords(p), func(w words.Word) bool { return !x.asks(p[w.Start:w.End]) })
	})
}

// tellingContent leaves out the words that only ask, unless there are no others.
func (x *asked) tellingContent(all []words.Word) []words.Word {
	left := slices.DeleteFunc(slices.Clone(all), func(w words.Word) bool { return x.asks(x.answer.Asked[w.Start:w.End]) })
	if len(left) == 0 {
		return all
	}
	return left
}
