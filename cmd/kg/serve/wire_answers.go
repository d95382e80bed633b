package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/library"
	"github.com/kappagraph/kappa/internal/llm"
)

// asker finds the passages that answer questions: by their words, by what they mean where a model
// embeds them, and in the order of a reranker where there is one.
func (s *server) asker() *library.Asker {
	a := library.NewAsker(s.graph.passages, s.db.Library(), s.graph.questions).FindByMeaning(s.graph.meanings).KnowPast(s.db.Library())
	if s.settings.Rerank.URL == "" {
		return a
	}
	r := s.reranker()
	return a.RerankBy(library.Reranker{Name: r.Model(), Order: r.Order})
}

// answerModel returns what answers questions from passages now.
func (s *server) answerModel() http.AnswerModel { return s.models.now().answers() }

// reranker returns the reranker of the settings, which were checked.
func (s *server) reranker() *llm.Reranker {
	is := &s.settings.Rerank
	key, _ := is.Key.read()
	price, _ := is.price()
	return llm.NewReranker(llm.RerankerConfig{URL: is.URL, Model: is.Model, Key: key, Price: price, Timeout: is.Timeout, Governor: s.models.governor})
}

// ensureReranker has calls to the reranker counted and limited.
func (s *server) ensureReranker(ctx context.Context) error {
	if s.settings.Rerank.URL == "" {
		return nil
	}
	return s.models.store.EnsureProvider(ctx, llm.Rerank)
}
