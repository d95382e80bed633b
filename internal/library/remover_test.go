package library

import (
	"context"
	"errors"
	"testing"

	"github.com/kappagraph/kappa"
)

// lacking removes a document once it has the embeddings of all texts that it asks for.
type lacking struct{ texts []string }

func (l lacking) RemoveDocument(_ context.Context, r kappa.Removal, e kappa.NewEmbeddings) (kappa.Removed, []string, error) {
	for _, text := range l.texts {
		if e.ByText[text] == nil {
			return kappa.Removed{}, []string{text}, nil
		}
	}
	return kappa.Removed{DocumentID: r.DocumentID, SourcesDeleted: len(e.ByText)}, nil, nil
}

func (l lacking) RemoveOntology(ctx context.Context, r kappa.OntologyRemoval, e kappa.NewEmbeddings) (kappa.RemovedOntology, []string, error) {
	removed, missing, err := l.RemoveDocument(ctx, kappa.Removal{}, e)
	return kappa.RemovedOntology{Ontology: r.Name, SourcesDeleted: removed.SourcesDeleted}, missing, err
}

type fakeModel struct{ err error }

func (fakeModel) Model() kappa.Model { return kappa.Model{Name: "m"} }

func (f fakeModel) Embed(_ context.Context, texts []string) ([]kappa.Embedding, error) {
	vectors := make([]kappa.Embedding, len(texts))
	for i := range vectors {
		vectors[i] = kappa.Embedding{1}
	}
	return vectors, f.err
}

func TestRemover(t *testing.T) {
	store := lacking{texts: []string{"a", "b", "c"}}
	removed, err := NewRemover(store, store, fakeModel{}).RemoveDocument(t.Context(), kappa.Removal{DocumentID: "d"})
	if err != nil || removed.DocumentID != "d" || removed.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	ontology, err := NewRemover(store, store, fakeModel{}).RemoveOntology(t.Context(), kappa.OntologyRemoval{Name: "o"})
	if err != nil || ontology.Ontology != "o" || ontology.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", ontology, err)
	}
	_, err = NewRemover(store, store, fakeModel{err: errors.New("away")}).RemoveDocument(t.Context(), kappa.Removal{})
	if kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("without a model: %v", err)
	}
}
