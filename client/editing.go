package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/knowledge"
)

// NewConcept asks for a concept. Provenance is knowledge.CreatedByHuman, the default, or
// knowledge.CreatedByAgent.
type NewConcept struct {
	knowledge.NewConcept
	Ontology   string `json:"ontology"`
	Provenance string `json:"provenance,omitempty"`
}

// NewEdge asks for a relationship. An empty Ontology is that of the concept that it leads
// from.
type NewEdge struct {
	knowledge.NewEdge
	Ontology   string `json:"ontology,omitempty"`
	Provenance string `json:"provenance,omitempty"`
}

// Evidence asks for a quote that shows a concept.
type Evidence struct {
	Text       string `json:"text"`
	Ontology   string `json:"ontology,omitempty"`
	Provenance string `json:"provenance,omitempty"`
}

// Batch asks for concepts and relationships, all of them or none.
type Batch struct {
	Ontology   string                 `json:"ontology"`
	Provenance string                 `json:"provenance,omitempty"`
	Concepts   []knowledge.NewConcept `json:"concepts,omitempty"`
	Edges      []knowledge.NewEdge    `json:"edges,omitempty"`
}

// CreateConcept makes a concept, or finds the one that is the same.
func (c *Client) CreateConcept(ctx context.Context, n NewConcept) (knowledge.WrittenConcept, error) {
	return fetchJSONOnce[knowledge.WrittenConcept](ctx, c, http.MethodPost, "/concepts", n)
}

// WrittenConcept returns a concept as it can be edited.
func (c *Client) WrittenConcept(ctx context.Context, id string) (knowledge.WrittenConcept, error) {
	return fetch[knowledge.WrittenConcept](ctx, c, get(conceptPath(id), nil))
}

// EditConcept changes the label, the description or the other names of a concept.
func (c *Client) EditConcept(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error) {
	return fetchJSON[knowledge.WrittenConcept](ctx, c, http.MethodPatch, conceptPath(id), e)
}

// DeleteConcept deletes a concept with its quotes and relationships.
func (c *Client) DeleteConcept(ctx context.Context, id string) error {
	return c.delete(ctx, conceptPath(id))
}

// PreviewDeleteConcept says what DeleteConcept would delete.
func (c *Client) PreviewDeleteConcept(ctx context.Context, id string) (knowledge.RemovedConcept, error) {
	return fetch[knowledge.RemovedConcept](ctx, c, previewDelete(conceptPath(id)))
}

// AddEvidence adds a quote that shows a concept.
func (c *Client) AddEvidence(ctx context.Context, id string, e Evidence) (knowledge.WrittenConcept, error) {
	return fetchJSONOnce[knowledge.WrittenConcept](ctx, c, http.MethodPost, conceptPath(id)+"/evidence", e)
}

func conceptPath(id string) string { return "/concepts/" + url.PathEscape(id) }

// CreatedEdge is a relationship that was asked for.
type CreatedEdge struct {
	knowledge.WrittenEdge
	Created    bool   `json:"created"` // it was not there before
	DocumentID string `json:"document_id"`
}

// CreateEdge makes a relationship.
func (c *Client) CreateEdge(ctx context.Context, n NewEdge) (CreatedEdge, error) {
	return fetchJSONOnce[CreatedEdge](ctx, c, http.MethodPost, "/edges", n)
}

// EditEdge sets the confidence of a relationship.
func (c *Client) EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error) {
	return fetchJSON[knowledge.WrittenEdge](ctx, c, http.MethodPatch, edgePath(e), map[string]float64{"confidence": e.Confidence})
}

// DeleteEdge deletes a relationship.
func (c *Client) DeleteEdge(ctx context.Context, e knowledge.WrittenEdge) error {
	return c.delete(ctx, edgePath(e))
}

// PreviewDeleteEdge says what DeleteEdge would delete.
func (c *Client) PreviewDeleteEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.RemovedEdge, error) {
	return fetch[knowledge.RemovedEdge](ctx, c, previewDelete(edgePath(e)))
}

func edgePath(e knowledge.WrittenEdge) string {
	return "/edges/" + url.PathEscape(e.FromID) + "/" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.ToID)
}

// WriteBatch makes concepts and relationships, all of them or none.
func (c *Client) WriteBatch(ctx context.Context, b Batch) (knowledge.WrittenNote, error) {
	return fetchJSONOnce[knowledge.WrittenNote](ctx, c, http.MethodPost, "/graph/batch", b)
}
