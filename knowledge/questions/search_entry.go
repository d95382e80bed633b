package questions

import (
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// SearchEntry is what a search by meaning compares of a concept, for an index in
// memory.
type SearchEntry struct {
	ID         int // the concept's number
	ConceptID  string
	LabelKey   string   // the label in the form of naming.LabelKey
	Terms      []string // the label and the search terms, in the form of naming.LabelKey
	Ontologies []int    // the numbers of the ontologies that show it
	Embedding  models.Embedding
	Signature  models.Signature // of the embedding
}

// OpTouchConcept is a knowledge.GraphChange: what a SearchEntry has of Concept.Number may be
// another; of all concepts without a number.
const OpTouchConcept knowledge.GraphOp = "touch concept"

// OpShowConcept is a knowledge.GraphChange: the ontology shows Concept.Number, as it may have done
// before. That one does not any more is an OpTouchConcept.
const OpShowConcept knowledge.GraphOp = "show concept"

// SimilarConcept is a concept and how similar its embedding is to another one.
type SimilarConcept struct {
	ID        int
	ConceptID string
	Cosine    float64
}

// ShownConcepts is what lists show of concepts, by their numbers.
type ShownConcepts struct {
	Summaries  map[int]knowledge.ConceptSummary
	Ontologies map[int][]string // that show the concept, by name
	Evidence   map[int][]knowledge.Evidence
	Groundings map[int]knowledge.Grounding // how well they are supported
}
