package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// library is a store of concepts whose embeddings are chosen by the test: the
// cosine with the question is the concept's first coordinate.
type library struct {
	memory
	cosines map[string]float64 // by concept id "c_n"
	terms   []knowledge.TermHit
	asked   knowledge.NearQuery // the last question for the nearest concepts
}

func (l *library) TermHits(_ context.Context, terms []string, _ *string, _ int) ([]knowledge.TermHit, error) {
	return slices.DeleteFunc(slices.Clone(l.terms), func(h knowledge.TermHit) bool { return !slices.Contains(terms, h.Term) }), nil
}

func (l *library) NearestConcepts(_ context.Context, q knowledge.NearQuery) ([]int, error) {
	l.asked = q
	return l.all(), nil
}

func (l *library) CloseConcepts(_ context.Context, queries []knowledge.NearQuery) ([][]int, error) {
	found := make([][]int, len(queries))
	for i := range found {
		found[i] = l.all()
	}
	return found, nil
}

func (l *library) ConceptEmbeddings(_ context.Context, _ string, ids []int) ([]knowledge.EmbeddedConcept, error) {
	var list []knowledge.EmbeddedConcept
	for _, id := range ids {
		c := l.cosines[conceptID(id)]
		list = append(list, knowledge.EmbeddedConcept{
			ID: id, ConceptID: conceptID(id), Embedding: models.Embedding{float32(c), float32(math.Sqrt(1 - c*c)), 0},
		})
	}
	return list, nil
}

func (l *library) ConceptOntologies(context.Context, []int) (map[int][]string, error) {
	return nil, nil
}

func (l *library) ConceptEvidence(_ context.Context, ids []int, most int) (map[int][]knowledge.Evidence, error) {
	quotes := map[int][]knowledge.Evidence{}
	for _, id := range ids[:1] {
		quotes[id] = make([]knowledge.Evidence, most)
	}
	return quotes, nil
}

func (l *library) all() []int {
	var ids []int
	for n := range 50 {
		if _, ok := l.cosines[conceptID(n)]; ok {
			ids = append(ids, n)
		}
	}
	return ids
}

// wholeOnly embeds a question along the first coordinate and every further text
// where no concept is.
type wholeOnly struct{ err error }

func (e wholeOnly) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	all := make([]models.Embedding, len(texts))
	for i := range all {
		all[i] = models.Embedding{0, 0, 1}
	}
	all[0] = models.Embedding{1, 0, 0}
	return all, e.err
}

func (wholeOnly) Model() models.Model { return models.Model{Name: "model"} }

func TestSearch(t *testing.T) {
	ask := func(t *testing.T, l *library, q questions.SearchQuery) questions.SearchResult {
		t.Helper()
		if q.Query == "" {
			q.Query = "anything"
		}
		if q.Limit == 0 {
			q.Limit = 10
		}
		result, err := New(Config{View: viewOf(l), Embedder: wholeOnly{}}).Search(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	hits := func(result questions.SearchResult) (list []string) {
		for _, h := range result.Results {
			list = append(list, fmt.Sprint(h.ConceptID, " ", h.Score))
		}
		return list
	}
	threshold := func(v float64) *float64 { return &v }
	five := &library{cosines: map[string]float64{"c_1": 0.7, "c_2": 0.9, "c_3": 0.65, "c_4": 0.7, "c_5": 0.2}}

	t.Run("best first, then the older, from the threshold on", func(t *testing.T) {
		result := ask(t, five, questions.SearchQuery{})
		want := []string{"c_2 0.9", "c_1 0.7", "c_4 0.7", "c_3 0.65"}
		if got := hits(result); !slices.Equal(got, want) || result.Count != 4 || result.Threshold != 0.6 {
			t.Errorf("got %q, count %d, threshold %v, want %q", got, result.Count, result.Threshold, want)
		}
		if result.BelowThreshold != nil || result.Suggested != nil || result.TopMatch != nil {
			t.Errorf("a second search with %d hits", result.Count)
		}
		if five.asked.Model != "model" {
			t.Errorf("asked for the embeddings of %q", five.asked.Model)
		}
	})
	t.Run("pages", func(t *testing.T) {
		if got := hits(ask(t, five, questions.SearchQuery{Limit: 2, Offset: 1})); !slices.Equal(got, []string{"c_1 0.7", "c_4 0.7"}) {
			t.Errorf("got %q", got)
		}
		result := ask(t, five, questions.SearchQuery{Limit: 2, Offset: 100})
		if len(result.Results) != 0 || result.Results == nil || result.BelowThreshold != nil {
			t.Errorf("beyond the end: %+v", result)
		}
	})
	t.Run("few hits: a second search says what a looser threshold shows", func(t *testing.T) {
		l := &library{cosines: map[string]float64{"c_1": 0.7, "c_2": 0.5, "c_3": 0.36, "c_4": 0.29}}
		result := ask(t, l, questions.SearchQuery{})
		if result.Count != 1 || *result.BelowThreshold != 2 || *result.Suggested != 0.34 || result.TopMatch.ConceptID != "c_2" {
			t.Errorf("got %d hits, %v below, %v suggested, top match %+v", result.Count, *result.BelowThreshold, *result.Suggested, result.TopMatch)
		}
		again := ask(t, l, questions.SearchQuery{MinSimilarity: result.Suggested})
		if again.Count != result.Count+*result.BelowThreshold {
			t.Errorf("the suggested threshold shows %d", again.Count)
		}
	})
	t.Run("nothing even there: none more, no suggestion", func(t *testing.T) {
		result := ask(t, &library{cosines: map[string]float64{"c_1": 0.1}}, questions.SearchQuery{})
		if *result.BelowThreshold != 0 || result.Suggested != nil || result.TopMatch != nil || result.Results == nil {
			t.Errorf("got %+v", result)
		}
	})
	t.Run("no second search under the loose threshold", func(t *testing.T) {
		if result := ask(t, five, questions.SearchQuery{MinSimilarity: threshold(0.3)}); result.BelowThreshold != nil || result.Count != 4 {
			t.Errorf("got %+v", result)
		}
	})
	t.Run("a name counts more than its embedding, a part less than the whole", func(t *testing.T) {
		l := &library{
			cosines: map[string]float64{"c_1": 0.7},
			terms: []knowledge.TermHit{
				{ID: 1, ConceptID: "c_1", Term: "job lane", IsLabel: true},
				{ID: 2, ConceptID: "c_2", Term: "job lane"},
				{ID: 3, ConceptID: "c_3", Term: "lane", IsLabel: true},
			},
		}
		want := []string{"c_1 1", "c_2 0.95", "c_3 0.825"}
		if got := hits(ask(t, l, questions.SearchQuery{Query: " Job  LANE"})); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("quotes only when asked for, then always a list", func(t *testing.T) {
		if result := ask(t, five, questions.SearchQuery{}); result.Results[0].Sample != nil {
			t.Errorf("got %v", result.Results[0].Sample)
		}
		result := ask(t, five, questions.SearchQuery{IncludeEvidence: true})
		if len(result.Results[0].Sample) != questions.SampleEvidence || result.Results[1].Sample == nil {
			t.Errorf("got %v and %v", result.Results[0].Sample, result.Results[1].Sample)
		}
		if result.Results[0].Documents == nil {
			t.Error("documents is no list")
		}
	})
	t.Run("an empty query is invalid", func(t *testing.T) {
		_, err := New(Config{View: viewOf(five), Embedder: wholeOnly{}}).Search(t.Context(), questions.SearchQuery{Query: "  ", Limit: 0})
		if e, ok := errors.AsType[*kappa.Error](err); !ok || e.Code != kappa.CodeInvalid || len(e.Fields) != 2 {
			t.Errorf("got %v", err)
		}
	})
}
