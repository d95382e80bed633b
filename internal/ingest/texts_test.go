package ingest

import (
	"context"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// keptOf is where it is kept what was read for a job.
type keptOf struct {
	corpus.KeptParts

	jobID string
}

// keepingFormats notes for which jobs what it reads is kept.
type keepingFormats struct {
	fakeFormats

	jobs *[]string
}

func (f keepingFormats) Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error) {
	if kept, ok := corpus.KeptPartsOf(ctx).(keptOf); ok {
		*f.jobs = append(*f.jobs, kept.jobID)
	}
	return f.fakeFormats.Text(ctx, body, format)
}

// TestWhatIsReadIsKept: an analysis and an attempt keep what they read for their job, and take it from
// there.
func TestWhatIsReadIsKept(t *testing.T) {
	texts := func(jobID string) corpus.KeptParts { return keptOf{jobID: jobID} }
	var jobs []string
	a := newTestAnalyst(t, newFakeAnalyses("one"))
	a.cfg.Formats, a.cfg.Texts = keepingFormats{jobs: &jobs}, texts
	if err := a.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	i := newIngestion(20, "serial")
	h := NewHandler(HandlerConfig{
		Vocabulary: builtinTypes, Store: i.store, Formats: keepingFormats{jobs: &jobs}, Texts: texts, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t),
	})
	if _, err := h.Work(t.Context(), i.claim); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", i.claim.JobID}; !slices.Equal(jobs, want) {
		t.Errorf("kept for %v, want %v", jobs, want)
	}
}
