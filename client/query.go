package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Search returns the concepts nearest to a phrase, best first. A Limit of 0
// leaves the number to the server.
func (c *Client) Search(ctx context.Context, q questions.SearchQuery) (questions.SearchResult, error) {
	return fetchJSON[questions.SearchResult](ctx, c, http.MethodPost, "/query/search", struct {
		Query           string   `json:"query"`
		Limit           int      `json:"limit,omitempty"`
		Offset          int      `json:"offset,omitempty"`
		MinSimilarity   *float64 `json:"min_similarity,omitempty"`
		Ontology        *string  `json:"ontology,omitempty"`
		IncludeEvidence bool     `json:"include_evidence,omitempty"`
		measureFields
	}{q.Query, q.Limit, q.Offset, q.MinSimilarity, q.Ontology, q.IncludeEvidence, asFields(q.Measures)})
}

// Concept returns one concept with its quotes and its outgoing relationships.
func (c *Client) Concept(ctx context.Context, id string) (questions.ConceptDetails, error) {
	return c.MeasuredConcept(ctx, id, questions.Measures{})
}

// MeasuredConcept is Concept with the measures that m asks for.
func (c *Client) MeasuredConcept(ctx context.Context, id string, m questions.Measures) (questions.ConceptDetails, error) {
	return c.AskConcept(ctx, questions.ConceptQuery{ConceptID: id, Measures: m})
}

// StatedConcept is MeasuredConcept with the sentences that state each of its relationships.
func (c *Client) StatedConcept(ctx context.Context, id string, m questions.Measures) (questions.ConceptDetails, error) {
	return c.AskConcept(ctx, questions.ConceptQuery{ConceptID: id, IncludeEvidence: true, Measures: m})
}

// AskConcept returns what q asks about a concept.
func (c *Client) AskConcept(ctx context.Context, q questions.ConceptQuery) (questions.ConceptDetails, error) {
	query := url.Values{"include_grounding": {strconv.FormatBool(!q.NoGrounding)}}
	if q.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	if q.Ontology != "" {
		query.Set("ontology", q.Ontology)
	}
	if q.Diversity {
		query.Set("include_diversity", "true")
		query.Set("diversity_max_hops", strconv.Itoa(q.Hops()))
	}
	return fetch[questions.ConceptDetails](ctx, c, get("/query/concept/"+url.PathEscape(q.ConceptID), query))
}

// Related returns the neighbourhood of a concept, nearest first. A MaxDepth of
// 0 leaves it to the server.
func (c *Client) Related(ctx context.Context, q questions.RelatedQuery) (questions.RelatedResult, error) {
	return fetchJSON[questions.RelatedResult](ctx, c, http.MethodPost, "/query/related", struct {
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
func (c *Client) Connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	return fetchJSON[questions.ConnectResult](ctx, c, http.MethodPost, "/query/connect", struct {
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
func (c *Client) ConnectBySearch(ctx context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error) {
	return fetchJSON[questions.ConnectBySearchResult](ctx, c, http.MethodPost, "/query/connect-by-search", struct {
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

// ConceptList is a page of concepts and how many there are.
type ConceptList struct {
	Concepts []questions.ListedConcept `json:"concepts"`
	Total    int                       `json:"total"`
	Offset   int                       `json:"offset"`
	Limit    int                       `json:"limit"`
	Next     *string                   `json:"next_cursor"` // nil after the last page
}

// Concepts returns the concepts that f selects, those with the most evidence first. A
// Limit of 0 leaves the number to the server.
func (c *Client) Concepts(ctx context.Context, f questions.ConceptFilter) (ConceptList, error) {
	query := url.Values{}
	for name, value := range map[string]string{"ontology": f.Ontology, "label_contains": f.LabelContains, "creation_method": f.CreationMethod, "cursor": f.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	setNumbers(query, map[string]int{"limit": f.Limit, "offset": f.Offset})
	return fetch[ConceptList](ctx, c, get("/concepts", query))
}

// pageFields select a part of an answer. Zero leaves it to the server.
type pageFields struct {
	Limit  int `json:"limit,omitempty"`
	Offset int `json:"offset,omitempty"`
}

// statisticsField asks for what was read of the graph.
type statisticsField struct {
	IncludeStatistics bool `json:"include_statistics,omitempty"`
}
