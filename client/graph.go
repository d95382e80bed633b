package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Graph answers questions to the graph.
type Graph struct{ c *Client }

// Search returns the concepts nearest to a phrase, best first. A Limit of 0
// leaves the number to the server.
func (s Graph) Search(ctx context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	return fetchJSON[questions.SearchResult](ctx, s.c, http.MethodPost, "/query/search", api.SearchRequestOf(q))
}

// Related returns the neighbourhood of a concept, nearest first. A MaxDepth of
// 0 leaves it to the server.
func (s Graph) Related(ctx context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	return fetchJSON[questions.RelatedResult](ctx, s.c, http.MethodPost, "/query/related", api.RelatedRequestOf(q))
}

// Connect returns paths between two concepts, shortest first; none is no
// error. A MaxHops of 0 leaves it to the server.
func (s Graph) Connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	return fetchJSON[questions.ConnectResult](ctx, s.c, http.MethodPost, "/query/connect", api.ConnectRequestOf(q))
}

// ConnectBySearch returns paths between the concepts that two phrases mean, shortest
// first; none is no error. A MaxHops of 0 leaves it to the server, and so does a
// Threshold of 0.
func (s Graph) ConnectBySearch(ctx context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error) {
	return fetchJSON[questions.ConnectBySearchResult](ctx, s.c, http.MethodPost, "/query/connect-by-search", api.ConnectBySearchRequestOf(q))
}

const exportTimeout = 10 * time.Minute

// Neighborhood returns the graph around a concept. A MaxHops and a Limit of 0 leave
// them to the server.
func (s Graph) Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	return fetchJSON[questions.Neighborhood](ctx, s.c, http.MethodPost, "/query/neighborhood", api.NeighborhoodRequestOf(q))
}

// EnrichedPath returns paths between two concepts and what is around them. A MaxHops
// and a PerNode of 0 leave them to the server.
func (s Graph) EnrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	return fetchJSON[questions.EnrichedPath](ctx, s.c, http.MethodPost, "/query/enriched-path", api.EnrichedPathRequestOf(q))
}

// Around returns a page of the concepts around several. A MaxHops and a Limit of 0 leave them
// to the server.
func (s Graph) Around(ctx context.Context, q questions.AroundQuery) (questions.Around, error) {
	return fetchJSON[questions.Around](ctx, s.c, http.MethodPost, "/query/within", api.AroundRequestOf(q))
}
