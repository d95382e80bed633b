package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Find returns a page of the concepts, documents and passages that have some words, best first,
// and how many there are by kind, ontology, language and class.
func (s Graph) Find(ctx context.Context, q questions.FindQuery) (questions.FindAnswer, error) {
	return fetchJSON[questions.FindAnswer](ctx, s.c, http.MethodPost, "/search", api.FindRequestOf(q))
}

// AllFound yields the hits of all pages, from the one on that q begins with. An error is the
// last thing that it yields.
func (s Graph) AllFound(ctx context.Context, q questions.FindQuery) iter.Seq2[questions.FoundHit, error] {
	return pages(func(cursor string) ([]questions.FoundHit, *string, error) {
		q.Cursor = cursor
		page, err := s.Find(ctx, q)
		return page.Hits, page.Next, err
	}, q.Cursor)
}
