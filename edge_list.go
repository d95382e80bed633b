package kappa

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
	var r rules
	r.addOptionalID("from_concept_id", f.FromID)
	r.addOptionalID("to_concept_id", f.ToID)
	r.add("query", "relationship_type", checkOptionalName(f.Type, maxRelationshipTypeName))
	r.add("query", "ontology", checkOptionalName(f.Ontology, MaxOntologyName))
	r.add("query", "min_confidence", checkShare(f.MinConfidence))
	r.add("query", "limit", checkRange(f.Limit, 1, MaxEdgeList))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	r.add("query", "cursor", checkCursor(ListEdges, f.Cursor, EdgeKeys, f.Offset))
	return r.err()
}

// addOptionalID adds the rule that the id of a concept breaks; it may be missing.
func (r *rules) addOptionalID(name, id string) {
	if id != "" {
		r.add("query", name, checkConceptID(id))
	}
}

// ListedEdge is a relationship in a list, and where it comes from.
type ListedEdge struct {
	SubgraphEdge
	FromLabel string `json:"from_label"`
	ToLabel   string `json:"to_label"`
	Category  string `json:"category"`
	CreatedAt Time   `json:"created_at"`
	Sources   int    `json:"source_count"`   // chunks in which it was read
	Documents int    `json:"document_count"` // documents of these chunks
	Place     Cursor `json:"-"`              // in the list
}
