package ingest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// TestWorkPauses has the budget of a job end on the way, more than once. Whatever was read
// is read once, and the graph becomes what it is without a pause.
func TestWorkPauses(t *testing.T) {
	for _, mode := range []string{work.ModeSerial, work.ModeParallel} {
		t.Run(mode, func(t *testing.T) {
			whole := newIngestion(200, mode)
			if _, err := whole.work(t, t.Context()); err != nil {
				t.Fatal(err)
			}
			i := newIngestion(200, mode)
			i.parallel = 4
			var mu sync.Mutex
			paid, allowed := map[string]int{}, 5
			i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
				mu.Lock()
				defer mu.Unlock()
				if allowed == 0 {
					return kappa.Pause(kappa.NewError(kappa.CodeConflict, "Paused: enough"))
				}
				allowed--
				paid[p.Text]++
				return nil
			}
			pauses := 0
			for {
				_, err := i.work(t, t.Context())
				if err == nil {
					break
				}
				if !kappa.Paused(err) {
					t.Fatalf("the attempt ended with %v, want a pause", err)
				}
				if pauses++; pauses > 20 {
					t.Fatal("the job does not get on")
				}
				allowed = 3
			}
			if pauses < 2 {
				t.Errorf("the job paused %d times, want several", pauses)
			}
			for text, times := range paid {
				if times > 1 {
					t.Errorf("a chunk was paid for %d times: %.30s", times, text)
				}
			}
			if got, want := describe(i.store.written), describe(whole.store.written); !slices.Equal(got, want) {
				t.Errorf("%d chunks were written, and otherwise than the %d without a pause", len(got), len(want))
			}
		})
	}
}

// TestPostponedKeepsReadings has the provider go away while chunks are read at once.
func TestPostponedKeepsReadings(t *testing.T) {
	i := newIngestion(200, work.ModeParallel)
	i.parallel = 4
	var mu sync.Mutex
	paid, calls := map[string]int{}, 0
	i.extractor.before = func(_ context.Context, p knowledge.Passage) error {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls == 3 {
			return kappa.Postpone(fmt.Errorf("away"), 1)
		}
		paid[p.Text]++
		return nil
	}
	if _, err := i.work(t, t.Context()); err == nil {
		t.Fatal("the attempt did not end with the outage")
	}
	if _, err := i.work(t, t.Context()); err != nil {
		t.Fatal(err)
	}
	for text, times := range paid {
		if times > 1 {
			t.Errorf("a chunk was paid for %d times: %.30s", times, text)
		}
	}
}
