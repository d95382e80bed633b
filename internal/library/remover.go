package library

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// removals takes documents out of the graph.
type removals interface {
	// RemoveDocument removes a document, or changes nothing and returns the texts whose
	// embeddings it needs besides.
	RemoveDocument(ctx context.Context, r corpus.Removal, embedded knowledge.NewEmbeddings) (corpus.Removed, []string, error)
}

// ontologies deletes ontologies, in the same way; a large one in parts.
type ontologyStore interface {
	BeginRemoval(ctx context.Context, r ontologies.Removal) (*ontologies.RemovalJob, ontologies.Removed, error)
	RemoveOntologyPart(ctx context.Context, c work.Claim, job ontologies.RemovalJob, so ontologies.RemovalStep, embedded knowledge.NewEmbeddings, next func(ontologies.RemovalStep) work.Checkpoint) (ontologies.RemovalStep, []string, error)
	RemoveOntology(ctx context.Context, r ontologies.Removal, embedded knowledge.NewEmbeddings) (ontologies.Removed, []string, error)
}

// jobs are submitted.
type jobs interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Remover takes documents and ontologies out of the graph. It is safe for concurrent use.
type Remover struct {
	store      removals
	ontologies ontologyStore
	jobs       jobs
	embedder   models.Embedder
}

// NewRemover returns a Remover; e embeds the names of concepts that other documents call
// otherwise than the one that is removed, and j takes the jobs that delete what is large.
func NewRemover(s removals, o ontologyStore, j jobs, e models.Embedder) *Remover {
	return &Remover{store: s, ontologies: o, jobs: j, embedder: e}
}

const mostRounds = 20 // of embedding what a removal lacks, while the graph changes

// RemoveDocument takes a document out, with all that no other document supports, at once
// or not at all. It returns the errors of the store, and CodeUnavailable when the
// embedding model fails.
func (r *Remover) RemoveDocument(ctx context.Context, removal corpus.Removal) (out corpus.Removed, err error) {
	err = r.embedding(ctx, func(embedded knowledge.NewEmbeddings) (missing []string, err error) {
		out, missing, err = r.store.RemoveDocument(ctx, removal, embedded)
		return missing, err
	})
	return out, err
}

// RemoveOntology deletes an ontology in the same way; one with more than
// ontologies.RemovedAtOnce chunks by a job, whose id is in the answer.
func (r *Remover) RemoveOntology(ctx context.Context, removal ontologies.Removal) (out ontologies.Removed, err error) {
	job, out, err := r.ontologies.BeginRemoval(ctx, removal)
	switch {
	case err != nil || job != nil && removal.DryRun:
		return out, err
	case job != nil:
		return r.submit(ctx, *job, removal.UserID, out)
	}
	err = r.embedding(ctx, func(embedded knowledge.NewEmbeddings) (missing []string, err error) {
		out, missing, err = r.ontologies.RemoveOntology(ctx, removal, embedded)
		return missing, err
	})
	return out, err
}

// submit has a job delete an ontology, which is frozen by now.
func (r *Remover) submit(ctx context.Context, job ontologies.RemovalJob, userID int, out ontologies.Removed) (ontologies.Removed, error) {
	data, err := json.Marshal(job)
	if err != nil {
		return out, fmt.Errorf("encode the data of a job: %w", err)
	}
	submitted, err := r.jobs.SubmitJob(ctx, work.NewJob{
		Type: ontologies.TypeRemoval, Queue: work.DefaultQueue, Data: data, AutoApprove: true, MaxRetries: work.DefaultMaxRetries, UserID: userID,
	})
	out.JobID = &submitted.ID
	return out, err
}

// RemoveOntologyPart deletes the next part of an ontology for such a job. It returns the
// errors of the store, and CodeUnavailable when the embedding model fails.
func (r *Remover) RemoveOntologyPart(ctx context.Context, c work.Claim, job ontologies.RemovalJob, so ontologies.RemovalStep, next func(ontologies.RemovalStep) work.Checkpoint) (step ontologies.RemovalStep, err error) {
	err = r.embedding(ctx, func(embedded knowledge.NewEmbeddings) (missing []string, err error) {
		step, missing, err = r.ontologies.RemoveOntologyPart(ctx, c, job, so, embedded, next)
		return missing, err
	})
	if err != nil {
		return so, err // also when it only lacks embeddings: nothing was deleted
	}
	return step, nil
}

// embedding calls remove until it lacks no embedding.
func (r *Remover) embedding(ctx context.Context, remove func(knowledge.NewEmbeddings) (missing []string, err error)) error {
	embedder := models.PinnedEmbedder(r.embedder)
	embedded := knowledge.NewEmbeddings{Model: embedder.Model().Name, ByText: map[string]models.Embedding{}}
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
