package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/curation"
)

// OntologyScores returns the scores of ontologies as they were last computed, the best
// protected first.
func (c *Client) OntologyScores(ctx context.Context) ([]curation.Scores, error) {
	out, err := fetch[scoreList](ctx, c, get("/ontology/scores", nil))
	return out.Scores, err
}

type scoreList struct {
	Scores []curation.Scores `json:"scores"`
}

// ScoresOf returns the scores of an ontology as they were last computed. Its Error has
// kappa.CodeNotFound for one that is unknown, or was not scored yet.
func (c *Client) ScoresOf(ctx context.Context, name string) (curation.Scores, error) {
	return fetch[curation.Scores](ctx, c, get(ontologyPath(name)+"/scores", nil))
}

// ScoreOntologies scores an ontology now, or for "" all of them.
func (c *Client) ScoreOntologies(ctx context.Context, name string) ([]curation.Scores, error) {
	if name == "" {
		out, err := fetch[scoreList](ctx, c, withForm("/ontology/scores", nil))
		return out.Scores, err
	}
	one, err := fetch[curation.Scores](ctx, c, withForm(ontologyPath(name)+"/scores", nil))
	if err != nil {
		return nil, err
	}
	return []curation.Scores{one}, nil
}

// OntologyCandidates returns the concepts of an ontology with the most relationships within
// it, which could be ontologies of their own.
func (c *Client) OntologyCandidates(ctx context.Context, name string, limit int) ([]curation.ConceptDegree, error) {
	out, err := fetch[struct {
		Concepts []curation.ConceptDegree `json:"concepts"`
	}](ctx, c, get(ontologyPath(name)+"/candidates", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Concepts, err
}

// OntologyAffinity returns the ontologies that share the most concepts with one.
func (c *Client) OntologyAffinity(ctx context.Context, name string, limit int) ([]curation.Affinity, error) {
	out, err := fetch[struct {
		Affinities []curation.Affinity `json:"affinities"`
	}](ctx, c, get(ontologyPath(name)+"/affinity", url.Values{"limit": {strconv.Itoa(limit)}}))
	return out.Affinities, err
}

// OntologyEdges returns how an ontology overlaps with others, as of the last annealing.
func (c *Client) OntologyEdges(ctx context.Context, name string) ([]curation.Edge, error) {
	out, err := fetch[struct {
		Edges []curation.Edge `json:"edges"`
	}](ctx, c, get(ontologyPath(name)+"/edges", nil))
	return out.Edges, err
}

// Moved says what was moved between ontologies, or by a dry run would be.
type Moved struct {
	Sources    int  `json:"sources_reassigned"`
	ProposalID int  `json:"proposal_id"` // what undoes it; 0 for a dry run
	DryRun     bool `json:"dry_run"`
}

// ReassignSources moves chunks of an ontology to another one.
func (c *Client) ReassignSources(ctx context.Context, m curation.Reassignment) (Moved, error) {
	return fetchJSONOnce[Moved](ctx, c, http.MethodPost, ontologyPath(m.From)+"/reassign", map[string]any{"target_ontology": m.To, "source_ids": m.SourceIDs, "dry_run": m.DryRun})
}

// DissolveOntology moves all of an ontology to another one, after which it is gone.
func (c *Client) DissolveOntology(ctx context.Context, name, target string, dryRun bool) (Moved, error) {
	return fetchJSONOnce[Moved](ctx, c, http.MethodPost, ontologyPath(name)+"/dissolve", map[string]any{"target_ontology": target, "dry_run": dryRun})
}

// Proposals returns proposals to join or to split ontologies, newest first.
func (c *Client) Proposals(ctx context.Context, f curation.ProposalFilter) ([]curation.Proposal, error) {
	query := url.Values{}
	for name, value := range map[string]string{"status": f.Status, "proposal_type": f.Kind, "ontology": f.Ontology} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	out, err := fetch[struct {
		Proposals []curation.Proposal `json:"proposals"`
	}](ctx, c, get("/ontology/proposals", query))
	return out.Proposals, err
}

// Proposal returns a proposal.
func (c *Client) Proposal(ctx context.Context, id int) (curation.Proposal, error) {
	return fetch[curation.Proposal](ctx, c, get(proposalPath(id), nil))
}

// ReviewProposal accepts a proposal, which a job then executes, or rejects it. Its Error has
// kappa.CodeConflict for one that is decided.
func (c *Client) ReviewProposal(ctx context.Context, id int, approve bool, notes string) (curation.Proposal, error) {
	status := curation.ProposalRejected
	if approve {
		status = curation.ProposalApproved
	}
	return fetchJSON[curation.Proposal](ctx, c, http.MethodPost, proposalPath(id)+"/review", map[string]string{"status": status, "notes": notes})
}

// UndoProposal undoes what a proposal has changed. Its Error has kappa.CodeConflict for one
// that a later one builds on.
func (c *Client) UndoProposal(ctx context.Context, id int) (curation.Proposal, error) {
	return fetch[curation.Proposal](ctx, c, withForm(proposalPath(id)+"/undo", nil))
}

// Anneal has all ontologies scored and changes proposed, by a job, and does not wait for it.
func (c *Client) Anneal(ctx context.Context, o curation.Annealing) (JobReply, error) {
	return fetchJSONOnce[JobReply](ctx, c, http.MethodPost, "/ontology/annealing-cycle", struct {
		curation.Annealing
		Wait bool `json:"wait"`
	}{Annealing: o})
}

func proposalPath(id int) string { return "/ontology/proposals/" + strconv.Itoa(id) }
