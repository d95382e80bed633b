package kappa

// ConceptFilter selects concepts for a list, those with the most evidence
// first. The zero value of Ontology selects all.
type ConceptFilter struct {
	Ontology string // only concepts with a source in it; "" = any
	Limit    int    // 1 to 100
	Offset   int    // 0 or more
}

// Validate reports every rule that f breaks, in the names of the API's query.
func (f ConceptFilter) Validate() error {
	var r rules
	r.add("query", "ontology", checkOptionalName(f.Ontology, MaxOntologyName))
	r.add("query", "limit", checkRange(f.Limit, 1, MaxSearchLimit))
	r.add("query", "offset", checkRange(f.Offset, 0, maxOffset))
	return r.err()
}

// ConceptDetails is a concept with its quotes and its outgoing relationships.
type ConceptDetails struct {
	ConceptID     string                `json:"concept_id"`
	Label         string                `json:"label"`
	Description   *string               `json:"description"`
	SearchTerms   []string              `json:"search_terms"`
	Documents     []string              `json:"documents"`
	Instances     []Evidence            `json:"instances"`
	Relationships []ConceptRelationship `json:"relationships"`
	Grounding
}

// ConceptRelationship is an outgoing relationship, one for each type and
// target.
type ConceptRelationship struct {
	ToID       string   `json:"to_id"`
	ToLabel    string   `json:"to_label"`
	Type       string   `json:"rel_type"`
	Category   *string  `json:"category"`
	Confidence *float64 `json:"confidence"`
	CreatedAt  Time     `json:"created_at"`
}
