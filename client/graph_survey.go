package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Export writes a part of the graph to w as the server sends it. After an error w may
// hold the beginning of it.
func (s Graph) Export(ctx context.Context, q questions.ExportQuery, w io.Writer) error {
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
	if q.Table != "" {
		query.Set("table", string(q.Table))
	}
	if q.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	setNumbers(query, map[string]int{"max_hops": q.MaxHops, "limit": q.Limit})
	within, cancel := context.WithTimeoutCause(ctx, exportTimeout, fmt.Errorf("no end within %s", exportTimeout))
	defer cancel()
	resp, err := s.c.send(within, get("/graph/export", query))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("the export is not whole: %w", err)
	}
	return nil
}

// surveyTimeout is for an analysis of the graph as a whole: of a large graph the first
// after a change takes seconds.
const surveyTimeout = 5 * time.Minute

// Centrality returns the concepts that are most in the centre of the graph, or of an
// ontology. A Limit of 0 leaves the number to the server.
func (s Graph) Centrality(ctx context.Context, q questions.CentralityQuery) (questions.Centrality, error) {
	return surveyed[questions.Centrality](ctx, s.c, "/graph/centrality", struct {
		Ontology string `json:"ontology,omitempty"`
		Limit    int    `json:"limit,omitempty"`
	}{q.Ontology, q.Limit})
}

// Communities returns which concepts of the graph, or of an ontology, belong together.
// A number that is 0 is left to the server.
func (s Graph) Communities(ctx context.Context, q questions.CommunitiesQuery) (questions.Communities, error) {
	return surveyed[questions.Communities](ctx, s.c, "/graph/communities", struct {
		Ontology   string  `json:"ontology,omitempty"`
		Resolution float64 `json:"resolution,omitempty"`
		Limit      int     `json:"limit,omitempty"`
		PerGroup   int     `json:"per_community,omitempty"`
	}{q.Ontology, q.Resolution, q.Limit, q.PerGroup})
}

func surveyed[T any](ctx context.Context, c *Client, path string, q any) (T, error) {
	in, err := withJSON(http.MethodPost, path, q)
	if err != nil {
		var none T
		return none, err
	}
	in.timeout = surveyTimeout
	return fetch[T](ctx, c, in)
}

// Stats counts what the graph holds.
func (s Graph) Stats(ctx context.Context) (ontologies.GraphStats, error) {
	return fetch[ontologies.GraphStats](ctx, s.c, get("/database/stats", nil))
}
