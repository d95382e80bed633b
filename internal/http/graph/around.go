package graph

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

type aroundInput struct{ Body api.AroundRequest }

func (a *API) around(ctx context.Context, in *aroundInput) (questions.Around, error) {
	q := in.Body.Question()
	if err := q.Validate(); err != nil {
		return questions.Around{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.Around{}, err
	}
	return a.cfg.Explorer.Around(ctx, q)
}
