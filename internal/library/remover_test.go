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

// BeginRemoval has ontologies called large be deleted by a job.
func (lacking) BeginRemoval(_ context.Context, r kappa.OntologyRemoval) (*kappa.OntologyRemovalJob, kappa.RemovedOntology, error) {
	out := kappa.RemovedOntology{Ontology: r.Name}
	if r.Name != "large" {
		return nil, out, nil
	}
	return &kappa.OntologyRemovalJob{ID: 7, Name: r.Name}, out, nil
}

func (l lacking) RemoveOntologyPart(ctx context.Context, _ kappa.Claim, _ kappa.OntologyRemovalJob, so kappa.OntologyRemovalStep, e kappa.NewEmbeddings, _ func(kappa.OntologyRemovalStep) kappa.Checkpoint) (kappa.OntologyRemovalStep, []string, error) {
	removed, missing, err := l.RemoveDocument(ctx, kappa.Removal{}, e)
	if len(missing) > 0 {
		return so, missing, err
	}
	so.Sources += removed.SourcesDeleted
	return so, nil, err
}

func (lacking) SubmitJob(_ context.Context, j kappa.NewJob) (kappa.Job, error) {
	return kappa.Job{ID: j.Type + string(j.Data)}, nil
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
	removed, err := NewRemover(store, store, store, fakeModel{}).RemoveDocument(t.Context(), kappa.Removal{DocumentID: "d"})
	if err != nil || removed.DocumentID != "d" || removed.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	ontology, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), kappa.OntologyRemoval{Name: "o"})
	if err != nil || ontology.Ontology != "o" || ontology.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", ontology, err)
	}
	large, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), kappa.OntologyRemoval{Name: "large"})
	if want := `ontology_removal{"ontology_id":7,"ontology":"large","keep_tombstone":false,"removed_by":""}`; err != nil || large.JobID == nil || *large.JobID != want || large.Deleted {
		t.Errorf("removed %+v, %v", large, err)
	}
	if dry, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), kappa.OntologyRemoval{Name: "large", DryRun: true}); err != nil || dry.JobID != nil {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	part, err := NewRemover(store, store, store, fakeModel{}).RemoveOntologyPart(t.Context(), kappa.Claim{}, kappa.OntologyRemovalJob{}, kappa.OntologyRemovalStep{Sources: 5}, nil)
	if err != nil || part.Sources != 8 {
		t.Errorf("a part: %+v, %v", part, err)
	}
	_, err = NewRemover(store, store, store, fakeModel{err: errors.New("away")}).RemoveDocument(t.Context(), kappa.Removal{})
	if kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("without a model: %v", err)
	}
}
