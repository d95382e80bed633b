package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/knowledge/projection"
)

// ProjectionReply is what the server says to a request to make a projection.
type ProjectionReply struct {
	Status     string  `json:"status"` // queued or skipped
	JobID      *string `json:"job_id"` // nil when skipped
	Message    string  `json:"message"`
	Changelist *string `json:"changelist_id"`
}

// ProjectionAlgorithms are the algorithms that a server knows.
type ProjectionAlgorithms struct {
	Available []string `json:"available"`
	Default   string   `json:"default"`
}

// ProjectionAlgorithms returns the algorithms that projections are made by.
func (c *Client) ProjectionAlgorithms(ctx context.Context) (ProjectionAlgorithms, error) {
	return fetch[ProjectionAlgorithms](ctx, c, get("/projection/algorithms", nil))
}

// Projection returns the projection that is kept of the items of an ontology, and whether
// its input has changed since. Where none is kept, the Error has kappa.CodeNotFound.
func (c *Client) Projection(ctx context.Context, ontology, source string) (p projection.Projection, stale bool, err error) {
	in := get(projectionPath(ontology), url.Values{"embedding_source": {source}})
	body, header, err := c.exchange(ctx, in)
	if err != nil {
		return p, false, err
	}
	return p, header.Get("Kappa-Stale") == "true", decode(in, body, &p)
}

// Project has a projection made by a job, unless the one that is kept is of the same input.
func (c *Client) Project(ctx context.Context, q projection.Query) (ProjectionReply, error) {
	return fetchJSONOnce[ProjectionReply](ctx, c, http.MethodPost, projectionPath(q.Ontology)+"/regenerate", q)
}

// DeleteProjection deletes the projections of an ontology, of one kind of item or of all
// for "".
func (c *Client) DeleteProjection(ctx context.Context, ontology, source string) error {
	query := url.Values{}
	if source != "" {
		query.Set("embedding_source", source)
	}
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: projectionPath(ontology), query: query})
	return err
}

// RemovedProjections says what went with DeleteProjection.
type RemovedProjections struct {
	Message string `json:"message"`
	Deleted bool   `json:"deleted"` // false of a dry run
	Count   int    `json:"projections_deleted"`
}

// PreviewDeleteProjection says what DeleteProjection would delete.
func (c *Client) PreviewDeleteProjection(ctx context.Context, ontology, source string) (RemovedProjections, error) {
	preview := previewDelete(projectionPath(ontology))
	if source != "" {
		preview.query.Set("embedding_source", source)
	}
	return fetch[RemovedProjections](ctx, c, preview)
}

func projectionPath(ontology string) string { return "/projection/" + url.PathEscape(ontology) }
