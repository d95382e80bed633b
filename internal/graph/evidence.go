package graph

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Edge returns a relationship with a page of the sentences that state it, the surest first.
//
// It returns a CodeInvalid Error that names every broken rule, CodeNotFound for an unknown
// concept or a relationship that is not there, CodeUnavailable after the deadline.
func (g *Graph) Edge(ctx context.Context, q questions.EdgeEvidenceQuery) (details questions.EdgeDetails, err error) {
	if err := q.Validate(); err != nil {
		return questions.EdgeDetails{}, err
	}
	q.Type = strings.ToUpper(strings.TrimSpace(q.Type))
	err = g.readIn(ctx, "reading a relationship", nil, q.Ontology, func(ctx context.Context, v view) error {
		from, err := v.ConceptNumber(ctx, q.FromID)
		if err != nil {
			return err
		}
		to, err := v.ConceptNumber(ctx, q.ToID)
		if err != nil {
			return err
		}
		details.Limit, details.Offset = q.Limit, q.Offset
		if details.ListedEdge, details.Total, err = v.ShowEdge(ctx, q, from, to); err != nil {
			return err
		}
		sentences, err := v.EdgeEvidence(ctx, []knowledge.Edge{{From: from, To: to, Type: q.Type, Forward: true}}, 0, q.Limit, q.Offset)
		if err != nil {
			return err
		}
		details.Evidence = sentences[0]
		return nil
	})
	return details, err
}

// Evidence returns the surest sentences that state each of some relationships, in their
// order: those of an ontology, or of all when it is "". It returns CodeUnavailable after the
// deadline.
func (g *Graph) Evidence(ctx context.Context, edges []knowledge.Edge, ontology string) (list [][]knowledge.EdgeEvidence, err error) {
	err = g.read(ctx, "reading the sentences of relationships", func(ctx context.Context, v view) error {
		number := 0
		if ontology != "" {
			if number, err = v.OntologyNumber(ctx, ontology); err != nil {
				return err
			}
		}
		list, err = v.EdgeEvidence(ctx, edges, number, knowledge.SampleEdgeEvidence, 0)
		return err
	})
	return list, err
}

// statements returns the surest sentences that state each of some relationships, in their
// order, when they are wanted, and otherwise no list for any. What an answer shows is read
// in one statement, however many relationships it has.
func (v view) statements(ctx context.Context, edges []knowledge.Edge, wanted bool) ([][]knowledge.EdgeEvidence, error) {
	if !wanted {
		return make([][]knowledge.EdgeEvidence, len(edges)), nil
	}
	return v.EdgeEvidence(ctx, edges, 0, knowledge.SampleEdgeEvidence, 0)
}

// withStatements returns relationships with their sentences when these are wanted: those of
// an ontology, or of all when it is 0.
func (v view) withStatements(ctx context.Context, list []questions.SubgraphEdge, ontology int, wanted bool) ([]questions.SubgraphEdge, error) {
	if !wanted {
		return list, nil
	}
	edges := make([]knowledge.Edge, len(list))
	for i, e := range list {
		edges[i] = e.Edge()
	}
	sentences, err := v.EdgeEvidence(ctx, edges, ontology, knowledge.SampleEdgeEvidence, 0)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Evidence = sentences[i]
	}
	return list, nil
}

// addStatements gives paths along some routes, and what is around them, the sentences of
// their relationships.
func (v view) addStatements(ctx context.Context, paths []questions.Path, routes []route, around []questions.Surroundings) error {
	var edges []knowledge.Edge
	for _, r := range routes {
		edges = append(edges, r.edges...)
	}
	for _, s := range around {
		for _, n := range s.Neighbors {
			edges = append(edges, n.Edge)
		}
	}
	list, err := v.statements(ctx, edges, true)
	if err != nil {
		return err
	}
	for i, r := range routes {
		paths[i].Evidence, list = list[:len(r.edges):len(r.edges)], list[len(r.edges):]
	}
	for _, s := range around {
		for i := range s.Neighbors {
			s.Neighbors[i].Evidence, list = list[0], list[1:]
		}
	}
	return nil
}
