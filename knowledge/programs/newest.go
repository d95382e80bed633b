package programs

import "github.com/kappagraph/kappa"

// NewestConcept is a concept among those that were made last.
type NewestConcept struct {
	ConceptID      string
	Label          string
	Description    string
	SearchTerms    []string
	Ontology       string // the first by name, or the one that was asked for; "" without any
	CreationMethod string
	CreatedAt      kappa.Time
}

// MaxNewestConcepts is how many of the newest concepts one answer shows at most.
const MaxNewestConcepts = 500
