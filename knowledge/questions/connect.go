package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// ConnectQuery asks for paths between two concepts, in either direction of the
// relationships.
type ConnectQuery struct {
	FromID          string
	ToID            string
	MaxHops         int // 1 to 10
	IncludeEvidence bool
	MinEpoch        *int64 // the graph as of this epoch at least; nil = as it is known
	Ontology        string // what this one says alone; "" = all

	IncludeStatistics bool
	PathPage
	EpistemicFilter
	RelationshipFilter
	Measures
}

// Validate reports every rule that q breaks.
func (q ConnectQuery) Validate() error {
	var r check.Rules
	r.Add("body", "from_id", check.ConceptID(q.FromID))
	r.Add("body", "to_id", check.ConceptID(q.ToID))
	r.Add("body", "max_hops", check.Range(q.MaxHops, 1, MaxConnectHops))
	r.Add("body", "min_epoch", check.MinEpoch(q.MinEpoch))
	q.EpistemicFilter.check(&r)
	q.RelationshipFilter.check(&r, "")
	q.PathPage.check(&r)
	q.Measures.check(&r, "body")
	r.Add("body", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// ConnectResult is the answer to a ConnectQuery: a page of paths, shortest first.
type ConnectResult struct {
	FromID  string `json:"from_id"`
	ToID    string `json:"to_id"`
	MaxHops int    `json:"max_hops"`
	Count   int    `json:"count"`
	Paths   []Path `json:"paths"`
	Epoch   int64  `json:"epoch"` // of the graph that was read
	ShownPaths
	Statistics   *QuestionStatistics `json:"statistics"` // null unless asked for
	Completeness                     // truncated: the search was cut at its limit of concepts
}

// Path is a chain of concepts. Relationships[i] joins Nodes[i] and Nodes[i+1];
// Forward[i] reports that it points that way.
type Path struct {
	Nodes         []PathNode `json:"nodes"`
	Relationships []string   `json:"relationships"`
	Forward       []bool     `json:"forward"`
	Hops          int        `json:"hops"`
	// Evidence has the surest sentences that state each relationship; null unless asked for.
	Evidence [][]knowledge.EdgeEvidence `json:"relationship_evidence"`
}

// PathNode is a concept on a path.
type PathNode struct {
	ID          string               `json:"id"`
	Label       string               `json:"label"`
	Description *string              `json:"description"`
	Sample      []knowledge.Evidence `json:"sample_evidence"`
	knowledge.Grounding
}
