package library

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
)

// removals takes documents out of the graph.
type removals interface {
	// RemoveDocument removes a document, or changes nothing and returns the texts whose
	// embeddings it needs besides.
	RemoveDocument(ctx context.Context, r kappa.Removal, embedded kappa.NewEmbeddings) (kappa.Removed, []string, error)
}

// ontologies deletes ontologies, in the same way; a large one in parts.
type ontologies interface {
	BeginRemoval(ctx context.Context, r kappa.OntologyRemoval) (*kappa.OntologyRemovalJob, kappa.RemovedOntology, error)
	RemoveOntologyPart(ctx context.Context, c kappa.Claim, job kappa.OntologyRemovalJob, so kappa.OntologyRemovalStep, embedded kappa.NewEmbeddings, next func(kappa.OntologyRemovalStep) kappa.Checkpoint) (kappa.OntologyRemovalStep, []string, error)
	RemoveOntology(ctx context.Context, r kappa.OntologyRemoval, embedded kappa.NewEmbeddings) (kappa.RemovedOntology, []string, error)
}

// jobs are submitted.
type jobs interface {
	SubmitJob(ctx context.Context, j kappa.NewJob) (kappa.Job, error)
}

// Remover takes documents and ontologies out of the graph. It is safe for concurrent use.
type Remover struct {
	store      removals
	ontologies ontologies
	jobs       jobs
	embedder   kappa.Embedder
}

// NewRemover returns a Remover; e embeds the names of concepts that other documents call
// otherwise than the one that is removed, and j takes the jobs that delete what is large.
func NewRemover(s removals, o ontologies, j jobs, e kappa.Embedder) *Remover {
	return &Remover{store: s, ontologies: o, jobs: j, embedder: e}
}

const mostRounds = 20 // of embedding what a removal lacks, while the graph changes

// RemoveDocument takes a document out, with all that no other document supports, at once
// or not at all. It returns the errors of the store, and CodeUnavailable when the
// embedding model fails.
func (r *Remover) RemoveDocument(ctx context.Context, removal kappa.Removal) (out kappa.Removed, err error) {
	err = r.embedding(ctx, func(embedded kappa.NewEmbeddings) (missing []string, err error) {
		out, missing, err = r.store.RemoveDocument(ctx, removal, embedded)
		return missing, err
	})
	return out, err
}

// RemoveOntology deletes an ontology in the same way; one with more than
// kappa.RemovedAtOnce chunks by a job, whose id is in the answer.
func (r *Remover) RemoveOntology(ctx context.Context, removal kappa.OntologyRemoval) (out kappa.RemovedOntology, err error) {
	job, out, err := r.ontologies.BeginRemoval(ctx, removal)
	switch {
	case err != nil || job != nil && removal.DryRun:
		return out, err
	case job != nil:
		return r.submit(ctx, *job, removal.UserID, out)
	}
	err = r.embedding(ctx, func(embedded kappa.NewEmbeddings) (missing []string, err error) {
		out, missing, err = r.ontologies.RemoveOntology(ctx, removal, embedded)
		return missing, err
	})
	return out, err
}

// submit has a job delete an ontology, which is frozen by now.
func (r *Remover) submit(ctx context.Context, job kappa.OntologyRemovalJob, userID int, out kappa.RemovedOntology) (kappa.RemovedOntology, error) {
	data, err := json.Marshal(job)
	if err != nil {
		return out, fmt.Errorf("encode the data of a job: %w", err)
	}
	submitted, err := r.jobs.SubmitJob(ctx, kappa.NewJob{
		Type: kappa.TypeOntologyRemoval, Queue: kappa.DefaultQueue, Data: data, AutoApprove: true, MaxRetries: kappa.DefaultMaxRetries, UserID: userID,
	})
	out.JobID = &submitted.ID
	return out, err
}

// RemoveOntologyPart deletes the next part of an ontology for such a job. It returns the
// errors of the store, and CodeUnavailable when the embedding model fails.
func (r *Remover) RemoveOntologyPart(ctx context.Context, c kappa.Claim, job kappa.OntologyRemovalJob, so kappa.OntologyRemovalStep, next func(kappa.OntologyRemovalStep) kappa.Checkpoint) (step kappa.OntologyRemovalStep, err error) {
	err = r.embedding(ctx, func(embedded kappa.NewEmbeddings) (missing []string, err error) {
		step, missing, err = r.ontologies.RemoveOntologyPart(ctx, c, job, so, embedded, next)
		return missing, err
	})
	if err != nil {
		return so, err // also when it only lacks embeddings: nothing was deleted
	}
	return step, nil
}

// embedding calls remove until it lacks no embedding.
func (r *Remover) embedding(ctx context.Context, remove func(kappa.NewEmbeddings) (missing []string, err error)) error {
	embedder := kappa.PinnedEmbedder(r.embedder)
	embedded := kappa.NewEmbeddings{Model: embedder.Model().Name, ByText: map[string]kappa.Embedding{}}
	for range mostRounds {
		missing, err := remove(embedded)
		if err != nil || len(missing) == 0 {
			return err
		}
		vectors, err := embedder.Embed(ctx, missing)
		if err != nil || len(vectors) != len(missing) {
			return &kappa.Error{Code: kappa.CodeUnavailable, Message: "the embedding model failed; nothing was deleted", Err: fmt.Errorf("embed %d names: %w", len(missing), err)}
		}
		for i, text := range missing {
			embedded.ByText[text] = vectors[i]
		}
	}
	return kappa.NewError(kappa.CodeUnavailable, "the graph changes too often; try again")
}
