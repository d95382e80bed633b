package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// fakeStored has some steps in each part, with a fault in each step of quotes.
type fakeStored struct {
	steps  int
	asked  []string
	cancel func() // called at the third step
}

func (f *fakeStored) StoredRows(context.Context) (map[string]int, error) {
	return map[string]int{storage.StoredDocuments: 5}, nil
}

func (f *fakeStored) CheckStored(_ context.Context, part, after string) (storage.Step, error) {
	f.asked = append(f.asked, part+after)
	if len(f.asked) == 3 && f.cancel != nil {
		f.cancel()
	}
	n, _ := strconv.Atoi(after)
	step := storage.Step{Checked: 10}
	if n+1 < f.steps {
		step.Next = strconv.Itoa(n + 1)
	}
	if part == storage.StoredQuotes {
		step.Faults = make([]storage.Fault, 150)
	}
	return step, nil
}

// fakeClaims keeps the last checkpoint.
type fakeClaims struct{ last work.Checkpoint }

func (f *fakeClaims) Checkpoint(_ context.Context, _ work.Claim, p work.Checkpoint) error {
	f.last = p
	return nil
}

func runStorageCheck(ctx context.Context, store *fakeStored, claims *fakeClaims, c work.Claim) (storageCheckResult, error) {
	once := func(ctx context.Context, _ string, f func(context.Context) error) error { return f(ctx) }
	raw, err := NewStorageCheck(store, claims, once).Handler(ctx, c)
	var result storageCheckResult
	_ = json.Unmarshal(raw, &result)
	return result, err
}

func TestStorageCheck(t *testing.T) {
	t.Run("counts all faults and names the first ones", func(t *testing.T) {
		claims := &fakeClaims{}
		result, err := runStorageCheck(t.Context(), &fakeStored{steps: 2}, claims, work.Claim{})
		if err != nil || result.Consistent || result.FaultCount != 300 || len(result.Faults) != maxFaultsKept || result.Checked[storage.StoredChunks] != 20 {
			t.Errorf("%v: %d faults, %d of them named, checked %v", err, result.FaultCount, len(result.Faults), result.Checked)
		}
		if p := claims.last.Progress; p.Percent != 100 || p.ItemsProcessed != 10*2*len(storage.Parts()) || p.Counters.Value("faults") != 300 {
			t.Errorf("at the end: %+v", p)
		}
	})
	t.Run("goes on after the last checkpoint", func(t *testing.T) {
		state, err := json.Marshal(storageCheckState{Done: slices.Index(storage.Parts(), storage.StoredEmbeddings), After: "1", Checked: map[string]int{storage.StoredDocuments: 20}, Count: 1, Faults: make([]storage.Fault, 1)})
		if err != nil {
			t.Fatal(err)
		}
		store := &fakeStored{steps: 2}
		result, err := runStorageCheck(t.Context(), store, &fakeClaims{}, work.Claim{Checkpoint: state})
		if err != nil || len(store.asked) != 3 || store.asked[0] != storage.StoredEmbeddings+"1" || result.FaultCount != 1 || result.Checked[storage.StoredDocuments] != 20 {
			t.Errorf("%v: asked %v, %+v", err, store.asked, result)
		}
	})
	t.Run("stops when it is cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("cancelled")
		store := &fakeStored{steps: 1000, cancel: func() { cancel(stop) }}
		_, err := runStorageCheck(ctx, store, &fakeClaims{}, work.Claim{})
		if !errors.Is(err, stop) || len(store.asked) != 3 {
			t.Errorf("%v after %d steps", err, len(store.asked))
		}
	})
	t.Run("refuses a part that there is not", func(t *testing.T) {
		if err := NewStorageCheck(nil, nil, nil).Check([]byte(`{"parts":["dust"]}`)); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%v", err)
		}
	})
}
