package library

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// finder finds concepts, documents and passages by their words.
type finder interface {
	Find(ctx context.Context, q questions.FindQuery) (questions.FindAnswer, error)
}

func (a *API) registerFind(r *http.Router) {
	http.Register(r, http.Route{
		Method: "POST", Path: "/search", Permission: access.GraphRead, ByRow: true, ID: "query.find",
		Summary: "Find the concepts, documents and passages that have some words",
	}, a.findHits)
}

type findInput struct{ Body api.FindRequest }

func (a *API) findHits(ctx context.Context, in *findInput) (questions.FindAnswer, error) {
	q := in.Body.Asks()
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.FindAnswer{}, err
	}
	if err := http.NarrowSome(ctx, access.GraphRead, &q.Ontologies); err != nil {
		return questions.FindAnswer{}, err
	}
	return a.cfg.Finder.Find(ctx, q)
}
