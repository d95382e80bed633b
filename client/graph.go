package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Graph answers questions to the graph.
type Graph struct{ c *Client }

// Search returns the concepts nearest to a phrase, best first. A Limit of 0
// leaves the number to the server.
func (s Graph) Search(ctx context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	return fetchJSON[questions.SearchResult](ctx, s.c, http.MethodPost, "/query/search", struct {
		Query           string   `json:"query"`
		Limit           int      `json:"limit,omitempty"`
		Offset          int      `json:"offset,omitempty"`
		MinSimilarity   *float64 `json:"min_similarity,omitempty"`
		Ontology        *string  `json:"ontology,omitempty"`
		IncludeEvidence bool     `json:"include_evidence,omitempty"`
		measureFields
	}{q.Query, q.Limit, q.Offset, q.MinSimilarity, q.Ontology, q.IncludeEvidence, asFields(q.Measures)})
}

// Related returns the neighbourhood of a concept, nearest first. A MaxDepth of
// 0 leaves it to the server.
func (s Graph) Related(ctx context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	return fetchJSON[questions.RelatedResult](ctx, s.c, http.MethodPost, "/query/related", struct {
		ConceptID string `json:"concept_id"`
		MaxDepth  int    `json:"max_depth,omitempty"`
		MinEpoch  *int64 `json:"min_epoch,omitempty"`
		Ontology  string `json:"ontology,omitempty"`
		pageFields
		statisticsField
		evidenceField
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.ConceptID, q.MaxDepth, q.MinEpoch, q.Ontology, pageFields{q.Limit, q.Offset}, statisticsField{q.IncludeStatistics}, evidenceField{q.IncludeEvidence}, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}

// Connect returns paths between two concepts, shortest first; none is no
// error. A MaxHops of 0 leaves it to the server.
func (s Graph) Connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	return fetchJSON[questions.ConnectResult](ctx, s.c, http.MethodPost, "/query/connect", struct {
		FromID          string `json:"from_id"`
		ToID            string `json:"to_id"`
		MaxHops         int    `json:"max_hops,omitempty"`
		IncludeEvidence bool   `json:"include_evidence,omitempty"`
		MinEpoch        *int64 `json:"min_epoch,omitempty"`
		Ontology        string `json:"ontology,omitempty"`
		pageFields
		statisticsField
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.FromID, q.ToID, q.MaxHops, q.IncludeEvidence, q.MinEpoch, q.Ontology, pageFields(q.PathPage), statisticsField{q.IncludeStatistics}, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}

// ConnectBySearch returns paths between the concepts that two phrases mean, shortest
// first; none is no error. A MaxHops of 0 leaves it to the server, and so does a
// Threshold of 0.
func (s Graph) ConnectBySearch(ctx context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error) {
	return fetchJSON[questions.ConnectBySearchResult](ctx, s.c, http.MethodPost, "/query/connect-by-search", struct {
		FromQuery       string  `json:"from_query"`
		ToQuery         string  `json:"to_query"`
		MaxHops         int     `json:"max_hops,omitempty"`
		Threshold       float64 `json:"threshold,omitempty"`
		IncludeEvidence bool    `json:"include_evidence,omitempty"`
		MinEpoch        *int64  `json:"min_epoch,omitempty"`
		Ontology        string  `json:"ontology,omitempty"`
		pageFields
		statisticsField
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.FromQuery, q.ToQuery, q.MaxHops, q.Threshold, q.IncludeEvidence, q.MinEpoch, q.Ontology, pageFields(q.PathPage), statisticsField{q.IncludeStatistics}, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}

const exportTimeout = 10 * time.Minute

// Neighborhood returns the graph around a concept. A MaxHops and a Limit of 0 leave
// them to the server.
func (s Graph) Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	return fetchJSON[questions.Neighborhood](ctx, s.c, http.MethodPost, "/query/neighborhood", struct {
		ConceptID string `json:"concept_id"`
		MaxHops   int    `json:"max_hops,omitempty"`
		Limit     int    `json:"limit,omitempty"`
		MinEpoch  *int64 `json:"min_epoch,omitempty"`
		Ontology  string `json:"ontology,omitempty"`
		statisticsField
		evidenceField
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.ConceptID, q.MaxHops, q.Limit, q.MinEpoch, q.Ontology, statisticsField{q.IncludeStatistics}, evidenceField{q.IncludeEvidence}, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}

// EnrichedPath returns paths between two concepts and what is around them. A MaxHops
// and a PerNode of 0 leave them to the server.
func (s Graph) EnrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	return fetchJSON[questions.EnrichedPath](ctx, s.c, http.MethodPost, "/query/enriched-path", struct {
		FromID   string `json:"from_id"`
		ToID     string `json:"to_id"`
		MaxHops  int    `json:"max_hops,omitempty"`
		PerNode  int    `json:"per_node,omitempty"`
		MinEpoch *int64 `json:"min_epoch,omitempty"`
		Ontology string `json:"ontology,omitempty"`
		Depth    int    `json:"depth,omitempty"`
		pageFields
		statisticsField
		evidenceField
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.FromID, q.ToID, q.MaxHops, q.PerNode, q.MinEpoch, q.Ontology, q.Depth, pageFields(q.PathPage), statisticsField{q.IncludeStatistics}, evidenceField{q.IncludeEvidence}, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}

// Around returns a page of the concepts around several. A MaxHops and a Limit of 0 leave them
// to the server.
func (s Graph) Around(ctx context.Context, q questions.AroundQuery) (questions.Around, error) {
	return fetchJSON[questions.Around](ctx, s.c, http.MethodPost, "/query/within", struct {
		SeedIDs           []string `json:"seed_ids"`
		MaxHops           int      `json:"max_hops,omitempty"`
		Limit             int      `json:"limit,omitempty"`
		Offset            int      `json:"offset,omitempty"`
		Ontology          string   `json:"ontology,omitempty"`
		MinEpoch          *int64   `json:"min_epoch,omitempty"`
		IncludeStatistics bool     `json:"include_statistics,omitempty"`
		filterFields
		questions.RelationshipFilter
		measureFields
	}{q.SeedIDs, q.MaxHops, q.Limit, q.Offset, q.Ontology, q.MinEpoch, q.IncludeStatistics, filterFields(q.EpistemicFilter), q.RelationshipFilter, asFields(q.Measures)})
}
