package library

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// matcher compares texts with the words of a query.
type matcher struct {
	words       []words.Word // that name something, each once; an unfinished one is the last
	phrase      []words.Word // all, in their order
	unfinished  bool
	completions []words.Word // of the unfinished one
	completed   []words.Word // phrase with one of them, used again and again
}

// newMatcher reads whole words, and one that may be unfinished.
func newMatcher(whole, last string) matcher {
	m := matcher{phrase: wholeWords(whole)}
	if len(m.phrase) > 0 {
		m.words = contentOf(whole)
	}
	m.words = m.words[:min(len(m.words), mostSearched-1)]
	if last != "" {
		w := wholeWords(last)[0]
		m.words = append(slices.DeleteFunc(m.words, func(k words.Word) bool { return k.Text == w.Text }), w)
		m.phrase, m.unfinished = append(m.phrase, w), true
	}
	return m
}

// isLast reports whether a word is the unfinished one.
func (m *matcher) isLast(i int) bool { return m.unfinished && i == len(m.words)-1 }

// has reports whether a word of a text is one of the query's.
func (m *matcher) has(w words.Word) bool {
	for i, a := range m.words {
		if w.Text == a.Text || w.Stem == a.Stem || m.isLast(i) && strings.HasPrefix(w.Text, a.Text) {
			return true
		}
	}
	return false
}

// match says how the words of the query stand in a text, or around it.
func (m *matcher) match(text, around []words.Word) corpus.WordMatch {
	var k matched
	k.add(text, m.words)
	k.add(around, m.words)
	if m.unfinished {
		begins := func(w words.Word) bool { return strings.HasPrefix(w.Text, m.words[len(m.words)-1].Text) }
		if slices.ContainsFunc(text, begins) || slices.ContainsFunc(around, begins) {
			k.written |= 1 << (len(m.words) - 1)
		}
	}
	if found := k.match(len(m.words)); found == corpus.SomeWords || !m.isPhraseIn(text) {
		return found
	}
	return corpus.PhraseMatch
}

// isPhraseIn reports whether the words stand one after the other.
func (m *matcher) isPhraseIn(text []words.Word) bool {
	if hasPhrase(text, m.phrase) {
		return true
	}
	if m.completed == nil && len(m.completions) > 0 {
		m.completed = slices.Clone(m.phrase)
	}
	for _, c := range m.completions {
		if m.completed[len(m.completed)-1] = c; hasPhrase(text, m.completed) {
			return true
		}
	}
	return false
}

// matchText is match for a name.
func (m *matcher) matchText(text string) corpus.WordMatch {
	return m.match(words.Cut(text, true).Words, nil)
}

// foundPassage is a passage that has words of a query.
type foundPassage struct {
	index.Candidate

	match corpus.WordMatch
	score float64
}

// match finds passages, and puts them in order: by how the words stand in them, and those that
// are equal by the learned ranking.
func (f *Finder) match(ctx context.Context, x *finding) error {
	view, most := x.asked.snapshot.View, findCandidates
	if x.Typing {
		most = typingCandidates
	}
	found, err := view.Candidates(ctx, index.Query{Terms: x.terms(), Allow: x.asked.filter.allow(), Limit: most})
	if err != nil {
		return err
	}
	x.answer.AtLeast = len(found) == most
	x.passages = make([]foundPassage, len(found))
	passages := newPassageMatcher(&x.matcher, view)
	for i := range found {
		x.passages[i] = foundPassage{Candidate: found[i], match: passages.match(&found[i])}
	}
	byMatch := func(a, b foundPassage) int { return -cmp.Compare(a.match, b.match) }
	slices.SortStableFunc(x.passages, byMatch)
	f.learned(x)
	slices.SortStableFunc(x.passages, byMatch)
	for i := range x.passages {
		if i > 0 {
			x.passages[i].score = min(x.passages[i].score, x.passages[i-1].score)
		}
	}
	return nil
}

// learned puts the first passages in the order that was learned, and scores all.
func (f *Finder) learned(x *finding) {
	first := x.passages[:min(len(x.passages), findLearned)]
	candidates, matches := make([]index.Candidate, len(first)), make(map[int32]corpus.WordMatch, len(first))
	for i, p := range first {
		candidates[i], matches[p.ID] = p.Candidate, p.match
	}
	asked := x.asked.answer.Asked
	if c := x.matcher.completions; len(c) > 0 {
		asked += c[0].Text
	}
	known := statistics{View: x.asked.snapshot.View, near: func(string, int) []string { return nil }}
	question := ranking.Ask(asked, corpus.EnglishQuestion(asked), known)
	for i, r := range f.model.Rank(&question, x.asked.snapshot.View, candidates) {
		first[i] = foundPassage{Candidate: r.Candidate, match: matches[r.ID], score: scoreOf(matches[r.ID], r.Answers)}
	}
	for i := range x.passages[len(first):] {
		p := &x.passages[len(first)+i]
		p.score = scoreOf(p.match, 0)
	}
}

// scoreOf is how similar a text is to a query by its words; better, from 0 to 1, orders those
// that match in the same way.
func scoreOf(m corpus.WordMatch, better float64) float64 {
	const certain = 0.99
	better = min(better, certain)
	return round(m.Similarity(better / (1 - better)))
}

// readFound reads the documents of the passages and the concepts that the query means. What may
// not be shown any more, since its document was moved, is left out.
func (f *Finder) readFound(ctx context.Context, x *finding) (err error) {
	reading := questions.FindReading{
		Restricted: x.asked.filter.restricted(), Ontologies: x.asked.filter.ontologies, Phrases: x.phrases(),
		Since: x.since, OneOntology: x.snapshot.Ontologies() < 2, Shown: x.likelyShown(),
	}
	documents, most := []int32{}, findConcepts
	if x.Typing {
		most = typingConcepts
	}
	seen := map[int32]bool{}
	for i, p := range x.passages {
		if i < most {
			reading.Passages = append(reading.Passages, p.ID)
		}
		if !seen[p.Document] {
			seen[p.Document] = true
			documents = append(documents, p.Document)
		}
	}
	kept := map[int32]questions.FoundDocumentRow{}
	reading.Documents, reading.Titled = documents, findTitles
	if x.since != nil { // the reading says whether they are still as they were
		kept, reading.Documents, reading.Titled = f.kept.of(x.snapshot.Version, documents, findTitles)
	}
	if x.read, err = f.tables.ReadFound(ctx, reading); err != nil || x.read.Changed {
		return err
	}
	if x.since != nil {
		x.answer.Epoch = x.read.Epoch
		f.kept.keep(x.snapshot.Version, reading.Documents, reading.Titled, x.read.Documents)
		maps.Copy(x.read.Documents, kept)
	}
	x.passages = slices.DeleteFunc(x.passages, func(p foundPassage) bool {
		d, there := x.read.Documents[p.Document]
		return !there || !x.asked.filter.allowsOntology(d.OntologyNumber)
	})
	return nil
}

// likelyShown returns the passages that a first page shows at most, so that they are read with all
// else. Those of other pages are read when it is known which they are.
func (x *finding) likelyShown() (ids []int32) {
	if x.Offset() > 0 || !x.Finds(questions.FoundPassage) {
		return nil
	}
	for _, p := range x.passages[:min(x.Limit, len(x.passages))] {
		ids = append(ids, p.ID)
	}
	return ids
}

// phrases returns what of the query may name a concept, with an unfinished word as each word
// that it may become.
func (x *finding) phrases() []string {
	whole := x.asked.answer.Asked
	if !x.matcher.unfinished {
		return phrasesOf(whole, x.matcher.words)
	}
	var all []string
	for _, c := range x.matcher.completions {
		text := whole + c.Text
		for _, phrase := range append([]string{text}, phrasesOf(text, contentOf(text))...) {
			if !slices.Contains(all, phrase) { // most are of the words before the last one
				all = append(all, phrase)
			}
		}
	}
	return all
}
