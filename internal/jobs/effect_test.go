package jobs

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// fakeLedger records steps until one of them meets an error.
type fakeLedger struct {
	steps  []string
	states []string
	failAt string
	fail   error
}

func (l *fakeLedger) Effect(_ context.Context, _ work.Claim, step string, p work.Checkpoint) error {
	if step == l.failAt {
		return l.fail
	}
	l.steps, l.states = append(l.steps, step), append(l.states, string(p.State))
	return nil
}

func TestEffect(t *testing.T) {
	t.Parallel()
	// effect works on a claim in fake time and returns the steps that the
	// witness saw.
	effect := func(t *testing.T, l *fakeLedger, c work.Claim) (seen []string, err error) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			_, err = NewEffect(l, once, func(_ context.Context, _ work.Claim, step string) error {
				seen = append(seen, step)
				return nil
			}).Handler(t.Context(), c)
		})
		return seen, err
	}

	t.Run("each step is witnessed, then recorded with its checkpoint", func(t *testing.T) {
		var l fakeLedger
		seen, err := effect(t, &l, work.Claim{Data: []byte(`{"steps":3,"ms":60000}`)})
		if err != nil || !slices.Equal(seen, []string{"1", "2", "3"}) || !slices.Equal(l.steps, seen) || l.states[2] != `{"done":3}` {
			t.Errorf("witnessed %v, recorded %v with %v, %v", seen, l.steps, l.states, err)
		}
	})
	t.Run("an attempt goes on after what the last one recorded", func(t *testing.T) {
		var l fakeLedger
		seen, err := effect(t, &l, work.Claim{Data: []byte(`{"steps":3,"ms":30}`), Checkpoint: []byte(`{"done":2}`)})
		if err != nil || !slices.Equal(seen, []string{"3"}) || !slices.Equal(l.steps, seen) {
			t.Errorf("witnessed %v, recorded %v, %v", seen, l.steps, err)
		}
	})
	t.Run("a stale claim ends the work at once", func(t *testing.T) {
		l := fakeLedger{failAt: "2", fail: kappa.ErrStale}
		seen, err := effect(t, &l, work.Claim{Data: []byte(`{"steps":3,"ms":30}`)})
		if !errors.Is(err, kappa.ErrStale) || !slices.Equal(seen, []string{"1", "2"}) || !slices.Equal(l.steps, []string{"1"}) {
			t.Errorf("witnessed %v, recorded %v, %v", seen, l.steps, err)
		}
	})
	t.Run("data out of range is refused before any step", func(t *testing.T) {
		for _, data := range []string{`{"steps":0,"ms":1}`, `{"steps":10001,"ms":1}`, `{"steps":1,"ms":-1}`, `[]`} {
			var l fakeLedger
			seen, err := effect(t, &l, work.Claim{Data: []byte(data)})
			if kappa.ErrorCode(err) != kappa.CodeInvalid || len(seen) != 0 {
				t.Errorf("%s: witnessed %v, %v", data, seen, err)
			}
		}
	})
}
