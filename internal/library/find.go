package library

import (
	"context"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	findCandidates   = 1000 // passages that a search ranks
	typingCandidates = 300  // while somebody types
	findLearned      = 50   // of them in the order that was learned
	findConcepts     = 100  // passages whose concepts are read
	typingConcepts   = 40   // while somebody types
	findTitles       = 50   // documents whose titles are read
)

// foundTables have what a search shows.
type foundTables interface {
	tables
	ReadFound(ctx context.Context, r questions.FindReading) (questions.FindRead, error)
}

// Finder finds concepts, documents and passages by their words. It is safe for concurrent use.
type Finder struct {
	passages passages
	tables   foundTables
	model    *ranking.Model
	kept     documentRows
}

// NewFinder returns a Finder that finds passages by p, and reads t.
func NewFinder(p passages, t foundTables) *Finder {
	return &Finder{passages: p, tables: t, model: ranking.Learned()}
}

// finding is a search that is being answered.
type finding struct {
	questions.FindQuery
	snapshot retrieval.Snapshot
	since    *knowledge.PassagesMark // as in asked
	asked    *asked                  // of which it has the index, the filter, and the words without slips
	matcher  matcher
	passages []foundPassage
	read     questions.FindRead
	hits     []hit
	answer   questions.FindAnswer
}

// Find returns a page of the concepts, documents and passages that have the words of a query.
// All passages with all of its words come before those with some; up to 1,000 passages are
// ranked, and what is found and counted is theirs: their documents, and the concepts that the
// query names or that the first hundred of them, or forty while somebody types, show and it has
// words of. Nothing of what the query's filter leaves out is in any part of the answer. It returns
// a CodeInvalid Error for a query that breaks a rule.
func (f *Finder) Find(ctx context.Context, q questions.FindQuery) (questions.FindAnswer, error) {
	if err := q.Validate(); err != nil {
		return questions.FindAnswer{}, err
	}
	if latest, ok := f.passages.Latest(); ok {
		x := &finding{FindQuery: q, snapshot: latest, since: &latest.Mark}
		if err := f.find(ctx, x); err != nil || !x.read.Changed {
			return x.answer, err
		}
	}
	fresh, err := f.passages.Fresh(ctx)
	if err != nil {
		return questions.FindAnswer{}, err
	}
	x := &finding{FindQuery: q, snapshot: fresh}
	err = f.find(ctx, x)
	return x.answer, err
}

// find answers a search from the passages of a snapshot. With an error there is no answer, nor when
// what was read says that passages have changed since.
func (f *Finder) find(ctx context.Context, x *finding) error {
	for _, step := range []func(context.Context, *finding) error{f.begin, f.match, f.readFound, f.show} {
		if err := step(ctx, x); err != nil || x.read.Changed {
			x.answer = questions.FindAnswer{}
			return err
		}
	}
	return nil
}

// begin says what of the index may be shown, and reads the words that are looked for.
func (f *Finder) begin(ctx context.Context, x *finding) (err error) {
	snapshot := x.snapshot
	x.answer = questions.FindAnswer{Query: x.Text, Completions: []string{}, Hits: []questions.FoundHit{}, Epoch: snapshot.Epoch, Index: snapshot.State}
	x.asked = &asked{Question: questions.Question{Text: x.Text, Exact: x.Exact}, snapshot: snapshot}
	if x.asked.filter, err = newFilter(ctx, f.tables, snapshot, x.AskFilter, false); err != nil {
		return err
	}
	if x.asked.filter.restricted() && x.answer.Index.Ready {
		x.answer.Index.Passages, x.answer.Index.Of = 0, 0 // how many there are of others is theirs
	}
	whole, last := x.Text, ""
	if x.Typing {
		whole, last = unfinished(x.Text)
	}
	x.asked.form.literals = answers.Literals(x.Text)
	x.asked.answer.Asked, x.asked.answer.Mended = whole, []questions.AskMended{}
	x.asked.mend()
	whole = x.asked.answer.Asked
	x.matcher = newMatcher(whole, last)
	if last != "" {
		x.matcher.completions = x.complete(last)
	}
	for _, c := range x.matcher.completions {
		x.answer.Completions = append(x.answer.Completions, c.Text)
	}
	x.answer.Looked, x.answer.Mended = whole+last, x.asked.answer.Mended
	return nil
}

// unfinished cuts the last word off a text that ends in it. A piece of a text without spaces
// begins no other one.
func unfinished(text string) (whole, last string) {
	all := wholeWords(text)
	if len(all) == 0 || all[len(all)-1].End != len(text) || words.Unspaced(all[len(all)-1].Text) {
		return text, ""
	}
	return text[:all[len(all)-1].Start], text[all[len(all)-1].Start:]
}

// mostCompletions is how many words an unfinished one may become.
const mostCompletions = 8

// complete returns the words that begin so and stand in what may be shown, the most frequent
// first.
func (x *finding) complete(last string) (all []words.Word) {
	for _, c := range x.asked.snapshot.View.Complete(wholeWords(last)[0].Text, 3*mostCompletions) {
		for _, w := range wholeWords(c.Text) {
			if len(all) < mostCompletions && w.Text == c.Text && x.asked.stands(w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// terms returns what passages are found by.
func (x *finding) terms() (terms []index.Term) {
	m := &x.matcher
	for i, w := range m.words {
		if !m.isLast(i) {
			terms = bothTerms(terms, w)
		}
	}
	for _, w := range m.completions {
		from := len(terms)
		terms = bothTerms(terms, w)
		if w.Text != m.words[len(m.words)-1].Text {
			for i := range terms[from:] {
				terms[from+i].Weight /= 2 // it may be meant, and another one as well
			}
		}
	}
	return terms
}
