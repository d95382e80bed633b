package ingest

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// mostFinishes is how often the end of a document is tried while the graph changes, and with
// it the names that are to be embedded.
const mostFinishes = 20

// finish removes what an earlier ingestion of the document had and this one has not, and
// the earlier versions that it replaces, also when chunks of it could not be read: their text
// is stored, and a retry reads them.
func (a *attempt) finish(ctx context.Context) error {
	f := corpus.Finishing{Document: a.document, Counts: a.stored.Counts}
	embedded := knowledge.NewEmbeddings{Model: a.cfg.Embedder.Model().Name, ByText: map[string]models.Embedding{}}
	return a.finishing(ctx, embedded, func() (replaced, missing []string, err error) {
		return a.cfg.Store.FinishDocument(ctx, a.claim, f, embedded)
	})
}

// finishing calls end until it lacks no embedding.
func (a *attempt) finishing(ctx context.Context, embedded knowledge.NewEmbeddings, end func() (replaced, missing []string, err error)) error {
	for range mostFinishes {
		replaced, missing, err := end()
		if err != nil {
			return fmt.Errorf("finish document: %w", err)
		}
		if len(missing) == 0 {
			a.replaced = replaced
			return nil
		}
		vectors, err := a.cfg.Embedder.Embed(ctx, missing)
		if err != nil {
			return fmt.Errorf("embed the names of concepts that are left: %w", err)
		}
		if len(vectors) != len(missing) {
			return fmt.Errorf("model %s returned %d embeddings for %d texts", embedded.Model, len(vectors), len(missing))
		}
		for i, text := range missing {
			embedded.ByText[text] = vectors[i]
		}
	}
	return kappa.NewError(kappa.CodeUnavailable, "the graph changes too often for the document to be finished")
}
