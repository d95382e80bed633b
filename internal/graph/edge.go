package graph

import (
	"cmp"
	"math"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// weakCost is what an edge of the weakest type costs more than a stated one.
const weakCost = 1000

// cost orders edges by how little they say: 0 is a stated relationship that is
// certain, 1000 the weakest stated one; that two concepts stand together costs
// 1000 more. It is a whole number so that sums compare exactly.
func cost(e knowledge.Edge) int {
	c := int(math.Round((1 - e.Confidence) * 1000))
	if e.Type == vocabulary.TypeRelatedTo {
		c += weakCost
	}
	return c
}

// compareEdges orders the edges between the same two concepts, the one that says
// most first. It does not depend on the direction of the walk.
func compareEdges(a, b knowledge.Edge) int {
	return cmp.Or(
		cmp.Compare(cost(a), cost(b)),
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(source(a), source(b)),
	)
}

// source returns the concept from which the relationship itself points.
func source(e knowledge.Edge) int {
	if e.Forward {
		return e.From
	}
	return e.To
}

// reversed is e met from its other end.
func reversed(e knowledge.Edge) knowledge.Edge {
	e.From, e.To, e.Forward = e.To, e.From, !e.Forward
	return e
}
