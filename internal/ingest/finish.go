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
// the earlier versions that it replaces. A document with chunks that could not be read
// replaces nothing: the retry that reads them does.
func (a *attempt) finish(ctx context.Context) error {
	f := corpus.Finishing{DocumentID: a.document.ID, Ontology: a.document.Ontology, Replace: a.replace, Counts: a.stored.Counts}
	if len(a.stored.Gaps) > 0 {
		f.Replace = corpus.ReplaceNone
	}
	embedded := knowledge.NewEmbeddings{Model: a.cfg.Embedder.Model().Name, ByText: map[string]models.Embedding{}}
	for range mostFinishes {
		replaced, missing, err := a.cfg.Store.FinishDocument(ctx, a.claim, f, embedded)
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
