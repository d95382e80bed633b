package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/projection"
)

// Projections are pictures of the graph.
type Projections struct{ c *Client }

// Algorithms returns the algorithms that projections are made by.
func (s Projections) Algorithms(ctx context.Context) (api.ProjectionAlgorithms, error) {
	return fetch[api.ProjectionAlgorithms](ctx, s.c, get("/projection/algorithms", nil))
}

// Get returns the projection that is kept of the items of an ontology, and whether
// its input has changed since. Where none is kept, the Error has kappa.CodeNotFound.
func (s Projections) Get(ctx context.Context, ontology, source string) (p projection.Projection, stale bool, err error) {
	in := get(projectionPath(ontology), url.Values{"embedding_source": {source}})
	body, header, err := s.c.exchange(ctx, in)
	if err != nil {
		return p, false, err
	}
	return p, header.Get("Kappa-Stale") == "true", decode(in, body, &p)
}

// Create has a projection made by a job, unless the one that is kept is of the same input.
func (s Projections) Create(ctx context.Context, q projection.Query) (api.ProjectionReply, error) {
	return fetchJSONOnce[api.ProjectionReply](ctx, s.c, http.MethodPost, projectionPath(q.Ontology)+"/regenerate", q)
}

// Delete deletes the projections of an ontology, of one kind of item or of all
// for "".
func (s Projections) Delete(ctx context.Context, ontology, source string) error {
	query := url.Values{}
	if source != "" {
		query.Set("embedding_source", source)
	}
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: projectionPath(ontology), query: query})
	return err
}

// PreviewDelete says what Delete would delete.
func (s Projections) PreviewDelete(ctx context.Context, ontology, source string) (api.RemovedProjections, error) {
	preview := previewDelete(projectionPath(ontology))
	if source != "" {
		preview.query.Set("embedding_source", source)
	}
	return fetch[api.RemovedProjections](ctx, s.c, preview)
}

func projectionPath(ontology string) string { return "/projection/" + url.PathEscape(ontology) }
