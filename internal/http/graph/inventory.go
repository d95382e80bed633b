package graph

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/storage"
)

// inventory tells what the graph holds.
type inventory interface {
	Ontologies(ctx context.Context) ([]ontologies.Ontology, error)
	Stats(ctx context.Context) (ontologies.GraphStats, error)
	Epoch(ctx context.Context) (int64, error)
	// SinceMeasurement says how much has changed since the vocabulary was measured.
	SinceMeasurement(ctx context.Context) (knowledge.GraphMetrics, error)
	// ListConcepts returns the concepts that f selects, and how many there
	// are in all.
	ListConcepts(ctx context.Context, f questions.ConceptFilter) (concepts []questions.ListedConcept, total int, err error)
}

type epochReport struct {
	Epoch int64 `json:"epoch" doc:"Grows with every change of the graph"`
}

// statsAnswer counts what the graph holds; the counts besides are those that agents of
// another service read.
type statsAnswer struct {
	ontologies.GraphStats
	Metrics    knowledge.GraphMetrics `json:"metrics"`
	GraphName  string                 `json:"graph_name"`
	Concepts   int                    `json:"concept_count"`
	Sources    int                    `json:"source_count"`
	Instances  int                    `json:"instance_count"`
	TotalNodes int                    `json:"total_node_count" doc:"Concepts, chunks and quotes"`
	TotalEdges int                    `json:"total_edge_count"`
	Ontologies []ontologyStats        `json:"ontologies"`
}

type ontologyStats struct {
	Name     string `json:"ontology_name"`
	Concepts int    `json:"concept_count"`
}

type conceptListInput struct {
	Ontology       string `query:"ontology" doc:"Only concepts with a source in it"`
	LabelContains  string `query:"label_contains" doc:"Only concepts with this in their label, in whatever case"`
	CreationMethod string `query:"creation_method" doc:"Only concepts that came about this way: llm_extraction, human or agent"`
	Sort           string `query:"sort" default:"evidence" doc:"Only evidence, the number of quotes, for now"`
	Limit          int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset         int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor         string `query:"cursor" doc:"next_cursor of the page before; not with offset"`
}

func (a *API) registerInventory(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/", Permission: access.OntologiesRead, ByRow: true, ID: "graph.ontologies", Summary: "List the ontologies"},
		func(ctx context.Context, _ *struct{}) (api.OntologyList, error) {
			list, err := a.cfg.Inventory.Ontologies(ctx)
			p := http.PrincipalOf(ctx)
			list = slices.DeleteFunc(list, func(o ontologies.Ontology) bool { return p.PermitRow(access.OntologiesRead, o.Row()) != nil })
			return api.OntologyList{Count: len(list), Ontologies: list}, err
		})
	http.Register(r, http.Route{Method: "GET", Path: "/concepts", Permission: access.GraphRead, ByRow: true, ID: "graph.concepts", Summary: "List the concepts with the most evidence"}, a.listConcepts)
	http.Register(r, http.Route{Method: "GET", Path: "/database/stats", Permission: access.DatabaseRead, ID: "graph.stats", Summary: "Count what the graph holds"},
		func(ctx context.Context, _ *struct{}) (statsAnswer, error) { return a.stats(ctx) })
	http.Register(r, http.Route{Method: "GET", Path: "/database/epoch", Permission: access.AnyUser, ID: "graph.epoch", Summary: "Show how often the graph has changed"},
		func(ctx context.Context, _ *struct{}) (epochReport, error) {
			epoch, err := a.cfg.Inventory.Epoch(ctx)
			return epochReport{Epoch: epoch}, err
		})
}

func (a *API) stats(ctx context.Context) (statsAnswer, error) {
	stats, err := a.cfg.Inventory.Stats(ctx)
	if err != nil {
		return statsAnswer{}, err
	}
	metrics, err := a.cfg.Inventory.SinceMeasurement(ctx)
	if err != nil {
		return statsAnswer{}, err
	}
	ontologies, err := a.cfg.Inventory.Ontologies(ctx)
	n := stats.Nodes
	out := statsAnswer{
		GraphStats: stats, Metrics: metrics, GraphName: storage.GraphName, Concepts: n.Concepts, Sources: n.Sources, Instances: n.Instances,
		TotalNodes: n.Concepts + n.Sources + n.Instances, TotalEdges: stats.Relationships.Total, Ontologies: make([]ontologyStats, len(ontologies)),
	}
	for i, o := range ontologies {
		out.Ontologies[i] = ontologyStats{Name: o.Name, Concepts: o.ConceptCount}
	}
	return out, err
}

func (a *API) listConcepts(ctx context.Context, in *conceptListInput) (api.ConceptList, error) {
	filter := questions.ConceptFilter{
		Ontology: in.Ontology, LabelContains: in.LabelContains, CreationMethod: in.CreationMethod, Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor,
	}
	if err := filter.Validate(); err != nil {
		return api.ConceptList{}, err
	}
	if in.Sort != "evidence" {
		return api.ConceptList{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "sort", Rule: "must be evidence"})
	}
	if err := http.Narrow(ctx, access.GraphRead, &filter.Ontology); err != nil {
		return api.ConceptList{}, err
	}
	concepts, total, err := a.cfg.Inventory.ListConcepts(ctx, filter)
	return api.ConceptList{Concepts: concepts, Total: total, Offset: in.Offset, Limit: in.Limit, Next: http.NextCursor(concepts, in.Limit, func(c questions.ListedConcept) kappa.Cursor { return c.Place })}, err
}
