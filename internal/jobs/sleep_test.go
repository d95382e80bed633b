package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory keeps checkpoints; it fails when err is set.
type memory struct {
	stored []work.Checkpoint
	err    error
}

func (m *memory) Checkpoint(_ context.Context, _ work.Claim, p work.Checkpoint) error {
	m.stored = append(m.stored, p)
	return m.err
}

func TestSleep(t *testing.T) {
	t.Run("sleeps its steps and emits the last one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{}
			began := time.Now()
			_, err := NewSleep(m, once).Handler(t.Context(), work.Claim{Data: []byte(`{"ms":1000,"steps":100}`)})
			if err != nil || time.Since(began) != time.Second || len(m.stored) != 100 {
				t.Fatalf("took %s, %d checkpoints, %v", time.Since(began), len(m.stored), err)
			}
			emitted := 0
			for _, p := range m.stored {
				if p.Emit {
					emitted++
				}
			}
			last := m.stored[99]
			if !last.Emit || last.Progress.Percent != 100 || emitted > work.ProgressPerSecond+1 {
				t.Errorf("the last checkpoint is %+v, %d of 100 are emitted", last, emitted)
			}
		})
	})
	t.Run("goes on after its checkpoint", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{}
			_, err := NewSleep(m, once).Handler(t.Context(), work.Claim{Data: []byte(`{"ms":10,"steps":10}`), Checkpoint: []byte(`{"done":7}`)})
			if err != nil || len(m.stored) != 3 {
				t.Errorf("%d steps after the seventh of ten, %v", len(m.stored), err)
			}
		})
	})
	t.Run("stops when it is cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				time.Sleep(time.Second)
				cancel(kappa.ErrCancelled)
			}()
			began := time.Now()
			_, err := NewSleep(&memory{}, once).Handler(ctx, work.Claim{Data: []byte(`{"ms":60000,"steps":1}`)})
			if !errors.Is(err, kappa.ErrCancelled) || time.Since(began) > time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
		})
	})
	t.Run("a store that refuses ends it", func(t *testing.T) {
		_, err := NewSleep(&memory{err: kappa.ErrStale}, once).Handler(t.Context(), work.Claim{Data: []byte(`{"ms":1,"steps":5}`)})
		if !errors.Is(err, kappa.ErrStale) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("data out of range is refused at the submission, and by the handler", func(t *testing.T) {
		sleep := NewSleep(&memory{}, once)
		for data, rule := range map[string]string{
			`{"ms":-1}`:             "data.ms: must be at least 0, got -1",
			`{"ms":3600001}`:        "data.ms: must be at most 3600000, got 3600001",
			`{"steps":0}`:           "data.steps: must be at least 1, got 0",
			`{"ms":-1,"steps":0}`:   "data.ms: must be at least 0, got -1; data.steps: must be at least 1, got 0",
			`{"ms":"long"}`:         "data.ms: must be a whole number, got string",
			`{"ms":1.5}`:            "data.ms: must be a whole number, got number 1.5",
			`{"steps":100000000e9}`: "data.steps: must be a whole number, got number 100000000e9",
			`[]`:                    `data: must be an object such as {"ms": 500, "steps": 10}`,
		} {
			_, err := sleep.Handler(t.Context(), work.Claim{Data: json.RawMessage(data)})
			for _, err := range []error{sleep.CheckData(json.RawMessage(data)), err} {
				if kappa.ErrorCode(err) != kappa.CodeInvalid || kappa.ErrorMessage(err) != rule {
					t.Errorf("data %s gives %v, want %q", data, err, rule)
				}
			}
		}
		for _, data := range []string{"", "{}", "null", `{"ms":0,"steps":1,"note":"others are ignored"}`} {
			if err := sleep.CheckData(json.RawMessage(data)); err != nil {
				t.Errorf("data %q gives %v", data, err)
			}
		}
	})
}

// once makes a call of a handler once.
func once(ctx context.Context, _ string, call func(ctx context.Context) error) error {
	return call(ctx)
}
