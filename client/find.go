package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Find returns a page of the concepts, documents and passages that have some words, best first,
// and how many there are by kind, ontology, language and class.
func (s Graph) Find(ctx context.Context, q questions.FindQuery) (questions.FindAnswer, error) {
	body := struct {
		Query  string   `json:"query"`
		Typing bool     `json:"typing,omitempty"`
		Exact  bool     `json:"exact,omitempty"`
		Find   []string `json:"find,omitempty"`
		Limit  int      `json:"limit,omitempty"`
		Cursor string   `json:"cursor,omitempty"`

		Ontologies  []string    `json:"ontologies,omitempty"`
		DocumentIDs []string    `json:"document_ids,omitempty"`
		Kinds       []string    `json:"kinds,omitempty"`
		Languages   []string    `json:"languages,omitempty"`
		Classes     []string    `json:"classes,omitempty"`
		Since       *kappa.Time `json:"since,omitempty"`
	}{
		q.Text, q.Typing, q.Exact, q.Find, q.Limit, q.Cursor,
		q.Ontologies, q.DocumentIDs, q.Kinds, q.Languages, q.Classes, nil,
	}
	if !q.Since.IsZero() {
		body.Since = new(kappa.At(q.Since))
	}
	return fetchJSON[questions.FindAnswer](ctx, s.c, http.MethodPost, "/search", body)
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
