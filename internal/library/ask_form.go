package library

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// defining is how likely a passage answers at least that defines what a question asks for.
const defining = 0.8

// form is what a question asks for, beyond its words.
type form struct {
	name     string
	terms    []string // whose definitions come first, as keys
	term     string   // the one that is asked for, as it is written; "" where there are two
	literals []string // that are to be found as they are written
}

// formOf reads what a question asks for.
func formOf(question string) form {
	f := form{name: questions.FormPassage, literals: answers.Literals(question)}
	if a, b, ok := answers.Comparison(question); ok {
		f.name, f.terms = questions.FormComparison, []string{answers.DefinedKey(a), answers.DefinedKey(b)}
	} else if a, b, ok := answers.Relation(question); ok {
		f.name, f.terms = questions.FormRelation, []string{answers.DefinedKey(a), answers.DefinedKey(b)}
	} else if _, ok := answers.Listing(question); ok {
		f.name = questions.FormList
	} else if term, ok := answers.Asks(question); ok {
		f.name, f.term, f.terms = questions.FormDefinition, term, []string{answers.DefinedKey(term)}
	}
	f.terms = slices.DeleteFunc(f.terms, func(t string) bool { return t == "" })
	return f
}

// How many passages are read when a definition is asked for, or all of a kind, of which those
// are shown that say it best.
const (
	comparedDefinitions = 5
	comparedLists       = 10
)

// compared returns how many passages are read at least, before some are shown.
func (f *form) compared() int {
	switch f.name {
	case questions.FormDefinition:
		return comparedDefinitions
	case questions.FormList:
		return comparedLists
	}
	return 0
}

// special are passages that come first for what they are.
type special struct {
	defines    map[int32]int // which of the terms a passage defines or is about, from 1
	grades     map[int32]int // of these, how surely they say what it is: the sum of defines and about
	literals   map[int32]int // how many of the literals a passage has
	definition bool          // what a thing is is asked for
}

// leading are the classes of passages that lead elsewhere, and say of nothing what it is.
var leading = []corpus.PassageClass{corpus.ClassNavigation, corpus.ClassContents, corpus.ClassMarkup}

// behind is 1 for a kind of passages that comes behind the others where a definition is asked for.
func (s special) behind(kind uint8) int {
	if classes := corpus.PassageClasses(); s.definition && int(kind) < len(classes) && slices.Contains(leading, classes[kind]) {
		return 1
	}
	return 0
}

// What the grades of passages are made of: a sentence defines the thing, and the passage opens a
// section about it.
const (
	about   = 1
	defines = 2
)

// specials finds the passages that define what is asked for, and that have its literals, and
// adds them to the candidates.
func (x *asked) specials(ctx context.Context, found []index.Candidate) ([]index.Candidate, special, error) {
	s := special{defines: map[int32]int{}, grades: map[int32]int{}, literals: map[int32]int{}, definition: x.form.name == questions.FormDefinition}
	allow, has := x.filter.allow(), map[int32]bool{}
	for _, c := range found {
		has[c.ID] = true
	}
	add := func(c index.Candidate) {
		if !has[c.ID] {
			has[c.ID] = true
			found = append(found, c)
		}
	}
	for i, term := range x.form.terms {
		for grade, key := range map[int]string{defines: term, about: answers.About(term)} {
			for _, c := range x.snapshot.View.Defining(key) {
				if c.Class != 0 || allow != nil && !allow(&c.Meta) || len(s.defines) >= askCandidates {
					continue
				}
				if s.defines[c.ID] == 0 {
					s.defines[c.ID] = i + 1
				}
				if s.defines[c.ID] == i+1 {
					s.grades[c.ID] += grade
				}
				add(c)
			}
		}
	}
	for _, literal := range x.form.literals {
		with, err := x.having(ctx, literal)
		if err != nil {
			return nil, s, err
		}
		for _, c := range with {
			s.literals[c.ID]++
			add(c)
		}
		s.headed(x.form.terms, literal, with)
	}
	return found, s, nil
}

// headed counts a literal that is the term itself for the passages that define it or are about it, too:
// they may have it in the heading that they stand under.
func (s special) headed(terms []string, literal string, with []index.Candidate) {
	term := 1 + slices.Index(terms, answers.DefinedKey(literal))
	if term == 0 {
		return
	}
	for id, defined := range s.defines {
		if defined == term && !slices.ContainsFunc(with, func(c index.Candidate) bool { return c.ID == id }) {
			s.literals[id]++
		}
	}
}

// having returns passages that have a literal word by word.
func (x *asked) having(ctx context.Context, literal string) ([]index.Candidate, error) {
	cut := wholeWords(literal)
	var terms []index.Term
	for _, w := range cut {
		terms = bothTerms(terms, w)
	}
	found, err := x.snapshot.View.Candidates(ctx, index.Query{Terms: terms, Allow: x.filter.allow(), Limit: askCandidates})
	if err != nil {
		return nil, err
	}
	var p index.Passage
	return slices.DeleteFunc(found, func(c index.Candidate) bool {
		x.snapshot.View.Read(&c, &p)
		return !hasPhrase(p.Words, cut)
	}), nil
}

// hasPhrase reports whether words stand one after the other. The parts of a joined word stand
// behind it, and may be left out.
func hasPhrase(text, phrase []words.Word) bool {
	const parts = 8 // of a joined word, at most
	for i := range text {
		at, ok := i, len(phrase) > 0
		for j := 0; ok && j < len(phrase); j++ {
			step := 0
			for j > 0 && step < parts && at+step < len(text) && text[at+step].Text != phrase[j].Text {
				step++
			}
			if ok = at+step < len(text) && text[at+step].Text == phrase[j].Text; ok {
				at += step + 1
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// order puts passages with the literals of a question first, then those that define what it
// asks for, then those about it, of each thing the best one before others of the first, and then by
// their score.
func (s special) order(ranked []ranking.Ranked) {
	seen := map[int]int{}
	place := map[int32]int{} // among those that define
	for grade := defines + about; grade > 0; grade-- {
		for _, r := range ranked {
			if term := s.defines[r.ID]; term > 0 && s.grades[r.ID] == grade {
				place[r.ID] = len(s.defines) - seen[term]
				seen[term]++
			}
		}
	}
	slices.SortStableFunc(ranked, func(a, b ranking.Ranked) int {
		return cmp.Or(cmp.Compare(s.literals[b.ID], s.literals[a.ID]), cmp.Compare(place[b.ID], place[a.ID]), s.behind(a.Kind)-s.behind(b.Kind))
	})
	for i := range ranked {
		if s.defines[ranked[i].ID] > 0 {
			ranked[i].Answers = max(ranked[i].Answers, defining)
		}
	}
}

// written says how well what a passage defines is the term as it was asked for: in the same case, and
// as the first that it defines.
func written(defined []string, term string) (grade int) {
	key := answers.DefinedKey(term)
	for i, d := range defined {
		if answers.DefinedKey(strings.TrimPrefix(d, "# ")) != key {
			continue
		}
		if i == 0 {
			grade++
		}
		if upper(d) == upper(term) {
			grade += 2
		}
		break
	}
	return grade
}

// upper reports a term in capitals, as names of places for a value are written.
func upper(term string) bool { return len(term) > 1 && strings.ToUpper(term) == term }

// proseFirst puts passages that define a thing in a sentence first; a row of a table that names
// it comes where its score has it, since it says of it what the table is about.
func (s special) proseFirst(shown []kept, read map[int32]*corpus.ShownPassage, term string) {
	if len(s.defines) == 0 {
		return
	}
	says := func(k kept) int {
		p := read[k.ID]
		switch {
		case p == nil, s.defines[k.ID] == 0, p.Class == corpus.ClassTable:
			return 0
		}
		return 4*s.grades[k.ID] + written(p.Defines, term)
	}
	slices.SortStableFunc(shown, func(a, b kept) int {
		order := cmp.Or(cmp.Compare(s.literals[b.ID], s.literals[a.ID]), cmp.Compare(says(b), says(a)))
		if order != 0 || says(a) > 0 {
			return order
		}
		return cmp.Compare(b.Score, a.Score)
	})
	for first := 0; first < len(shown); {
		end := first + 1
		for end < len(shown) && says(shown[end]) == says(shown[first]) && s.literals[shown[end].ID] == s.literals[shown[first].ID] {
			end++
		}
		if says(shown[first]) > 0 {
			introducing(shown[first:end], read)
		}
		first = end
	}
}

// introducing puts the passages of each document that say it as well in the order of the document, at the
// places that they have among those of others: what comes first introduces the thing.
func introducing(shown []kept, read map[int32]*corpus.ShownPassage) {
	for i := range shown {
		for j := i + 1; j < len(shown); j++ {
			if a, b := read[shown[i].ID], read[shown[j].ID]; a.Document == b.Document && b.Number < a.Number {
				shown[i], shown[j] = shown[j], shown[i]
			}
		}
	}
}

// listsFirst puts lists and rows of tables first that answer at least half as likely as the
// best passage: who wants all of a kind reads them there.
func listsFirst(shown []kept, read map[int32]*corpus.ShownPassage) {
	if len(shown) == 0 {
		return
	}
	least := shown[0].Answers / 2
	lists := func(k kept) int {
		if p := read[k.ID]; p != nil && k.Answers >= least && (p.Class == corpus.ClassList || p.Class == corpus.ClassTable) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(shown, func(a, b kept) int { return cmp.Compare(lists(b), lists(a)) })
}
