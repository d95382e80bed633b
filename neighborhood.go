package kappa

import "strconv"

// MaxNeighborhood is how many concepts one neighbourhood has at most.
const MaxNeighborhood = 1000

// NeighborhoodQuery asks for the graph around a concept, to be drawn.
type NeighborhoodQuery struct {
	ConceptID string
	MaxHops   int    // 1 to 5
	Limit     int    // concepts, the one that was asked for included: 1 to 1,000
	MinEpoch  *int64 // the graph as of this epoch at least; nil = as it is known

	Ontology        string // what this one says alone; "" = all
	IncludeEvidence bool

	IncludeStatistics bool
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q NeighborhoodQuery) Validate() error {
	var r rules
	r.add("body", "concept_id", checkConceptID(q.ConceptID))
	r.add("body", "max_hops", checkRange(q.MaxHops, 1, MaxRelatedDepth))
	r.add("body", "limit", checkRange(q.Limit, 1, MaxNeighborhood))
	q.RelationshipFilter.check(&r, "")
	r.add("body", "min_epoch", checkMinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.Measures.check(&r, "body")
	r.add("body", "ontology", checkOptionalName(q.Ontology, MaxOntologyName))
	return r.err()
}

// addTypes adds the rules that a list of relationship types breaks.
func (r *rules) addTypes(in, name string, types []string) {
	r.add(in, name, checkRange(len(types), 0, maxRelationshipTypes))
	for i, t := range types {
		r.add(in, name+"["+strconv.Itoa(i)+"]", checkName(t, maxRelationshipTypeName))
	}
}

// Neighborhood is the graph around a concept: the nearest concepts first, and of
// those that are equally far the ones with the strongest path; and the relationships
// among them, the strongest first.
type Neighborhood struct {
	ConceptID  string              `json:"concept_id"`
	MaxHops    int                 `json:"max_hops"`
	NodeCount  int                 `json:"node_count"`
	EdgeCount  int                 `json:"edge_count"`
	Nodes      []NeighborhoodNode  `json:"nodes"`
	Edges      []SubgraphEdge      `json:"edges"`
	Epoch      int64               `json:"epoch"`      // the graph that was read is no older
	Statistics *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness
}

// NeighborhoodNode is a concept of a neighbourhood.
type NeighborhoodNode struct {
	GraphNode
	Distance int `json:"distance"` // in relationships, from the concept that was asked for
}
