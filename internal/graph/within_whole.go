package graph

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa"
)

// errWhole reports a read of the whole graph within an ontology, a mistake of this package.
var errWhole = errors.New("the whole graph is not read within an ontology")

// whole are the reads of a Snapshot that no question within an ontology makes. They fail.
type whole struct{}

func (whole) NarrowedConcepts(context.Context, []int, string, int) (map[int]kappa.Narrowed, error) {
	return nil, errWhole
}

func (whole) Share(context.Context) (kappa.Beside, error) { return nil, errWhole }

func (whole) ConceptsByEvidence(context.Context, kappa.ConceptFilter) ([]kappa.ConceptEvidence, int, error) {
	return nil, 0, errWhole
}

func (whole) Ontologies(context.Context) ([]kappa.Ontology, error) { return nil, errWhole }

func (whole) GraphStats(context.Context) (kappa.GraphStats, error) {
	return kappa.GraphStats{}, errWhole
}

func (whole) ListEdges(context.Context, kappa.EdgeFilter, int, int) ([]kappa.ListedEdge, int, error) {
	return nil, 0, errWhole
}

func (whole) OntologyNumber(context.Context, string) (int, error) { return 0, errWhole }

func (whole) ConceptsOf(context.Context, int) ([]int, error) { return nil, errWhole }

func (whole) StrongestConcepts(context.Context, []int, int) ([]int, error) { return nil, errWhole }

func (whole) EdgesFrom(context.Context, kappa.EdgeSelection) ([]kappa.SubgraphEdge, error) {
	return nil, errWhole
}

func (whole) NetworkEdges(context.Context, int) ([]kappa.Edge, error) { return nil, errWhole }

func (whole) NetworkEdgesIn(context.Context, int, int) ([]kappa.Edge, error) { return nil, errWhole }

func (whole) DegreesIn(context.Context, []int, int) (map[int]kappa.ConceptSummary, error) {
	return nil, errWhole
}

func (whole) Part(context.Context, int, kappa.GraphSink) error { return errWhole }

func (whole) PartProvenance(context.Context, int, int, int) ([]kappa.ProvenanceDocument, error) {
	return nil, errWhole
}

func (whole) PartRelationships(context.Context, []kappa.Edge, int) ([]kappa.ConceptRelationship, error) {
	return nil, errWhole
}

func (whole) PartEdge(context.Context, kappa.EdgeEvidenceQuery, int, int, int) (kappa.ListedEdge, int, error) {
	return kappa.ListedEdge{}, 0, errWhole
}
