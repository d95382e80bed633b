package graph

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// ListEdges returns the relationships that f selects with the number of chunks and
// documents in which each was read, in an order that stays the same, and how many there
// are in all. A type or an ontology that nothing has selects nothing.
//
// It returns a CodeInvalid Error that names every broken rule, CodeNotFound for an
// unknown concept, CodeUnavailable after the deadline.
func (g *Graph) ListEdges(ctx context.Context, f questions.EdgeFilter) (list []questions.ListedEdge, total int, err error) {
	if err := f.Validate(); err != nil {
		return nil, 0, err
	}
	f.Type = strings.ToUpper(strings.TrimSpace(f.Type))
	err = g.read(ctx, "the list of relationships", func(ctx context.Context, v view) error {
		var ends [2]int
		for i, id := range []string{f.FromID, f.ToID} {
			if id == "" {
				continue
			}
			if ends[i], err = v.ConceptNumber(ctx, id); err != nil {
				return err
			}
		}
		if list, total, err = v.ListEdges(ctx, f, ends[0], ends[1]); err != nil {
			return err
		}
		edges := make([]knowledge.Edge, len(list))
		for i, e := range list {
			edges[i] = e.Edge()
		}
		if !f.IncludeEvidence || len(list) == 0 {
			return nil
		}
		number := 0
		if f.Ontology != "" {
			if number, err = v.OntologyNumber(ctx, f.Ontology); err != nil {
				return err
			}
		}
		sentences, err := v.EdgeEvidence(ctx, edges, number, knowledge.SampleEdgeEvidence, 0)
		for i := range sentences {
			list[i].Evidence = sentences[i]
		}
		return err
	})
	return list, total, err
}
