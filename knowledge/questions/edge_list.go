package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxEdgeList is how many relationships one answer lists at most.
const MaxEdgeList = 500

// EdgeFilter selects relationships for a list. The zero value of each word selects
// all.
type EdgeFilter struct {
	FromID        string
	ToID          string
	Type          string
	Ontology      string  // only relationships that were read in it
	MinConfidence float64 // 0 to 1
	Limit         int     // 1 to 500
	Offset        int     // 0 or more
	Cursor        string  // of the page before; "" = the first one

	IncludeEvidence bool
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f EdgeFilter) Validate() error {
	var r check.Rules
	addOptionalID(&r, "from_concept_id", f.FromID)
	addOptionalID(&r, "to_concept_id", f.ToID)
	r.Add("query", "relationship_type", check.OptionalName(f.Type, check.MaxTypeName))
	r.Add("query", "ontology", check.OptionalName(f.Ontology, kappa.MaxOntologyName))
	r.Add("query", "min_confidence", check.Share(f.MinConfidence))
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxEdgeList))
	r.Add("query", "offset", check.Range(f.Offset, 0, check.MaxOffset))
	r.Add("query", "cursor", check.Cursor(kappa.ListEdges, f.Cursor, kappa.EdgeKeys, f.Offset))
	return r.Err()
}

// addOptionalID adds the rule that the id of a concept breaks; it may be missing.
func addOptionalID(r *check.Rules, name, id string) {
	if id != "" {
		r.Add("query", name, check.ConceptID(id))
	}
}

// ListedEdge is a relationship in a list, and where it comes from.
type ListedEdge struct {
	SubgraphEdge
	FromLabel string       `json:"from_label"`
	ToLabel   string       `json:"to_label"`
	Category  string       `json:"category"`
	CreatedAt kappa.Time   `json:"created_at"`
	Sources   int          `json:"source_count"`   // chunks in which it was read
	Documents int          `json:"document_count"` // documents of these chunks
	Place     kappa.Cursor `json:"-"`              // in the list
}
