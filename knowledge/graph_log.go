package knowledge

import "errors"

// ErrGraphReload reports that a reader of the graph's changes has to load the whole
// graph anew.
var ErrGraphReload = errors.New("the graph has to be loaded anew")

// GraphEdge is a relationship that points from one concept to another, in numbers.
type GraphEdge struct {
	Src, Dst   int32   // numbers of concepts
	Type       int32   // number of a relationship type
	Confidence float32 // 0 to 1
}

// GraphConcept is a concept's number and its id.
type GraphConcept struct {
	Number int32
	ID     string
}

// GraphType is a relationship type's number and its name.
type GraphType struct {
	Number int32
	Name   string
}

// GraphOp is what a GraphChange does.
type GraphOp string

// What changes of the graph do.
const (
	OpAddConcept    GraphOp = "add concept"    // Concept is there
	OpRemoveConcept GraphOp = "remove concept" // Concept.Number is no more; its edges go by changes of their own
	OpSetEdge       GraphOp = "set edge"       // Edge is there, with this confidence; it may have been there with another
	OpRemoveEdge    GraphOp = "remove edge"    // Edge is no more; its confidence does not matter
	OpTouchSource   GraphOp = "touch source"   // the passages of Source, or what is said of its document, may be others
	OpEmbedSource   GraphOp = "embed source"   // the passages of Source may have other embeddings
	OpReload        GraphOp = "reload"         // tables were changed in a way that no list of changes describes
)

// GraphChange is one change of the graph. It says what is true afterwards.
type GraphChange struct {
	Op       GraphOp
	Edge     GraphEdge
	Concept  GraphConcept
	Ontology int   // of questions.OpShowConcept: its number
	Source   int32 // of OpTouchSource and OpEmbedSource: the number of a chunk, which may be no more
}

// GraphMark is a moment of the graph, for its store.
type GraphMark struct {
	Epoch    int64
	Snapshot string // which transactions had ended
	Origin   string // in which incarnation of the tables
}

// GraphChanges are what was committed between two moments.
type GraphChanges struct {
	Until        GraphMark
	Changes      []GraphChange // in the order in which they apply
	Transactions int           // that made them
}

// PassagesTouched is what a reader of passages has missed between two moments.
type PassagesTouched struct {
	Until      GraphMark
	Sources    []int32 // numbers of the chunks whose passages, or whose document, have changed
	Ontologies int64   // a fingerprint of the names of all ontologies
}

// PassagesMark is a moment of the passages.
type PassagesMark struct {
	GraphMark

	Ontologies int64 // as in PassagesTouched
}

// GraphSink takes a whole graph. An error of it ends the loading.
type GraphSink interface {
	AddType(t GraphType) error
	AddConcept(c GraphConcept) error
	AddEdge(e GraphEdge) error
}
