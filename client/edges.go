package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Edges are the relationships of the graph, one by one.
type Edges struct{ c *Client }

// List returns the relationships that f selects. A Limit of 0 leaves the number to
// the server.
func (s Edges) List(ctx context.Context, f questions.EdgeFilter) (api.EdgeList, error) {
	query := url.Values{}
	setTexts(query, map[string]string{
		"from_concept_id": f.FromID, "to_concept_id": f.ToID, "relationship_type": f.Type, "ontology": f.Ontology, "cursor": f.Cursor,
	})
	if f.MinConfidence != 0 {
		query.Set("min_confidence", strconv.FormatFloat(f.MinConfidence, 'g', -1, 64))
	}
	if f.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	setNumbers(query, map[string]int{"limit": f.Limit, "offset": f.Offset})
	return fetch[api.EdgeList](ctx, s.c, get("/edges", query))
}

// All yields every relationship that f selects.
func (s Edges) All(ctx context.Context, f questions.EdgeFilter) iter.Seq2[questions.ListedEdge, error] {
	return pages(func(cursor string) ([]questions.ListedEdge, *string, error) {
		f.Cursor = cursor
		list, err := s.List(ctx, f)
		return list.Edges, list.Next, err
	}, f.Cursor)
}

// Get returns a relationship with a page of the sentences that state it, the surest first.
// A Limit of 0 leaves their number to the server.
func (s Edges) Get(ctx context.Context, q questions.EdgeEvidenceQuery) (questions.EdgeDetails, error) {
	query := url.Values{}
	setNumbers(query, map[string]int{"limit": q.Limit, "offset": q.Offset})
	if q.Ontology != "" {
		query.Set("ontology", q.Ontology)
	}
	return fetch[questions.EdgeDetails](ctx, s.c, get(edgePath(knowledge.WrittenEdge{FromID: q.FromID, Type: q.Type, ToID: q.ToID}), query))
}

// Create makes a relationship.
func (s Edges) Create(ctx context.Context, n NewEdge) (api.CreatedEdge, error) {
	return fetchJSONOnce[api.CreatedEdge](ctx, s.c, http.MethodPost, "/edges", n)
}

// Edit sets the confidence of a relationship.
func (s Edges) Edit(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error) {
	return fetchJSON[knowledge.WrittenEdge](ctx, s.c, http.MethodPatch, edgePath(e), map[string]float64{"confidence": e.Confidence})
}

// Delete deletes a relationship.
func (s Edges) Delete(ctx context.Context, e knowledge.WrittenEdge) error {
	return s.c.delete(ctx, edgePath(e))
}

// PreviewDelete says what Delete would delete.
func (s Edges) PreviewDelete(ctx context.Context, e knowledge.WrittenEdge) (knowledge.RemovedEdge, error) {
	return fetch[knowledge.RemovedEdge](ctx, s.c, previewDelete(edgePath(e)))
}

func edgePath(e knowledge.WrittenEdge) string {
	return "/edges/" + url.PathEscape(e.FromID) + "/" + url.PathEscape(e.Type) + "/" + url.PathEscape(e.ToID)
}

// NewEdge asks for a relationship. An empty Ontology is that of the concept that it leads
// from.
type NewEdge struct {
	knowledge.NewEdge
	Ontology   string `json:"ontology,omitempty"`
	Provenance string `json:"provenance,omitempty"`
}
