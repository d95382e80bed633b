package questions

import (
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxNeighborhood is how many concepts one neighbourhood has at most.
const MaxNeighborhood = 1000

// NeighborhoodQuery asks for the graph around a concept, to be drawn.
type NeighborhoodQuery struct {
	ConceptID string
	MaxHops   int    // 1 to 5
	Limit     int    // concepts, the one that was asked for included: 1 to 1,000
	MinEpoch  *int64 // the graph as of this epoch at least; nil = as it is known

	Ontology          string // what this one says alone; "" = all
	IncludeEvidence   bool
	IncludeOntologies bool // that show each concept

	IncludeStatistics bool
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q NeighborhoodQuery) Validate() error {
	var r check.Rules
	r.Add("body", "concept_id", check.ConceptID(q.ConceptID))
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxRelatedDepth))
	r.Add("body", "limit", check.Range(q.Limit, 1, MaxNeighborhood))
	q.RelationshipFilter.check(&r, "")
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.Measures.check(&r, "body")
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// addTypes adds the rules that a list of relationship types breaks.
func addTypes(r *check.Rules, in, name string, types []string) {
	r.Add(in, name, check.Range(len(types), 0, check.MaxTypes))
	for i, t := range types {
		r.Add(in, name+"["+strconv.Itoa(i)+"]", check.Name(t, check.MaxTypeName))
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
	Distance      int      `json:"distance"`                   // in relationships, from the concept that was asked for
	EvidenceCount int      `json:"evidence_count"`             // its quotes, in all ontologies or in the one that was asked for
	Ontologies    []string `json:"ontologies" nullable:"true"` // that show it, by name; null unless asked for
}
