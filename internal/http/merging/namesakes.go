package merging

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
)

// namesaker finds concepts of one name, and remembers which of them stay two. Unknown
// concepts are CodeNotFound.
type namesaker interface {
	Namesakes(ctx context.Context, apart bool, most int) ([]knowledge.Namesakes, error)
	KeepApart(ctx context.Context, k knowledge.NewKeptApart) error
	OfferAgain(ctx context.Context, a, b string) error
}

type namesakesInput struct {
	Apart bool `query:"apart" doc:"Those of which somebody said that they stay two, the last ones first"`
	Limit int  `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"1 to 1000"`
}

type keepApartInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		knowledge.NewKeptApart
	}
}

type offerAgainInput struct {
	A string `query:"a" doc:"The id of a concept" required:"true"`
	B string `query:"b" doc:"The id of the other one" required:"true"`
}

// registerNamesakes adds the routes of concepts of one name.
func (a *API) registerNamesakes(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/concepts/namesakes", Permission: access.ConceptsRead, ID: "graph.namesakes", Summary: "List concepts that have one name and are two"}, a.namesakes)
	http.Register(r, http.Route{Method: "POST", Path: "/concepts/namesakes", Submits: true, Permission: access.ConceptsWrite, ID: "graph.keep-apart", Summary: "Say that two concepts of one name stay two", Status: 201}, a.keepApart)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/concepts/namesakes", Permission: access.ConceptsWrite, ID: "graph.offer-again", Summary: "Take back that two concepts stay two"}, a.offerAgain)
}

func (a *API) namesakes(ctx context.Context, in *namesakesInput) (api.NamesakeList, error) {
	if err := check.Limit(in.Limit, knowledge.MaxNamesakes); err != nil {
		return api.NamesakeList{}, err
	}
	list, err := a.cfg.Namesaker.Namesakes(ctx, in.Apart, in.Limit)
	return api.NamesakeList{Namesakes: list}, err
}

func (a *API) keepApart(ctx context.Context, in *keepApartInput) (knowledge.NewKeptApart, error) {
	k := in.Body.NewKeptApart
	k.By = http.PrincipalOf(ctx).User.Username
	if err := k.Validate(); err != nil {
		return knowledge.NewKeptApart{}, err
	}
	return k, a.cfg.Namesaker.KeepApart(ctx, k)
}

func (a *API) offerAgain(ctx context.Context, in *offerAgainInput) error {
	if err := kappa.JoinInvalid(knowledge.CheckConceptID("query", "a", in.A), knowledge.CheckConceptID("query", "b", in.B)); err != nil {
		return err
	}
	return a.cfg.Namesaker.OfferAgain(ctx, in.A, in.B)
}
