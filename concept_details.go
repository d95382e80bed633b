package kappa

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
	// What was measured of the type; nil before its first measurement.
	AvgGrounding *float64 `json:"avg_grounding"`
	Status       *string  `json:"epistemic_status"`
}
