package kappa

// SearchEntry is what a search by meaning compares of a concept, for an index in
// memory.
type SearchEntry struct {
	ID         int // the concept's number
	ConceptID  string
	LabelKey   string   // the label in the form of LabelKey
	Terms      []string // the label and the search terms, in the form of LabelKey
	Ontologies []int    // the numbers of the ontologies that show it
	Embedding  Embedding
	Signature  Signature // of the embedding
}

// OpTouchConcept is a GraphChange: what a SearchEntry has of Concept.Number may be
// another; of all concepts without a number.
const OpTouchConcept GraphOp = "touch concept"

// OpShowConcept is a GraphChange: the ontology shows Concept.Number, as it may have done
// before. That one does not any more is an OpTouchConcept.
const OpShowConcept GraphOp = "show concept"

// SimilarConcept is a concept and how similar its embedding is to another one.
type SimilarConcept struct {
	ID        int
	ConceptID string
	Cosine    float64
}

// ShownConcepts is what lists show of concepts, by their numbers.
type ShownConcepts struct {
	Summaries  map[int]ConceptSummary
	Ontologies map[int][]string // that show the concept, by name
	Evidence   map[int][]Evidence
	Groundings map[int]Grounding // how well they are supported
}
