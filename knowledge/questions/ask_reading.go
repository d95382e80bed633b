package questions

import (
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// AskReading is what an answer reads of the tables, at once.
type AskReading struct {
	Passages   []int32  // by number, in the order of the answer
	Phrases    []string // of the question, which may name concepts
	Restricted bool     // only what documents of Ontologies say
	Ontologies []int32
	// Since is when the passages were found, where it is to be said whether they are as they
	// were then; nil asks nothing.
	Since *knowledge.PassagesMark
	// OneOntology says that there was no more than one then.
	OneOntology bool
}

// AskRead is what was read. What has gone meanwhile is left out.
type AskRead struct {
	Passages []corpus.ShownPassage // in the order that was asked for; their documents have no Title
	Concepts []AskReadConcept      // those that the question names first
	Edges    []AskReadEdge         // that the passages state: what is only RELATED_TO comes last
	// Changed reports whether passages have changed since AskReading.Since; and Epoch is that of
	// the graph at which they have not.
	Changed bool
	Epoch   int64
}

// AskReadEdge is a relationship with the numbers of its ends.
type AskReadEdge struct {
	AskRelationship
	From, To int
}

// Edge returns the relationship as its sentences are asked for.
func (e AskReadEdge) Edge() knowledge.Edge {
	return knowledge.Edge{From: e.From, To: e.To, Type: e.Type, Confidence: e.Confidence, Forward: true}
}

// AskReadConcept is a concept that a question names, or that passages of its answer show.
type AskReadConcept struct {
	ConceptID, Label, Description string
	Named                         bool     // by a phrase of the question
	Names                         []string // the phrases that name it
}

// AskDocuments asks which documents a question may be answered from.
type AskDocuments struct {
	DocumentIDs []string
	Types       []corpus.ContentType // without parameters
	Since       time.Time            // zero is any time
}
