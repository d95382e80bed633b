package annealing

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
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

type ontologyScoreList struct {
	Count  int               `json:"count"`
	Epoch  int64             `json:"global_epoch" doc:"Of the graph; scores of an earlier one may have changed since"`
	Scores []curation.Scores `json:"scores" doc:"The best protected first"`
}

func (a *API) listScores(ctx context.Context, _ *struct{}) (ontologyScoreList, error) {
	list, err := a.cfg.Scorer.Scores(ctx, "")
	if err != nil {
		return ontologyScoreList{}, err
	}
	return a.scored(ctx, list)
}

func (a *API) scoreAll(ctx context.Context, _ *struct{}) (ontologyScoreList, error) {
	list, err := a.cfg.Scorer.Score(ctx, "", every)
	if err != nil {
		return ontologyScoreList{}, err
	}
	return a.scored(ctx, list)
}

func (a *API) scored(ctx context.Context, list []curation.Scores) (ontologyScoreList, error) {
	epoch, err := a.cfg.Scorer.Epoch(ctx)
	return ontologyScoreList{len(list), epoch, http.NotNil(list)}, err
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

type candidateList struct {
	Ontology string                   `json:"ontology"`
	Count    int                      `json:"count"`
	Concepts []curation.ConceptDegree `json:"concepts" doc:"Those with the most relationships within it first"`
}

func (a *API) candidates(ctx context.Context, in *candidatesInput) (candidateList, error) {
	if err := check.Limit(in.Limit, maxListed); err != nil {
		return candidateList{}, err
	}
	if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
		return candidateList{}, err
	}
	list, err := a.cfg.Scorer.Candidates(ctx, in.Name, in.Limit)
	return candidateList{in.Name, len(list), http.NotNil(list)}, err
}

type affinityInput struct {
	Name  string `path:"name" doc:"The name, percent-encoded"`
	Limit int    `query:"limit" default:"10" doc:"1 to 100"`
}

type affinityList struct {
	Ontology   string              `json:"ontology"`
	Count      int                 `json:"count"`
	Affinities []curation.Affinity `json:"affinities" doc:"The ontologies that share the most first"`
}

func (a *API) affinity(ctx context.Context, in *affinityInput) (affinityList, error) {
	if err := check.Limit(in.Limit, maxListed); err != nil {
		return affinityList{}, err
	}
	list, err := a.cfg.Scorer.Affinity(ctx, in.Name, in.Limit)
	return affinityList{in.Name, len(list), http.NotNil(list)}, err
}

type ontologyEdgeList struct {
	Ontology string          `json:"ontology"`
	Count    int             `json:"count"`
	Edges    []curation.Edge `json:"edges" doc:"As of the last annealing"`
}

func (a *API) edges(ctx context.Context, in *ontologyInput) (ontologyEdgeList, error) {
	list, err := a.cfg.Scorer.Edges(ctx, in.Name)
	return ontologyEdgeList{in.Name, len(list), http.NotNil(list)}, err
}
