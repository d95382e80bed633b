package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// TestReadingsAreKeptAtAStop has the server stop while chunks are read, after one was slow for long: what
// the others have said is paid for, and the next attempt pays for none of it again.
func TestReadingsAreKeptAtAStop(t *testing.T) {
	whole := newIngestion(200, work.ModeParallel)
	if _, err := whole.work(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	i := newIngestion(200, work.ModeParallel)
	i.parallel = 4
	ctx, stop := context.WithCancelCause(t.Context())
	var mu sync.Mutex
	paid := map[string]int{}
	first := true
	i.extractor.before = func(ctx context.Context, p knowledge.Passage) error {
		mu.Lock()
		slow := first
		first = false
		if !slow {
			paid[p.Text]++
		}
		n := len(paid)
		mu.Unlock()
		if n == 6 {
			time.AfterFunc(50*time.Millisecond, func() { stop(kappa.ErrShutdown) })
		}
		if !slow {
			return nil
		}
		<-ctx.Done() // the first one
		return context.Cause(ctx)
	}
	if _, err := i.work(t, ctx); !errors.Is(err, kappa.ErrShutdown) {
		t.Fatalf("the attempt ended with %v", err)
	}
	if len(i.kept.readings) < 6 {
		t.Errorf("of %d chunks that were read %d are kept", len(paid), len(i.kept.readings))
	}
	if _, err := i.work(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	for text, times := range paid {
		if times != 1 {
			t.Errorf("%.20q was paid for %d times", text, times)
		}
	}
	if got, want := strings.Join(describe(i.store.written), "\n"), strings.Join(describe(whole.store.written), "\n"); got != want {
		t.Error("the graph differs from the one without a stop")
	}
}

// TestUnreadableIsTakenOver has a server end after it has stored that no chunk can be read,
// and before it could say so: the job fails as it would have there.
func TestUnreadableIsTakenOver(t *testing.T) {
	i := newIngestion(25, work.ModeSerial)
	i.extractor.before = func(context.Context, knowledge.Passage) error {
		return kappa.NewError(kappa.CodeInvalid, "no sense in it")
	}
	_, here := i.work(t, t.Context())
	var stored checkpoint
	if err := json.Unmarshal(i.store.checkpoint.State, &stored); err != nil || len(stored.Gaps) == 0 || here == nil {
		t.Fatalf("it ended with %v, at the checkpoint %s, %v", here, i.store.checkpoint.State, err)
	}
	_, there := i.work(t, t.Context()) // goes on after the same checkpoint
	if there == nil || kappa.Retryable(there) || !strings.Contains(there.Error(), "no sense in it") {
		t.Errorf("it ends with %v here, and with %v where it is taken over", here, there)
	}
}

// TestOneMemory makes sure that all who read large documents go by one budget: the
// percentage of garbage is the process's, and two who set it undo each other.
func TestOneMemory(t *testing.T) {
	i := newIngestion(1, work.ModeSerial)
	cfg := HandlerConfig{Vocabulary: builtinTypes, Store: i.store, Formats: fakeFormats{}, Passages: fakePassages, Extractor: i.extractor, Embedder: i.embedder, Log: testLog(t)}
	if one, two, three := NewHandler(cfg).cfg.memory, NewHandler(cfg).cfg.memory, NewSubmitter(nil, nil, nil).memory; one != two || two != three {
		t.Error("they do not share it")
	}
}
