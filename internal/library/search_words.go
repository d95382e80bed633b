package library

import (
	"context"
	"math/bits"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// mostSearched is how many words of a query count, so that a set of them is one number.
const mostSearched = 64

// byWords returns up to most chunks whose words match a query, in any order. A chunk matches as
// the passages that end in it do together: the headings and the name of its document count as
// words, and a phrase stands in one passage.
func (s *Searcher) byWords(ctx context.Context, q corpus.SourceQuery, most int) ([]corpus.SourceMatch, error) {
	snapshot, err := s.passages.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	within := questions.AskFilter{DocumentIDs: q.DocumentIDs}
	if q.Ontology != "" {
		within.Ontologies = []string{q.Ontology}
	}
	f, err := newFilter(ctx, s.tables, snapshot, within, false)
	if err != nil {
		return nil, err
	}
	asked := wholeWords(q.Query)
	asked = asked[:min(len(asked), mostSearched)]
	var terms []index.Term
	for _, w := range asked {
		terms = bothTerms(terms, w)
	}
	found, err := snapshot.View.Candidates(ctx, index.Query{Terms: terms, Allow: f.allow(), Limit: most})
	if err != nil {
		return nil, err
	}
	return matchesOf(snapshot.View, found, asked), nil
}

// matched is what the passages of a chunk have of a query: sets of its words.
type matched struct {
	written, stems uint64
	phrase         bool
	rank           float64
}

// matchesOf says how the chunks of passages match.
func matchesOf(v *index.View, found []index.Candidate, asked []words.Word) []corpus.SourceMatch {
	of := map[int32]*matched{}
	var p index.Passage
	for i := range found {
		c := &found[i]
		m := of[c.Source]
		if m == nil {
			m = &matched{}
			of[c.Source] = m
		}
		v.Read(c, &p)
		m.add(p.Words, asked)
		m.add(p.Around, asked)
		m.phrase = m.phrase || hasPhrase(p.Words, asked)
		m.rank = max(m.rank, float64(c.Score))
	}
	all := make([]corpus.SourceMatch, 0, len(of))
	for source, m := range of {
		all = append(all, corpus.SourceMatch{Source: int(source), Match: m.match(len(asked)), Rank: m.rank})
	}
	return all
}

func (m *matched) add(text, asked []words.Word) {
	for i, a := range asked {
		if m.written>>i&1 == 1 {
			continue
		}
		for _, w := range text {
			if w.Text == a.Text {
				m.written |= 1 << i
				break
			}
			if w.Stem == a.Stem {
				m.stems |= 1 << i
			}
		}
	}
}

func (m *matched) match(asked int) corpus.WordMatch {
	switch {
	case m.phrase:
		return corpus.PhraseMatch
	case bits.OnesCount64(m.written) == asked:
		return corpus.AllWords
	case bits.OnesCount64(m.written|m.stems) == asked:
		return corpus.StemsMatch
	}
	return corpus.SomeWords
}
