package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
)

const exportTimeout = 10 * time.Minute

// Neighborhood returns the graph around a concept. A MaxHops and a Limit of 0 leave
// them to the server.
func (c *Client) Neighborhood(ctx context.Context, q kappa.NeighborhoodQuery) (kappa.Neighborhood, error) {
	return fetchJSON[kappa.Neighborhood](ctx, c, http.MethodPost, "/query/neighborhood", map[string]any{
		"concept_id": q.ConceptID, "max_hops": orNil(q.MaxHops), "limit": orNil(q.Limit), "relationship_types": q.Types,
	})
}

// EnrichedPath returns paths between two concepts and what is around them. A MaxHops
// and a PerNode of 0 leave them to the server.
func (c *Client) EnrichedPath(ctx context.Context, q kappa.EnrichedPathQuery) (kappa.EnrichedPath, error) {
	return fetchJSON[kappa.EnrichedPath](ctx, c, http.MethodPost, "/query/enriched-path", map[string]any{
		"from_id": q.FromID, "to_id": q.ToID, "max_hops": orNil(q.MaxHops), "per_node": orNil(q.PerNode),
	})
}

// orNil returns n, or nil for 0: a member that is null counts as absent.
func orNil(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// Export writes a part of the graph to w as the server sends it. After an error w may
// hold the beginning of it.
func (c *Client) Export(ctx context.Context, q kappa.ExportQuery, w io.Writer) error {
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
	for name, n := range map[string]int{"max_hops": q.MaxHops, "limit": q.Limit} {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
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
