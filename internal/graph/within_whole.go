package graph

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// errWhole reports a read of the whole graph within an ontology, a mistake of this package.
var errWhole = errors.New("the whole graph is not read within an ontology")

// whole are the reads of a Snapshot that no question within an ontology makes. They fail.
type whole struct{}

func (whole) NarrowedConcepts(context.Context, []int, string, int) (map[int]questions.Narrowed, error) {
	return nil, errWhole
}

func (whole) NarrowedCounted(context.Context, []knowledge.ConceptEvidence, string, int) (map[int]questions.Narrowed, error) {
	return nil, errWhole
}

func (whole) Share(context.Context) (questions.Beside, error) { return nil, errWhole }

func (whole) ConceptsByEvidence(context.Context, questions.ConceptFilter) ([]knowledge.ConceptEvidence, int, error) {
	return nil, 0, errWhole
}

func (whole) Ontologies(context.Context) ([]ontologies.Ontology, error) { return nil, errWhole }

func (whole) GraphStats(context.Context) (ontologies.GraphStats, error) {
	return ontologies.GraphStats{}, errWhole
}

func (whole) ListEdges(context.Context, questions.EdgeFilter, int, int) ([]questions.ListedEdge, int, error) {
	return nil, 0, errWhole
}

func (whole) OntologyNumber(context.Context, string) (int, error) { return 0, errWhole }

func (whole) ConceptsOf(context.Context, int) ([]int, error) { return nil, errWhole }

func (whole) StrongestConcepts(context.Context, []int, int) ([]int, error) { return nil, errWhole }

func (whole) EdgesFrom(context.Context, questions.EdgeSelection) ([]questions.SubgraphEdge, error) {
	return nil, errWhole
}

func (whole) NetworkEdges(context.Context, int) ([]knowledge.Edge, error) { return nil, errWhole }

func (whole) NetworkEdgesIn(context.Context, int, int) ([]knowledge.Edge, error) {
	return nil, errWhole
}

func (whole) DegreesIn(context.Context, []int, int) (map[int]knowledge.ConceptSummary, error) {
	return nil, errWhole
}

func (whole) Part(context.Context, int, knowledge.GraphSink) error { return errWhole }

func (whole) PartMark(context.Context, int, int64) (questions.PartMark, error) {
	return questions.PartMark{}, errWhole
}

func (whole) PartProvenance(context.Context, int, int, int) ([]questions.ProvenanceDocument, error) {
	return nil, errWhole
}

func (whole) PartRelationships(context.Context, []knowledge.Edge, int) ([]questions.ConceptRelationship, error) {
	return nil, errWhole
}

func (whole) PartEdge(context.Context, questions.EdgeEvidenceQuery, int, int, int) (questions.ListedEdge, int, error) {
	return questions.ListedEdge{}, 0, errWhole
}
