package library

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// fakeStore has chunks 1 to 3 of two documents. Their words are those of a shelf.
type fakeStore struct {
	*shelf

	quotes []corpus.SourceQuote
}

const fakeText = "Über Ada: the Analytical Engine was never built."

func (f fakeStore) SourcesOfConcepts(context.Context, []string, corpus.SourceQuery, int) ([]corpus.SourceQuote, error) {
	return f.quotes, nil
}

func (f fakeStore) ShownSources(_ context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	shown := map[int]corpus.ShownSource{}
	for _, id := range ids {
		shown[id] = corpus.ShownSource{ID: id, SourceID: "src_" + string(rune('0'+id)), DocumentID: "sha256:" + string(rune('0'+id/3)), Ontology: "o", FullText: fakeText}
	}
	return shown, nil
}

func (f fakeStore) DocumentsOfSources(ctx context.Context, ids []int) (map[int]corpus.ShownSource, error) {
	shown, err := f.ShownSources(ctx, ids)
	for id, s := range shown {
		shown[id] = corpus.ShownSource{ID: s.ID, DocumentID: s.DocumentID, Ontology: s.Ontology}
	}
	return shown, err
}

func (f fakeStore) ConceptsOfSources(context.Context, []int, string) (map[int][]corpus.SourceConcept, error) {
	return map[int][]corpus.SourceConcept{1: {{ConceptID: "engine_1"}}}, nil
}

type fakeConcepts []questions.ConceptHit

func (f fakeConcepts) Search(context.Context, questions.SearchQuery) (questions.SearchResult, error) {
	return questions.SearchResult{Results: f}, nil
}

// searcher searches texts, of which the chunks from 1 on are one each.
func searcher(t *testing.T, f fakeStore, found fakeConcepts, texts ...string) *Searcher {
	t.Helper()
	f.shelf = &shelf{}
	for _, text := range texts {
		f.add("o", "a.md", text)
	}
	return NewSearcher(f.open(t).passages, f, found)
}

func TestSearchSources(t *testing.T) {
	quote := strings.Index(fakeText, "Analytical Engine")
	s := searcher(t, fakeStore{
		quotes: []corpus.SourceQuote{{Source: 1, ConceptID: "engine_1", Quote: "Analytical Engine", StartByte: quote}, {Source: 3, ConceptID: "engine_1", Quote: "Analytical Engine", StartByte: quote}},
	}, fakeConcepts{{ConceptID: "engine_1", Score: 0.9}}, fakeText, "An engine was built.", "A mill.")

	t.Run("what matches by words and by a concept comes first, and some of the words do not suffice", func(t *testing.T) {
		hits, err := s.SearchSources(t.Context(), corpus.SourceQuery{Query: "analytical engines", Limit: 10}, true, false)
		if err != nil || len(hits) != 2 {
			t.Fatalf("%+v, %v", hits, err)
		}
		if hits[0].SourceID != "src_1" || hits[0].Similarity != 0.92 || hits[1].SourceID != "src_3" || hits[1].Similarity != 0.9 {
			t.Errorf("got %+v", hits)
		}
		if len(hits[0].Concepts) != 1 || hits[1].Concepts == nil || hits[0].FullText != nil {
			t.Errorf("concepts and text: %+v", hits)
		}
	})
	t.Run("some of the words are found from a lower similarity on", func(t *testing.T) {
		hits, err := s.SearchSources(t.Context(), corpus.SourceQuery{Query: "analytical engine", Limit: 3, MinSimilarity: new(0.1)}, false, true)
		if err != nil || len(hits) != 3 || hits[0].FullText == nil || hits[2].SourceID != "src_2" || hits[2].Similarity > 0.45 {
			t.Fatalf("%+v, %v", hits, err)
		}
		documents, total, err := s.SearchDocuments(t.Context(), corpus.SourceQuery{Query: "analytical engine", Limit: 1, MinSimilarity: new(0.1)})
		if err != nil || total != 2 || len(documents) != 1 || documents[0].SourceCount != 2 || documents[0].Best < 0.95 || len(documents[0].ConceptIDs) != 1 {
			t.Errorf("%+v of %d, %v", documents, total, err)
		}
	})
	t.Run("words match as a phrase, as they are written, by their stems, or in part", func(t *testing.T) {
		s := searcher(t, fakeStore{}, nil, "The lane wakes up.", "It wakes the lane.", "Lanes were waking.", "A lane.", "Die Straße weckt.", "Nothing.")
		for query, want := range map[string][]float64{
			"lane wakes": {0.95, 0.87, 0.8, 0.4}, "STRASSE": {0.95}, "weck": nil, "nowhere": nil, "a": nil,
		} {
			hits, err := s.SearchSources(t.Context(), corpus.SourceQuery{Query: query, Limit: 10, MinSimilarity: new(0.1)}, false, false)
			if err != nil || len(hits) != len(want) {
				t.Errorf("%s: %+v, %v", query, hits, err)
				continue
			}
			for i, h := range hits {
				if h.Similarity < want[i] || h.Similarity > want[i]+0.05 {
					t.Errorf("%s: chunk %s is similar by %v, want %v", query, h.SourceID, h.Similarity, want[i])
				}
			}
		}
	})
	t.Run("a query that breaks a rule is refused", func(t *testing.T) {
		if _, err := s.SearchSources(t.Context(), corpus.SourceQuery{Query: " ", Limit: 0}, false, false); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("got %v", err)
		}
	})
}

func TestPassage(t *testing.T) {
	long := strings.Repeat("ä wort ", 100) + "The Engines ran. " + strings.Repeat("more ", 100)
	for name, c := range map[string]struct {
		text, query string
		m           match
		want        string
	}{
		"the words as they stand":     {long, "THE engines", match{byWords: true}, "The Engines"},
		"another form of a word":      {long, "engineering", match{byWords: true}, "Engines"},
		"the quote of a concept":      {long, "motor", match{quotes: []corpus.SourceQuote{{Quote: "Engines ran", StartByte: strings.Index(long, "Engines")}}}, "Engines ran"},
		"a quote whose place is lost": {long, "motor", match{quotes: []corpus.SourceQuote{{Quote: "Engines ran", StartByte: 7}}}, "Engines ran"},
		"nothing that can be found":   {long, "motor", match{byWords: true}, "ä wort"},
	} {
		t.Run(name, func(t *testing.T) {
			p := passage(c.text, c.query, c.m)
			if runes := []rune(c.text); string(runes[p.Start:p.End]) != p.Text || !strings.Contains(p.Text, c.want) || len(p.Text) > 500 {
				t.Errorf("got %+v", p)
			}
		})
	}
}
