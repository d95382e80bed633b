package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// MaxNeighborsPerNode is how many neighbours an enriched path shows of each of its
// concepts at most.
const MaxNeighborsPerNode = 50

// MaxPathDepth is how far around each of its concepts an enriched path looks at most.
const MaxPathDepth = 3

// EnrichedPathQuery asks for paths between two concepts, and for what is around each
// concept on them.
type EnrichedPathQuery struct {
	FromID   string
	ToID     string
	MaxHops  int    // 1 to 10
	PerNode  int    // neighbours of each concept: 1 to 50
	Depth    int    // how far around each concept they may be, 1 to 3; 0 = 1
	MinEpoch *int64 // the graph as of this epoch at least; nil = as it is known

	Ontology        string // what this one says alone; "" = all
	IncludeEvidence bool

	IncludeStatistics bool
	PathPage
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q EnrichedPathQuery) Validate() error {
	var r check.Rules
	r.Add("body", "from_id", check.ConceptID(q.FromID))
	r.Add("body", "to_id", check.ConceptID(q.ToID))
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxConnectHops))
	r.Add("body", "per_node", check.Range(q.PerNode, 1, MaxNeighborsPerNode))
	r.Add("body", "depth", check.Range(q.Around(), 1, MaxPathDepth))
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.RelationshipFilter.check(&r, "")
	q.PathPage.check(&r)
	q.Measures.check(&r, "body")
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// Around is how far around each concept the neighbours may be.
func (q EnrichedPathQuery) Around() int { return max(1, q.Depth) }

// EnrichedPath is the answer to an EnrichedPathQuery: a page of paths, shortest
// first, and the surroundings of each concept on them, in the order in which the
// paths come to it. It is complete when all was searched that was asked for; that a concept
// has more neighbours than are shown is said where it is shown.
type EnrichedPath struct {
	FromID       string         `json:"from_id"`
	ToID         string         `json:"to_id"`
	MaxHops      int            `json:"max_hops"`
	PerNode      int            `json:"per_node"`
	Depth        int            `json:"depth"`
	Count        int            `json:"count"`
	Paths        []Path         `json:"paths"`
	Surroundings []Surroundings `json:"surroundings"`
	Epoch        int64          `json:"epoch"` // the graph that was read is no older
	ShownPaths
	Statistics *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness
}

// Surroundings are the concepts around one that are on none of the paths, and that no way over
// another concept of the paths leads to: the nearest first, and of those that are equally far
// the ones with the strongest relationships on the way.
type Surroundings struct {
	ConceptID string     `json:"concept_id"`
	Count     int        `json:"neighbor_count"` // with those that are not shown
	Neighbors []Neighbor `json:"neighbors"`
}

// Neighbor is a concept that relationships join with another one. What it says of a
// relationship is of the last one on the way, the strongest of several.
type Neighbor struct {
	ConceptID string  `json:"concept_id"`
	Label     string  `json:"label"`
	Distance  int     `json:"distance"` // in relationships
	ViaID     string  `json:"via_id"`   // that the relationship comes from; at a distance of 1 the concept itself
	Type      string  `json:"relationship_type"`
	Forward   bool    `json:"forward"`    // it points to the neighbour
	Certain   float64 `json:"confidence"` // of the relationship; Confidence is that of the neighbour
	knowledge.Grounding

	Evidence []knowledge.EdgeEvidence `json:"evidence" nullable:"true"` // the surest sentences that state it; null unless asked for
	Edge     knowledge.Edge           `json:"-"`
}

// NeighborEdge is the strongest relationship from a concept to one of its neighbours,
// and how many neighbours it has in all.
type NeighborEdge struct {
	knowledge.Edge
	Neighbors int
}
