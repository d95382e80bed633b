package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/knowledge"
)

// WriteBatch makes concepts and relationships, all of them or none.
func (s Graph) WriteBatch(ctx context.Context, b Batch) (knowledge.WrittenNote, error) {
	return fetchJSONOnce[knowledge.WrittenNote](ctx, s.c, http.MethodPost, "/graph/batch", b)
}

// Batch asks for concepts and relationships, all of them or none.
type Batch struct {
	Ontology   string                 `json:"ontology"`
	Provenance string                 `json:"provenance,omitempty"`
	Concepts   []knowledge.NewConcept `json:"concepts,omitempty"`
	Edges      []knowledge.NewEdge    `json:"edges,omitempty"`
}
