package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const exportTimeout = 10 * time.Minute

// Neighborhood returns the graph around a concept. A MaxHops and a Limit of 0 leave
// them to the server.
func (c *Client) Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error) {
	return fetchJSON[questions.Neighborhood](ctx, c, http.MethodPost, "/query/neighborhood", struct {
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
func (c *Client) EnrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error) {
	return fetchJSON[questions.EnrichedPath](ctx, c, http.MethodPost, "/query/enriched-path", struct {
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
func (c *Client) Around(ctx context.Context, q questions.AroundQuery) (questions.Around, error) {
	return fetchJSON[questions.Around](ctx, c, http.MethodPost, "/query/within", struct {
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

// EdgeList is a page of relationships and how many there are.
type EdgeList struct {
	Edges  []questions.ListedEdge `json:"edges"`
	Total  int                    `json:"total"`
	Offset int                    `json:"offset"`
	Limit  int                    `json:"limit"`
	Next   *string                `json:"next_cursor"` // nil after the last page
}

// Edges returns the relationships that f selects. A Limit of 0 leaves the number to
// the server.
func (c *Client) Edges(ctx context.Context, f questions.EdgeFilter) (EdgeList, error) {
	query := url.Values{}
	for name, value := range map[string]string{
		"from_concept_id": f.FromID, "to_concept_id": f.ToID, "relationship_type": f.Type, "ontology": f.Ontology, "cursor": f.Cursor,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.MinConfidence != 0 {
		query.Set("min_confidence", strconv.FormatFloat(f.MinConfidence, 'g', -1, 64))
	}
	if f.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	setNumbers(query, map[string]int{"limit": f.Limit, "offset": f.Offset})
	return fetch[EdgeList](ctx, c, get("/edges", query))
}

// Edge returns a relationship with a page of the sentences that state it, the surest first.
// A Limit of 0 leaves their number to the server.
func (c *Client) Edge(ctx context.Context, q questions.EdgeEvidenceQuery) (questions.EdgeDetails, error) {
	query := url.Values{}
	setNumbers(query, map[string]int{"limit": q.Limit, "offset": q.Offset})
	if q.Ontology != "" {
		query.Set("ontology", q.Ontology)
	}
	return fetch[questions.EdgeDetails](ctx, c, get(edgePath(knowledge.WrittenEdge{FromID: q.FromID, Type: q.Type, ToID: q.ToID}), query))
}

// setNumbers adds the numbers that are not 0 to a query.
func setNumbers(query url.Values, numbers map[string]int) {
	for name, n := range numbers {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
}

// Export writes a part of the graph to w as the server sends it. After an error w may
// hold the beginning of it.
func (c *Client) Export(ctx context.Context, q questions.ExportQuery, w io.Writer) error {
	query := url.Values{"format": {string(q.Format)}}
	if len(q.Seeds) > 0 {
		query["concept_id"] = q.Seeds
	}
	if len(q.Types) > 0 {
		query["relationship_type"] = q.Types
	}
	if q.Ontology != "" {
		query.Set("ontology", q.Ontology)
	}
	if q.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	setNumbers(query, map[string]int{"max_hops": q.MaxHops, "limit": q.Limit})
	within, cancel := context.WithTimeoutCause(ctx, exportTimeout, fmt.Errorf("no end within %s", exportTimeout))
	defer cancel()
	resp, err := c.send(within, get("/graph/export", query))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("the export is not whole: %w", err)
	}
	return nil
}
