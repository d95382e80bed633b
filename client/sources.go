package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
)

// Sources are the chunks that documents were cut into.
type Sources struct{ c *Client }

// List returns the chunks of documents, those of the newest document first. A Limit
// of 0 leaves the number to the server.
func (s Sources) List(ctx context.Context, p corpus.PageQuery) (api.SourceList, error) {
	return fetch[api.SourceList](ctx, s.c, get("/sources", pageValues(p)))
}

// All yields every chunk that p selects, those of the newest document first.
func (s Sources) All(ctx context.Context, p corpus.PageQuery) iter.Seq2[corpus.ListedSource, error] {
	return pages(func(cursor string) ([]corpus.ListedSource, *string, error) {
		p.Cursor = cursor
		list, err := s.List(ctx, p)
		return list.Sources, list.Next, err
	}, p.Cursor)
}

// Get returns a chunk.
func (s Sources) Get(ctx context.Context, id string) (corpus.Source, error) {
	return fetch[corpus.Source](ctx, s.c, get("/sources/"+url.PathEscape(id), nil))
}

// Search returns the chunks that a phrase is about, best first. A Limit of 0
// leaves the number to the server.
func (s Sources) Search(ctx context.Context, q corpus.SourceQuery) (api.SourceHits, error) {
	return fetchJSON[api.SourceHits](ctx, s.c, http.MethodPost, "/query/sources/search", struct {
		textQuery
		DocumentIDs []string `json:"document_ids,omitempty"`
	}{toTextQuery(q), q.DocumentIDs})
}

type textQuery struct {
	Query         string   `json:"query"`
	Limit         int      `json:"limit,omitempty"`
	MinSimilarity *float64 `json:"min_similarity,omitempty"`
	Ontology      string   `json:"ontology,omitempty"`
}

func toTextQuery(q corpus.SourceQuery) textQuery {
	return textQuery{Query: q.Query, Limit: q.Limit, MinSimilarity: q.MinSimilarity, Ontology: q.Ontology}
}
