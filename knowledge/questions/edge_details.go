package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxEdgeEvidence is how many quotes of one relationship one answer lists at most.
const MaxEdgeEvidence = 200

// EdgeEvidenceQuery asks for a relationship with its quotes.
type EdgeEvidenceQuery struct {
	FromID string
	Type   string
	ToID   string
	Limit  int // quotes, 1 to 200
	Offset int // 0 or more

	Ontology string // what this one says alone; "" = all
}

// Validate reports every rule that q breaks, in the names of the API's path and query.
func (q EdgeEvidenceQuery) Validate() error {
	var r check.Rules
	r.Add("path", "from", check.ConceptID(q.FromID))
	r.Add("path", "type", check.Name(q.Type, check.MaxTypeName))
	r.Add("path", "to", check.ConceptID(q.ToID))
	r.Add("query", "limit", check.Range(q.Limit, 1, MaxEdgeEvidence))
	r.Add("query", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	return r.Err()
}

// EdgeDetails is a relationship with a page of the sentences that state it, the surest
// first.
type EdgeDetails struct {
	ListedEdge
	Total  int `json:"total"` // quotes in all
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}
