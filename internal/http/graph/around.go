package graph

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

type aroundInput struct{ Body aroundRequest }

type aroundRequest struct {
	SeedIDs  []string `json:"seed_ids" doc:"Concepts to start from, 1 to 100"`
	MaxHops  *int     `json:"max_hops,omitempty" default:"2" doc:"1 to 5"`
	Limit    *int     `json:"limit,omitempty" default:"100" doc:"Concepts of the page, 1 to 1000"`
	Offset   *int     `json:"offset,omitempty" default:"0"`
	Ontology *string  `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MinEpoch *int64   `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	StatisticsOption
	EpistemicFilters
	RelationshipFilters
	GroundingOptions
}

func (a *API) around(ctx context.Context, in *aroundInput) (questions.Around, error) {
	b := in.Body
	q := questions.AroundQuery{
		SeedIDs: b.SeedIDs, MaxHops: *b.MaxHops, Limit: *b.Limit, Offset: *b.Offset, Ontology: http.Or(b.Ontology, ""), MinEpoch: b.MinEpoch, IncludeStatistics: *b.IncludeStatistics,
		EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
	if err := q.Validate(); err != nil {
		return questions.Around{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.Around{}, err
	}
	found, err := a.cfg.Explorer.Around(ctx, q)
	found.SeedIDs, found.PerHop, found.Results = http.NotNil(found.SeedIDs), http.NotNil(found.PerHop), http.NotNil(found.Results)
	return found, err
}
