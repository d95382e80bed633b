package graph

import (
	"cmp"
	"context"
	"io"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// explorer shows parts of the graph. Unknown concepts are CodeNotFound.
type explorer interface {
	ConnectBySearch(ctx context.Context, q questions.ConnectBySearchQuery) (questions.ConnectBySearchResult, error)
	EnrichedPath(ctx context.Context, q questions.EnrichedPathQuery) (questions.EnrichedPath, error)
	Neighborhood(ctx context.Context, q questions.NeighborhoodQuery) (questions.Neighborhood, error)
	Around(ctx context.Context, q questions.AroundQuery) (questions.Around, error)
	// ListEdges returns the relationships that f selects, and how many there are
	// in all.
	ListEdges(ctx context.Context, f questions.EdgeFilter) (edges []questions.ListedEdge, total int, err error)
	// Edge returns a relationship with a page of the sentences that state it.
	Edge(ctx context.Context, q questions.EdgeEvidenceQuery) (questions.EdgeDetails, error)
	// Export writes a graph to what begin returns. Before it calls that, its error can
	// still be answered.
	Export(ctx context.Context, q questions.ExportQuery, begin func(questions.Completeness) io.Writer) error
}

type connectBySearchInput struct{ Body api.ConnectBySearchRequest }

type enrichedPathInput struct{ Body api.EnrichedPathRequest }

type neighborhoodInput struct{ Body api.NeighborhoodRequest }

type edgeListInput struct {
	FromID        string  `query:"from_concept_id" doc:"Only relationships that point away from it"`
	ToID          string  `query:"to_concept_id" doc:"Only relationships that point to it"`
	Type          string  `query:"relationship_type" doc:"Only relationships of this type, in whatever case"`
	Ontology      string  `query:"ontology" doc:"Only relationships that were read in it"`
	MinConfidence float64 `query:"min_confidence" doc:"0 to 1"`
	Limit         int     `query:"limit" default:"50" doc:"1 to 500"`
	Offset        int     `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor        string  `query:"cursor" doc:"next_cursor of the page before; not with offset"`

	IncludeEvidence http.Flag `query:"include_evidence" doc:"Show the sentences that state each relationship, up to three of each"`
}

type edgeInput struct {
	From     string `path:"from" doc:"The id of the concept that it points away from"`
	Type     string `path:"type" doc:"Its relationship type"`
	To       string `path:"to" doc:"The id of the concept that it points to"`
	Ontology string `query:"ontology" doc:"Only what this one says"`
	Limit    int    `query:"limit" default:"20" doc:"Sentences at most, 1 to 200"`
	Offset   int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
}

func (a *API) registerExplorer(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/connect-by-search", Permission: access.GraphRead, ByRow: true, ID: "query.connect-by-search", Summary: "Find paths between the concepts that two phrases mean"}, a.connectBySearch)
	http.Register(r, http.Route{Method: "POST", Path: "/query/enriched-path", Permission: access.GraphRead, ByRow: true, ID: "query.enriched-path", Summary: "Find paths between two concepts, and what is around them"}, a.enrichedPath)
	http.Register(r, http.Route{Method: "POST", Path: "/query/neighborhood", Permission: access.GraphRead, ByRow: true, ID: "query.neighborhood", Summary: "Show the graph around a concept"}, a.neighborhood)
	http.Register(r, http.Route{Method: "POST", Path: "/query/within", Permission: access.GraphRead, ByRow: true, ID: "query.within", Summary: "Find the concepts within some relationships of any of several"}, a.around)
	http.Register(r, http.Route{Method: "GET", Path: "/edges", Permission: access.GraphRead, ByRow: true, ID: "graph.edges", Summary: "List the relationships"}, a.listEdges)
	http.Register(r, http.Route{Method: "GET", Path: "/edges/{from}/{type}/{to}", Permission: access.GraphRead, ByRow: true, ID: "graph.edge", Summary: "Show a relationship with the sentences that state it"}, a.edge)
	r.RegisterRaw(http.Route{Method: "GET", Path: "/graph/export", Permission: access.GraphRead, ByRow: true, ID: "graph.export", Summary: "Export a part of the graph as a file", Document: documentExport}, a.export)
}

func (a *API) connectBySearch(ctx context.Context, in *connectBySearchInput) (questions.ConnectBySearchResult, error) {
	q := in.Body.Question()
	if err := cmp.Or(notZero("limit", in.Body.Limit), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.ConnectBySearchResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.ConnectBySearchResult{}, err
	}
	return a.cfg.Explorer.ConnectBySearch(ctx, q)
}

func (a *API) enrichedPath(ctx context.Context, in *enrichedPathInput) (questions.EnrichedPath, error) {
	q := in.Body.Question()
	if err := cmp.Or(notZero("limit", in.Body.Limit), notZero("depth", in.Body.Depth), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.EnrichedPath{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.EnrichedPath{}, err
	}
	return a.cfg.Explorer.EnrichedPath(ctx, q)
}

func (a *API) neighborhood(ctx context.Context, in *neighborhoodInput) (questions.Neighborhood, error) {
	q := in.Body.Question()
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.Neighborhood{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.Neighborhood{}, err
	}
	return a.cfg.Explorer.Neighborhood(ctx, q)
}

func (a *API) listEdges(ctx context.Context, in *edgeListInput) (api.EdgeList, error) {
	filter := questions.EdgeFilter{
		FromID: in.FromID, ToID: in.ToID, Type: in.Type, Ontology: in.Ontology, MinConfidence: in.MinConfidence, Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor,
		IncludeEvidence: in.IncludeEvidence.On(),
	}
	if err := filter.Validate(); err != nil {
		return api.EdgeList{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &filter.Ontology); err != nil {
		return api.EdgeList{}, err
	}
	edges, total, err := a.cfg.Explorer.ListEdges(ctx, filter)
	return api.EdgeList{Edges: edges, Total: total, Offset: in.Offset, Limit: in.Limit, Next: http.NextCursor(edges, in.Limit, func(e questions.ListedEdge) kappa.Cursor { return e.Place })}, err
}

func (a *API) edge(ctx context.Context, in *edgeInput) (questions.EdgeDetails, error) {
	q := questions.EdgeEvidenceQuery{FromID: in.From, Type: in.Type, ToID: in.To, Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset}
	if err := q.Validate(); err != nil {
		return questions.EdgeDetails{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.EdgeDetails{}, err
	}
	found, err := a.cfg.Explorer.Edge(ctx, q)
	if found.Evidence == nil { // which was asked for
		found.Evidence = []knowledge.EdgeEvidence{}
	}
	return found, err
}
