package graph

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/graph/export"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Viewer calls read with the graph as of one moment, and returns its error. What
// is read ends with the deadline of ctx, on the server too; the error of that wraps
// context.DeadlineExceeded. The Snapshot is of no use after the call.
type Viewer func(ctx context.Context, read func(s Snapshot) error) error

// Snapshot is the graph as of one moment, for one goroutine. It is made of small
// parts, one for each kind of query.
type Snapshot interface { //nolint:interfacebloat // small parts, one for each kind of query
	reader
	expander
	concepts
	placer
	counter
	surveyor
	exporter
	tabulator
	assessor
	divider
}

// divider reads what one ontology says, by its number.
type divider interface {
	// Part gives a sink the types, the concepts that the ontology shows, and then the
	// relationships that were read in it; see knowledge.GraphSink.
	Part(ctx context.Context, ontology int, sink knowledge.GraphSink) error
	// PartMark says whether that is what it was at an epoch.
	PartMark(ctx context.Context, ontology int, since int64) (questions.PartMark, error)
	PartProvenance(ctx context.Context, id, ontology, most int) ([]questions.ProvenanceDocument, error)
	// PartRelationships shows edges that point away from one concept, without the names of
	// their ends.
	PartRelationships(ctx context.Context, edges []knowledge.Edge, ontology int) ([]questions.ConceptRelationship, error)
	// PartEdge is ShowEdge without the names of the ends.
	PartEdge(ctx context.Context, q questions.EdgeEvidenceQuery, from, to, ontology int) (edge questions.ListedEdge, sentences int, err error)
}

// hider chooses what is read.
type hider interface {
	// HideWeak leaves weak relationships out of what Neighbors, EdgesAround, EdgesBetween,
	// StrongestNeighbors and EdgesAmong read from now on; see vocabulary.LeastRelated.
	HideWeak()
	// LeastConfidence likewise leaves less certain relationships of all types out.
	LeastConfidence(least float64)
	// Heading likewise has Neighbors, EdgesAround, EdgesBetween and StrongestNeighbors follow
	// relationships one way, or both.
	Heading(d questions.Heading)
}

// view is what one query reads, and how much of it.
type view struct {
	Snapshot
	limits limits
	memory inMemory
	tables *tables
	parts  *parts

	ontology int // the one that is seen, by its number; 0 = all

	only      []string // the relationship types of paths; empty = all
	direction questions.Heading
	perHop    int // concepts that a hop takes; 0 = all
	measures  questions.Measures
	measured  *diversities
}

// reader reads concepts by number, and the relationships around them. Numbers
// that no concept has are left out. A list that is cut keeps what says most, or
// for quotes what stands first.
type reader interface {
	summarizer
	ConceptOntologies(ctx context.Context, ids []int) (map[int][]string, error)
	ConceptEvidence(ctx context.Context, ids []int, most int) (map[int][]knowledge.Evidence, error)
	// NarrowedConcepts returns what an ontology alone says of those that it shows.
	NarrowedConcepts(ctx context.Context, ids []int, ontology string, quotes int) (map[int]questions.Narrowed, error)
	// NarrowedCounted is NarrowedConcepts of those that it shows, and has counted.
	NarrowedCounted(ctx context.Context, counted []knowledge.ConceptEvidence, ontology string, quotes int) (map[int]questions.Narrowed, error)
	librarian
	walker
	hider
}

// summarizer finds concepts by their ids, and says what they are called.
type summarizer interface {
	ConceptNumber(ctx context.Context, conceptID string) (int, error)
	ConceptSummaries(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error)
	ConceptNames(ctx context.Context, ids []int) (map[int]knowledge.ConceptSummary, error)
}

// librarian reads the documents and chunks that show a concept.
type librarian interface {
	ConceptProvenance(ctx context.Context, id, most int) ([]questions.ProvenanceDocument, error)
	SourceTexts(ctx context.Context, sourceIDs []string) (map[string]string, error)
}

// expander reads levels by number alone, and lets other connections read the same
// moment. A read that fails does not spoil the Snapshot.
type expander interface {
	Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error)
	Share(ctx context.Context) (questions.Beside, error)
	// Bounded runs read, which reads the Snapshot, for no longer than within. A read that
	// is late or fails does not spoil the Snapshot; the error of a late one wraps
	// context.DeadlineExceeded.
	Bounded(ctx context.Context, within time.Duration, read func(ctx context.Context) error) error
}

// walker reads relationships: the outgoing ones of one concept to be shown, and in both
// directions those of a whole level of a walk, or of it only what leads to some concepts.
type walker interface {
	ConceptRelationships(ctx context.Context, id, most int) ([]questions.ConceptRelationship, error)
	EdgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error)
	EdgesBetween(ctx context.Context, q questions.BetweenQuery) ([]knowledge.Edge, error)
}

// assessor knows what was measured of relationship types.
type assessor interface {
	// TypeStatuses returns the epistemic status of every relationship type, "" for
	// one that was not measured yet.
	TypeStatuses(ctx context.Context) (map[string]string, error)
	// TypeProjections returns what relationships of a type add to the grounding of
	// their targets, by its number; a type that is not known yet adds nothing.
	TypeProjections(ctx context.Context) (map[int32]float64, error)
}

// concepts finds them: for a search, and for a list.
type concepts interface {
	searcher
	lister
}

// searcher finds the concepts that an answer may contain; their score is not
// its business.
type searcher interface {
	TermHits(ctx context.Context, terms []string, ontology *string, most int) ([]knowledge.TermHit, error)
	NearestConcepts(ctx context.Context, q knowledge.NearQuery) ([]int, error)
	CloseConcepts(ctx context.Context, queries []knowledge.NearQuery) ([][]int, error)
	ConceptEmbeddings(ctx context.Context, model string, ids []int) ([]knowledge.EmbeddedConcept, error)
}

// counter counts what the graph holds.
type counter interface {
	Ontologies(ctx context.Context) ([]ontologies.Ontology, error)
	GraphStats(ctx context.Context) (ontologies.GraphStats, error)
	GraphEpoch(ctx context.Context) (int64, error)
}

// surveyor reads the relationships of a part of the graph.
type surveyor interface {
	StrongestNeighbors(ctx context.Context, concepts []int, types []string, most int) ([]questions.NeighborEdge, error)
	EdgesAmong(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error)
	ListEdges(ctx context.Context, f questions.EdgeFilter, from, to int) (list []questions.ListedEdge, total int, err error)
	witness
}

// witness reads the sentences that state relationships.
type witness interface {
	// EdgeEvidence returns up to most sentences of each of the edges, after the first skip,
	// in one statement: those of an ontology, or of all when it is 0.
	EdgeEvidence(ctx context.Context, edges []knowledge.Edge, ontology, most, skip int) ([][]knowledge.EdgeEvidence, error)
	// ShowEdge returns an edge by the numbers of its ends, and how many sentences state it.
	ShowEdge(ctx context.Context, q questions.EdgeEvidenceQuery, from, to int) (edge questions.ListedEdge, sentences int, err error)
}

// tabulator reads the tables that the graph is exported as, row by row.
type tabulator interface {
	export.TableReader
	// TablesMark says what they are of.
	TablesMark(ctx context.Context) (questions.TablesMark, error)
}

// exporter reads a part of the graph that may be all of it. The number 0 stands for
// all ontologies.
type exporter interface {
	OntologyNumber(ctx context.Context, name string) (int, error)
	ConceptsOf(ctx context.Context, ontology int) ([]int, error)
	StrongestConcepts(ctx context.Context, concepts []int, most int) ([]int, error)
	EdgesFrom(ctx context.Context, q questions.EdgeSelection) ([]questions.SubgraphEdge, error)
	NetworkEdges(ctx context.Context, most int) ([]knowledge.Edge, error)
	NetworkEdgesIn(ctx context.Context, ontology, most int) ([]knowledge.Edge, error)
	DegreesIn(ctx context.Context, concepts []int, ontology int) (map[int]knowledge.ConceptSummary, error)
}
