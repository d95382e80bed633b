package graph

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// surveyor analyses the graph, or an ontology, as a whole. An unknown ontology is
// CodeNotFound.
type surveyor interface {
	Centrality(ctx context.Context, q questions.CentralityQuery) (questions.Centrality, error)
	Communities(ctx context.Context, q questions.CommunitiesQuery) (questions.Communities, error)
}

type centralityInput struct {
	Body struct {
		_        struct{} `additionalProperties:"false"`
		Ontology *string  `json:"ontology,omitempty" doc:"Only its concepts; default: the whole graph"`
		Limit    *int     `json:"limit,omitempty" default:"20" doc:"1 to 1000"`
	}
}

type communitiesInput struct {
	Body struct {
		_          struct{} `additionalProperties:"false"`
		Ontology   *string  `json:"ontology,omitempty" doc:"Only its concepts; default: the whole graph"`
		Resolution *float64 `json:"resolution,omitempty" default:"1" doc:"Above 1: more and smaller communities"`
		Limit      *int     `json:"limit,omitempty" default:"20" doc:"Communities, 1 to 1000"`
		PerGroup   *int     `json:"per_community,omitempty" default:"5" doc:"Concepts shown of each, 1 to 100"`
	}
}

type aboutInput struct {
	Name string `path:"name" doc:"The name of an ontology"`
}

// The size of a short answer to what an ontology is about.
const (
	aboutCommunities = 10
	aboutConcepts    = 5
)

func (a *API) registerSurvey(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/graph/centrality", Permission: access.GraphRead, ByRow: true, ID: "graph.centrality", Summary: "Rank the concepts by how much in the centre they are"}, a.centrality)
	http.Register(r, http.Route{Method: "POST", Path: "/graph/communities", Permission: access.GraphRead, ByRow: true, ID: "graph.communities", Summary: "Find the concepts that belong together"}, a.communities)
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}/about", Permission: access.GraphRead, ByRow: true, ID: "graph.about", Summary: "Say what an ontology is about"}, a.about)
}

func (a *API) centrality(ctx context.Context, in *centralityInput) (questions.Centrality, error) {
	q := questions.CentralityQuery{Ontology: http.Or(in.Body.Ontology, ""), Limit: *in.Body.Limit}
	if err := q.Validate(); err != nil {
		return questions.Centrality{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.Centrality{}, err
	}
	return a.cfg.Surveyor.Centrality(ctx, q)
}

func (a *API) communities(ctx context.Context, in *communitiesInput) (questions.Communities, error) {
	b := in.Body
	q := questions.CommunitiesQuery{Ontology: http.Or(b.Ontology, ""), Resolution: *b.Resolution, Limit: *b.Limit, PerGroup: *b.PerGroup}
	if err := q.Validate(); err != nil {
		return questions.Communities{}, err
	}
	return a.group(ctx, q)
}

func (a *API) about(ctx context.Context, in *aboutInput) (questions.Communities, error) {
	q := questions.CommunitiesQuery{Ontology: in.Name, Resolution: 1, Limit: aboutCommunities, PerGroup: aboutConcepts}
	if !http.Storable(in.Name) || in.Name == "" || q.Validate() != nil {
		return questions.Communities{}, kappa.NewError(kappa.CodeNotFound, "Ontology '"+http.Printable(in.Name)+"' does not exist")
	}
	return a.group(ctx, q)
}

func (a *API) group(ctx context.Context, q questions.CommunitiesQuery) (questions.Communities, error) {
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.Communities{}, err
	}
	return a.cfg.Surveyor.Communities(ctx, q)
}
