package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/curation"
)

// Scores returns the scores of ontologies as they were last computed, the best
// protected first.
func (s Ontologies) Scores(ctx context.Context) ([]curation.Scores, error) {
	out, err := fetch[api.ScoreList](ctx, s.c, get("/ontology/scores", nil))
	return out.Scores, err
}

// ScoresOf returns the scores of an ontology as they were last computed. Its Error has
// kappa.CodeNotFound for one that is unknown, or was not scored yet.
func (s Ontologies) ScoresOf(ctx context.Context, name string) (curation.Scores, error) {
	return fetch[curation.Scores](ctx, s.c, get(ontologyPath(name)+"/scores", nil))
}

// Score scores an ontology now, or for "" all of them.
func (s Ontologies) Score(ctx context.Context, name string) ([]curation.Scores, error) {
	if name == "" {
		out, err := fetch[api.ScoreList](ctx, s.c, withForm("/ontology/scores", nil))
		return out.Scores, err
	}
	one, err := fetch[curation.Scores](ctx, s.c, withForm(ontologyPath(name)+"/scores", nil))
	if err != nil {
		return nil, err
	}
	return []curation.Scores{one}, nil
}

// Candidates returns the concepts of an ontology with the most relationships within
// it, which could be ontologies of their own.
func (s Ontologies) Candidates(ctx context.Context, name string, limit int) ([]curation.ConceptDegree, error) {
	out, err := fetch[api.CandidateList](ctx, s.c, get(ontologyPath(name)+"/candidates", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Concepts, err
}

// Affinity returns the ontologies that share the most concepts with one.
func (s Ontologies) Affinity(ctx context.Context, name string, limit int) ([]curation.Affinity, error) {
	out, err := fetch[api.AffinityList](ctx, s.c, get(ontologyPath(name)+"/affinity", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Affinities, err
}

// Edges returns how an ontology overlaps with others, as of the last annealing.
func (s Ontologies) Edges(ctx context.Context, name string) ([]curation.Edge, error) {
	out, err := fetch[api.OntologyEdges](ctx, s.c, get(ontologyPath(name)+"/edges", nil))
	return out.Edges, err
}

// ReassignSources moves chunks of an ontology to another one.
func (s Ontologies) ReassignSources(ctx context.Context, m curation.Reassignment) (api.Reassigned, error) {
	return fetchJSONOnce[api.Reassigned](ctx, s.c, http.MethodPost, ontologyPath(m.From)+"/reassign", map[string]any{"target_ontology": m.To, "source_ids": m.SourceIDs, "dry_run": m.DryRun})
}

// Dissolve moves all of an ontology to another one, after which it is gone.
func (s Ontologies) Dissolve(ctx context.Context, name, target string, dryRun bool) (api.Dissolved, error) {
	return fetchJSONOnce[api.Dissolved](ctx, s.c, http.MethodPost, ontologyPath(name)+"/dissolve", map[string]any{"target_ontology": target, "dry_run": dryRun})
}

// Anneal has all ontologies scored and changes proposed, by a job, and does not wait for it.
func (s Ontologies) Anneal(ctx context.Context, o curation.Annealing) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/ontology/annealing-cycle", struct {
		curation.Annealing
		Wait bool `json:"wait"`
	}{Annealing: o})
}

func proposalPath(id int) string { return "/ontology/proposals/" + strconv.Itoa(id) }
