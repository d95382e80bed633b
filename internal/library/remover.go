package library

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
)

// removals takes documents out of the graph.
type removals interface {
	// RemoveDocument removes a document, or changes nothing and returns the texts whose
	// embeddings it needs besides.
	RemoveDocument(ctx context.Context, r kappa.Removal, embedded kappa.NewEmbeddings) (kappa.Removed, []string, error)
}

// ontologies deletes ontologies, in the same way.
type ontologies interface {
	RemoveOntology(ctx context.Context, r kappa.OntologyRemoval, embedded kappa.NewEmbeddings) (kappa.RemovedOntology, []string, error)
}

// Remover takes documents and ontologies out of the graph. It is safe for concurrent use.
type Remover struct {
	store      removals
	ontologies ontologies
	embedder   kappa.Embedder
}

// NewRemover returns a Remover; e embeds the names of concepts that other documents call
// otherwise than the one that is removed.
func NewRemover(s removals, o ontologies, e kappa.Embedder) *Remover {
	return &Remover{store: s, ontologies: o, embedder: e}
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

// RemoveOntology deletes an ontology in the same way.
func (r *Remover) RemoveOntology(ctx context.Context, removal kappa.OntologyRemoval) (out kappa.RemovedOntology, err error) {
	err = r.embedding(ctx, func(embedded kappa.NewEmbeddings) (missing []string, err error) {
		out, missing, err = r.ontologies.RemoveOntology(ctx, removal, embedded)
		return missing, err
	})
	return out, err
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
