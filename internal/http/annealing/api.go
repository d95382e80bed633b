// Package annealing is the part of the HTTP API that scores ontologies, shows how they
// overlap, and decides about proposals to join or to split them.
package annealing

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// scorer measures ontologies. An unknown one is CodeNotFound.
type scorer interface {
	// Score scores one ontology, or for "" all, and keeps the scores.
	Score(ctx context.Context, name string, each func(done, of int) error) ([]curation.Scores, error)
	// Scores returns the scores that are kept.
	Scores(ctx context.Context, name string) ([]curation.Scores, error)
	Candidates(ctx context.Context, name string, most int) ([]curation.ConceptDegree, error)
	Affinity(ctx context.Context, name string, most int) ([]curation.Affinity, error)
	Edges(ctx context.Context, name string) ([]curation.Edge, error)
	// Epoch is that of the graph.
	Epoch(ctx context.Context) (int64, error)
}

// proposals are changes that were proposed. An unknown one is CodeNotFound.
type proposals interface {
	Proposals(ctx context.Context, f curation.ProposalFilter) ([]curation.Proposal, error)
	Proposal(ctx context.Context, id int) (curation.Proposal, error)
	UndoProposal(ctx context.Context, id int, by string) (curation.Proposal, error)
}

// reviewer decides about proposals; see annealing.Reviewer.
type reviewer interface {
	Review(ctx context.Context, v curation.ProposalReview, userID int) (curation.Proposal, error)
}

// mover moves chunks between ontologies at once.
type mover interface {
	// Reassign returns the number of the proposal that undoes it, 0 for a dry run.
	Reassign(ctx context.Context, r curation.Reassignment) (step curation.ProposalStep, proposal int, err error)
}

// nodes finds ontologies by their names.
type nodes interface {
	OntologyNode(ctx context.Context, name string) (ontologies.Node, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Scorer    scorer
	Proposals proposals
	Reviewer  reviewer
	Mover     mover
	Jobs      submitter
	Ends      awaiter
	Nodes     nodes
}

// API scores ontologies and keeps proposals.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	read := func(path, id, summary string) http.Route {
		return http.Route{Method: "GET", Path: path, Permission: access.OntologiesRead, ID: "ontologies." + id, Summary: summary}
	}
	write := func(path, id, summary string, submits bool) http.Route {
		return http.Route{Method: "POST", Path: path, Permission: access.OntologiesWrite, ID: "ontologies." + id, Summary: summary, Submits: submits}
	}
	ofRow := func(route http.Route) http.Route {
		route.ByRow = true
		return route
	}
	http.Register(r, read("/ontology/scores", "all-scores", "List the scores of the ontologies, as they were last computed"), a.listScores)
	http.Register(r, write("/ontology/scores", "score-all", "Score all ontologies now", false), a.scoreAll)
	http.Register(r, ofRow(read("/ontology/{name}/scores", "scores", "Show the scores of an ontology, as they were last computed")), a.scores)
	http.Register(r, ofRow(write("/ontology/{name}/scores", "score", "Score an ontology now", false)), a.score)
	http.Register(r, ofRow(read("/ontology/{name}/candidates", "candidates", "List the concepts that could be ontologies of their own")), a.candidates)
	http.Register(r, read("/ontology/{name}/affinity", "affinity", "List the ontologies that share concepts with one"), a.affinity)
	http.Register(r, read("/ontology/{name}/edges", "edges", "List how an ontology overlaps with others"), a.edges)
	http.Register(r, write("/ontology/{name}/reassign", "reassign", "Move chunks to another ontology", true), a.reassign)
	http.Register(r, write("/ontology/{name}/dissolve", "dissolve", "Move all of an ontology to another one", true), a.dissolve)
	http.Register(r, read("/ontology/proposals", "proposals", "List the proposals to join or to split ontologies, newest first"), a.listProposals)
	http.Register(r, read("/ontology/proposals/{id}", "proposal", "Show a proposal, and what has become of it"), a.proposal)
	http.Register(r, write("/ontology/proposals/{id}/review", "review-proposal", "Accept a proposal, which executes it in a job, or reject it", false), a.review)
	http.Register(r, write("/ontology/proposals/{id}/undo", "undo-proposal", "Undo what a proposal has changed", false), a.undo)
	cycle := write("/ontology/annealing-cycle", "anneal", "Score all ontologies and propose changes, in a job", true)
	cycle.AnswerWithin = http.AwaitingWithin
	http.Register(r, cycle, a.anneal)
	return http.CheckConfig("http/annealing", a.cfg)
}
