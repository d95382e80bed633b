package library

import (
	"context"
	"errors"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

// lacking removes a document once it has the embeddings of all texts that it asks for.
type lacking struct{ texts []string }

func (l lacking) RemoveDocument(_ context.Context, r corpus.Removal, e knowledge.NewEmbeddings) (corpus.Removed, []string, error) {
	for _, text := range l.texts {
		if e.ByText[text] == nil {
			return corpus.Removed{}, []string{text}, nil
		}
	}
	return corpus.Removed{DocumentID: r.DocumentID, SourcesDeleted: len(e.ByText)}, nil, nil
}

func (l lacking) RemoveOntology(ctx context.Context, r ontologies.Removal, e knowledge.NewEmbeddings) (ontologies.Removed, []string, error) {
	removed, missing, err := l.RemoveDocument(ctx, corpus.Removal{}, e)
	return ontologies.Removed{Ontology: r.Name, SourcesDeleted: removed.SourcesDeleted}, missing, err
}

// BeginRemoval has ontologies called large be deleted by a job.
func (lacking) BeginRemoval(_ context.Context, r ontologies.Removal) (*ontologies.RemovalJob, ontologies.Removed, error) {
	out := ontologies.Removed{Ontology: r.Name}
	if r.Name != "large" {
		return nil, out, nil
	}
	return &ontologies.RemovalJob{ID: 7, Name: r.Name}, out, nil
}

func (l lacking) RemoveOntologyPart(ctx context.Context, _ work.Claim, _ ontologies.RemovalJob, so ontologies.RemovalStep, e knowledge.NewEmbeddings, _ func(ontologies.RemovalStep) work.Checkpoint) (ontologies.RemovalStep, []string, error) {
	removed, missing, err := l.RemoveDocument(ctx, corpus.Removal{}, e)
	if len(missing) > 0 {
		return so, missing, err
	}
	so.Sources += removed.SourcesDeleted
	return so, nil, err
}

func (lacking) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	return work.Job{ID: j.Type + string(j.Data)}, nil
}

type fakeModel struct{ err error }

func (fakeModel) Model() models.Model { return models.Model{Name: "m"} }

func (f fakeModel) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	vectors := make([]models.Embedding, len(texts))
	for i := range vectors {
		vectors[i] = models.Embedding{1}
	}
	return vectors, f.err
}

func TestRemover(t *testing.T) {
	store := lacking{texts: []string{"a", "b", "c"}}
	removed, err := NewRemover(store, store, store, fakeModel{}).RemoveDocument(t.Context(), corpus.Removal{DocumentID: "d"})
	if err != nil || removed.DocumentID != "d" || removed.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	ontology, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), ontologies.Removal{Name: "o"})
	if err != nil || ontology.Ontology != "o" || ontology.SourcesDeleted != 3 {
		t.Errorf("removed %+v, %v", ontology, err)
	}
	large, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), ontologies.Removal{Name: "large"})
	if want := `ontology_removal{"ontology_id":7,"ontology":"large","keep_tombstone":false,"removed_by":""}`; err != nil || large.JobID == nil || *large.JobID != want || large.Deleted {
		t.Errorf("removed %+v, %v", large, err)
	}
	if dry, err := NewRemover(store, store, store, fakeModel{}).RemoveOntology(t.Context(), ontologies.Removal{Name: "large", DryRun: true}); err != nil || dry.JobID != nil {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	part, err := NewRemover(store, store, store, fakeModel{}).RemoveOntologyPart(t.Context(), work.Claim{}, ontologies.RemovalJob{}, ontologies.RemovalStep{Sources: 5}, nil)
	if err != nil || part.Sources != 8 {
		t.Errorf("a part: %+v, %v", part, err)
	}
	_, err = NewRemover(store, store, store, fakeModel{err: errors.New("away")}).RemoveDocument(t.Context(), corpus.Removal{})
	if kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("without a model: %v", err)
	}
}
