package knowledge

import (
	"math"

	"github.com/kappagraph/kappa/corpus/models"
)

// Edge is a relationship as a walk over the graph meets it: it leads from one
// concept to another, whichever way it points.
type Edge struct {
	From, To   int // the concepts' numbers, in the direction of the walk
	Type       string
	Confidence float64 // 0 to 1
	Forward    bool    // the relationship points from From to To
}

// FromReal returns a number that is stored in four bytes without the digits that
// it does not have there: 0.35 stays 0.35.
func FromReal(v float32) float64 { return math.Round(float64(v)*1e6) / 1e6 }

// ConceptSummary is what a list shows of a concept.
type ConceptSummary struct {
	ID          int // the concept's number
	ConceptID   string
	Label       string
	Description *string // nil when there is none
	SearchTerms []string
	Support
	Strength *float64 // grounding, -1 to 1; nil when it cannot be computed
}

// Grounding is how well the concept is supported.
func (c ConceptSummary) Grounding() Grounding { return c.Support.Grounding(c.Strength) }

// TermHit is a concept that bears a term by name.
type TermHit struct {
	ID        int
	ConceptID string
	Term      string // the naming.LabelKey that was asked for
	IsLabel   bool   // the term is the label, not one of the search terms
}

// EmbeddedConcept is a concept with its embedding.
type EmbeddedConcept struct {
	ID        int
	ConceptID string
	Embedding models.Embedding
}

// NearQuery asks for the concepts whose signatures differ least from a given
// one.
type NearQuery struct {
	Model     string // only embeddings of this model
	Signature models.Signature
	Ontology  *string // only concepts with a source in it
	Limit     int
}

// ConceptEvidence is a concept and how many chunks show it.
type ConceptEvidence struct {
	ID          int
	ConceptID   string
	Label       string
	Description *string // nil when there is none
	Sources     int
	Quotes      int

	SearchTerms    []string
	CreationMethod string
	HasEmbedding   bool
}
