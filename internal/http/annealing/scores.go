package annealing

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
)

// maxListed is how many concepts or ontologies one answer lists at most.
const maxListed = 100

type ontologyInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
}

// permit returns a CodeForbidden Error unless the principal of the request has a permission
// for the ontology.
func (a *API) permit(ctx context.Context, permission access.Permission, name string) error {
	_, err := http.PermittedOntology(ctx, permission, name, a.cfg.Nodes.OntologyNode)
	return err
}

func (a *API) listScores(ctx context.Context, _ *struct{}) (api.ScoreList, error) {
	list, err := a.cfg.Scorer.Scores(ctx, "")
	if err != nil {
		return api.ScoreList{}, err
	}
	return a.scored(ctx, list)
}

func (a *API) scoreAll(ctx context.Context, _ *struct{}) (api.ScoreList, error) {
	list, err := a.cfg.Scorer.Score(ctx, "", every)
	if err != nil {
		return api.ScoreList{}, err
	}
	return a.scored(ctx, list)
}

func (a *API) scored(ctx context.Context, list []curation.Scores) (api.ScoreList, error) {
	epoch, err := a.cfg.Scorer.Epoch(ctx)
	return api.ScoreList{Count: len(list), Epoch: epoch, Scores: list}, err
}

// every goes on after each ontology: the context ends it.
func every(int, int) error { return nil }

func (a *API) scores(ctx context.Context, in *ontologyInput) (curation.Scores, error) {
	if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
		return curation.Scores{}, err
	}
	list, err := a.cfg.Scorer.Scores(ctx, in.Name)
	if err == nil && len(list) == 0 {
		err = kappa.NewError(kappa.CodeNotFound, "Ontology '"+http.Printable(in.Name)+"' was not scored yet: POST the same path")
	}
	return first(list), err
}

func (a *API) score(ctx context.Context, in *ontologyInput) (curation.Scores, error) {
	if err := a.permit(ctx, access.OntologiesWrite, in.Name); err != nil {
		return curation.Scores{}, err
	}
	list, err := a.cfg.Scorer.Score(ctx, in.Name, every)
	return first(list), err
}

func first(list []curation.Scores) curation.Scores {
	if len(list) == 0 {
		return curation.Scores{}
	}
	return list[0]
}

type candidatesInput struct {
	Name  string `path:"name" doc:"The name, percent-encoded"`
	Limit int    `query:"limit" default:"20" doc:"1 to 100"`
}

func (a *API) candidates(ctx context.Context, in *candidatesInput) (api.CandidateList, error) {
	if err := check.Limit(in.Limit, maxListed); err != nil {
		return api.CandidateList{}, err
	}
	if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
		return api.CandidateList{}, err
	}
	list, err := a.cfg.Scorer.Candidates(ctx, in.Name, in.Limit)
	return api.CandidateList{Ontology: in.Name, Count: len(list), Concepts: list}, err
}

type affinityInput struct {
	Name  string `path:"name" doc:"The name, percent-encoded"`
	Limit int    `query:"limit" default:"10" doc:"1 to 100"`
}

func (a *API) affinity(ctx context.Context, in *affinityInput) (api.AffinityList, error) {
	if err := check.Limit(in.Limit, maxListed); err != nil {
		return api.AffinityList{}, err
	}
	list, err := a.cfg.Scorer.Affinity(ctx, in.Name, in.Limit)
	return api.AffinityList{Ontology: in.Name, Count: len(list), Affinities: list}, err
}

func (a *API) edges(ctx context.Context, in *ontologyInput) (api.OntologyEdges, error) {
	list, err := a.cfg.Scorer.Edges(ctx, in.Name)
	return api.OntologyEdges{Ontology: in.Name, Count: len(list), Edges: list}, err
}
