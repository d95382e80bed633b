package ingest

import (
	"context"
	"errors"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

type fakeSubmissions struct {
	stored []work.Submission
	jobs   []work.NewJob
	answer work.Submitted
	err    error
}

func (f *fakeSubmissions) SubmitIngestion(_ context.Context, s work.Submission, job work.NewJob) (work.Submitted, error) {
	f.stored, f.jobs = append(f.stored, s), append(f.jobs, job)
	return f.answer, f.err
}

func TestSubmit(t *testing.T) {
	submission := work.Submission{Body: []byte("# Water\n"), Filename: "water.md", Ontology: "nature", AutoApprove: true, UserID: 1001}
	t.Run("a new document is stored with its type and hash, and wakes the analyst", func(t *testing.T) {
		store, woken := &fakeSubmissions{answer: work.Submitted{JobID: "job_1"}}, 0
		got, err := NewSubmitter(store, fakeFormats{}, func() { woken++ }).Submit(t.Context(), submission)
		if err != nil || got.JobID != "job_1" || woken != 1 || len(store.stored) != 1 {
			t.Fatalf("got %+v and %v, woken %d times, stored %d", got, err, woken, len(store.stored))
		}
		s := store.stored[0]
		if s.ContentType != corpus.ContentMarkdown || s.ContentHash != corpus.ContentHash(submission.Body) || s.Ontology != "nature" {
			t.Errorf("stored %+v", s)
		}
		job := store.jobs[0]
		data := `{"content_type":"text/markdown","chunking":{"target_words":0,"min_words":0,"max_words":0,"overlap_words":0},"auto_approve":true}`
		if job.Type != "ingestion" || job.Priority != work.PriorityUser || job.UserID != 1001 || string(job.Data) != data || job.Validate() != nil {
			t.Errorf("stored the job %+v with the data %s", job, job.Data)
		}
	})
	t.Run("a document that is known wakes nobody", func(t *testing.T) {
		store := &fakeSubmissions{answer: work.Submitted{JobID: "job_1", Duplicate: true}}
		got, err := NewSubmitter(store, fakeFormats{}, func() { t.Error("woken") }).Submit(t.Context(), submission)
		if err != nil || !got.Duplicate {
			t.Errorf("got %+v and %v", got, err)
		}
	})
	t.Run("a document that cannot be read is not stored", func(t *testing.T) {
		store := &fakeSubmissions{}
		_, err := NewSubmitter(store, fakeFormats{}, func() { t.Error("woken") }).Submit(t.Context(), work.Submission{Body: []byte(" ")})
		if kappa.ErrorCode(err) != kappa.CodeMalformed || len(store.stored) != 0 {
			t.Errorf("got %v, stored %d", err, len(store.stored))
		}
	})
	t.Run("the store's error is the caller's", func(t *testing.T) {
		store := &fakeSubmissions{err: kappa.NewError(kappa.CodeForbidden, "Ontology 'nature' is frozen")}
		_, err := NewSubmitter(store, fakeFormats{}, func() { t.Error("woken") }).Submit(t.Context(), submission)
		if !errors.Is(err, store.err) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("chunking that breaks a rule is not stored", func(t *testing.T) {
		store, tiny := &fakeSubmissions{}, submission
		tiny.Chunking = corpus.ChunkOptions{TargetWords: 10, MinWords: 8, MaxWords: 15}
		_, err := NewSubmitter(store, fakeFormats{}, func() { t.Error("woken") }).Submit(t.Context(), tiny)
		if want := "data.chunking.target_words: must be at least 100, got 10"; kappa.ErrorMessage(err) != want || len(store.stored) != 0 {
			t.Errorf("got %v, want %s; stored %d", err, want, len(store.stored))
		}
	})
}
