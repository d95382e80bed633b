package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

// memory keeps checkpoints; it fails when err is set.
type memory struct {
	stored []kappa.Checkpoint
	err    error
}

func (m *memory) Checkpoint(_ context.Context, _ kappa.Claim, p kappa.Checkpoint) error {
	m.stored = append(m.stored, p)
	return m.err
}

func TestSleep(t *testing.T) {
	t.Run("sleeps its steps and tells the last one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{}
			began := time.Now()
			_, err := Sleep{m, once}.Work(t.Context(), kappa.Claim{Data: []byte(`{"ms":1000,"steps":100}`)})
			if err != nil || time.Since(began) != time.Second || len(m.stored) != 100 {
				t.Fatalf("took %s, %d checkpoints, %v", time.Since(began), len(m.stored), err)
			}
			told := 0
			for _, p := range m.stored {
				if p.Emit {
					told++
				}
			}
			last := m.stored[99]
			if !last.Emit || last.Progress.Percent != 100 || told > kappa.ProgressPerSecond+1 {
				t.Errorf("the last checkpoint is %+v, %d of 100 were told", last, told)
			}
		})
	})
	t.Run("goes on after its checkpoint", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{}
			_, err := Sleep{m, once}.Work(t.Context(), kappa.Claim{Data: []byte(`{"ms":10,"steps":10}`), Checkpoint: []byte(`{"done":7}`)})
			if err != nil || len(m.stored) != 3 {
				t.Errorf("%d steps after the seventh of ten, %v", len(m.stored), err)
			}
		})
	})
	t.Run("stops when it is told to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				time.Sleep(time.Second)
				cancel(kappa.ErrCancelled)
			}()
			began := time.Now()
			_, err := Sleep{&memory{}, once}.Work(ctx, kappa.Claim{Data: []byte(`{"ms":60000,"steps":1}`)})
			if !errors.Is(err, kappa.ErrCancelled) || time.Since(began) > time.Second {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
		})
	})
	t.Run("a store that refuses ends it", func(t *testing.T) {
		_, err := Sleep{&memory{err: kappa.ErrStale}, once}.Work(t.Context(), kappa.Claim{Data: []byte(`{"ms":1,"steps":5}`)})
		if !errors.Is(err, kappa.ErrStale) {
			t.Errorf("got %v", err)
		}
	})
	for _, data := range []string{`{"ms":-1}`, `{"steps":0}`, `{"ms":"long"}`, `[]`, `{"ms":3600001}`} {
		if _, err := (Sleep{&memory{}, once}).Work(t.Context(), kappa.Claim{Data: json.RawMessage(data)}); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("data %s gives %v", data, err)
		}
	}
}

// once makes a call of a handler once.
func once(ctx context.Context, _ string, call func(ctx context.Context) error) error {
	return call(ctx)
}
