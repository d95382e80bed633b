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

// Create makes a concept, or finds the one that is the same.
func (s Concepts) Create(ctx context.Context, n NewConcept) (knowledge.WrittenConcept, error) {
	return fetchJSONOnce[knowledge.WrittenConcept](ctx, s.c, http.MethodPost, "/concepts", n)
}

// Written returns a concept as it can be edited.
func (s Concepts) Written(ctx context.Context, id string) (knowledge.WrittenConcept, error) {
	return fetch[knowledge.WrittenConcept](ctx, s.c, get(conceptPath(id), nil))
}

// Edit changes the label, the description or the other names of a concept.
func (s Concepts) Edit(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error) {
	return fetchJSON[knowledge.WrittenConcept](ctx, s.c, http.MethodPatch, conceptPath(id), e)
}

// Delete deletes a concept with its quotes and relationships.
func (s Concepts) Delete(ctx context.Context, id string) error {
	return s.c.delete(ctx, conceptPath(id))
}

// PreviewDelete says what Delete would delete.
func (s Concepts) PreviewDelete(ctx context.Context, id string) (knowledge.RemovedConcept, error) {
	return fetch[knowledge.RemovedConcept](ctx, s.c, previewDelete(conceptPath(id)))
}

// AddEvidence adds a quote that shows a concept.
func (s Concepts) AddEvidence(ctx context.Context, id string, e Evidence) (knowledge.WrittenConcept, error) {
	return fetchJSONOnce[knowledge.WrittenConcept](ctx, s.c, http.MethodPost, conceptPath(id)+"/evidence", e)
}

func conceptPath(id string) string { return "/concepts/" + url.PathEscape(id) }

// Evidence asks for a quote that shows a concept.
type Evidence struct {
	Text       string `json:"text"`
	Ontology   string `json:"ontology,omitempty"`
	Provenance string `json:"provenance,omitempty"`
}
