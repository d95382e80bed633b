package graph

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// keptThreshold is a store of a threshold that counts its reads.
type keptThreshold struct {
	threshold *float64
	reads     int
	err       error
	slow      time.Duration
}

func (k *keptThreshold) SearchThreshold(context.Context) (*float64, error) {
	k.reads++
	set, err := k.threshold, k.err
	time.Sleep(k.slow)
	return set, err
}

func (k *keptThreshold) SetSearchThreshold(_ context.Context, threshold float64) error {
	if k.err == nil {
		k.threshold = &threshold
	}
	return k.err
}

// withThreshold runs a test in fake time.
func withThreshold(t *testing.T, name string, test func(t *testing.T, k *keptThreshold, th *Threshold)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			k := &keptThreshold{}
			test(t, k, NewThreshold(k))
		})
	})
}

func TestThreshold(t *testing.T) {
	want := func(t *testing.T, th *Threshold, want float64) {
		t.Helper()
		if got, err := th.inForce(t.Context()); err != nil || got != want {
			t.Errorf("in force is %v, %v, want %v", got, err, want)
		}
	}
	withThreshold(t, "none that is set is the default, and without a store as well", func(t *testing.T, k *keptThreshold, th *Threshold) {
		want(t, th, questions.DefaultSimilarity)
		want(t, nil, questions.DefaultSimilarity)
	})
	withThreshold(t, "it is read once a second", func(t *testing.T, k *keptThreshold, th *Threshold) {
		want(t, th, questions.DefaultSimilarity)
		other := 0.25
		k.threshold = &other // by another server
		time.Sleep(thresholdAge - 1)
		want(t, th, questions.DefaultSimilarity)
		if k.reads != 1 {
			t.Errorf("%d reads within a second", k.reads)
		}
		time.Sleep(time.Nanosecond)
		want(t, th, other)
		want(t, th, other)
		if k.reads != 2 {
			t.Errorf("%d reads in two seconds", k.reads)
		}
	})
	withThreshold(t, "one that is set here holds at once", func(t *testing.T, k *keptThreshold, th *Threshold) {
		want(t, th, questions.DefaultSimilarity)
		time.Sleep(time.Nanosecond)
		if set, err := th.Set(t.Context(), 0.75); err != nil || *set.Threshold != 0.75 || set.Fallback != questions.DefaultSimilarity {
			t.Errorf("got %+v, %v", set, err)
		}
		want(t, th, 0.75)
	})
	withThreshold(t, "0 is a threshold", func(t *testing.T, k *keptThreshold, th *Threshold) {
		if _, err := th.Set(t.Context(), 0); err != nil {
			t.Error(err)
		}
		want(t, th, 0)
	})
	withThreshold(t, "one out of range is refused, and nothing is stored", func(t *testing.T, k *keptThreshold, th *Threshold) {
		for _, bad := range []float64{-0.1, 1.1} {
			if _, err := th.Set(t.Context(), bad); kappa.ErrorCode(err) != kappa.CodeInvalid || k.threshold != nil {
				t.Errorf("%v: %v, stored %v", bad, err, k.threshold)
			}
		}
	})
	withThreshold(t, "an error is returned, and not remembered", func(t *testing.T, k *keptThreshold, th *Threshold) {
		k.err = errors.New("the database is away")
		if _, err := th.inForce(t.Context()); !errors.Is(err, k.err) {
			t.Errorf("got %v", err)
		}
		if _, err := th.Set(t.Context(), 0.5); !errors.Is(err, k.err) {
			t.Errorf("set: %v", err)
		}
		k.err = nil
		want(t, th, questions.DefaultSimilarity)
	})
	withThreshold(t, "a read that began before another was set does not undo it", func(t *testing.T, k *keptThreshold, th *Threshold) {
		k.slow = 3 * time.Second
		late := make(chan struct{})
		go func() {
			defer close(late)
			want(t, th, questions.DefaultSimilarity)
		}()
		synctest.Wait()
		k.slow = 0
		time.Sleep(3*time.Second - thresholdAge/2)
		if _, err := th.Set(t.Context(), 0.5); err != nil {
			t.Error(err)
		}
		<-late
		want(t, th, 0.5)
		if k.reads != 2 {
			t.Errorf("%d reads", k.reads)
		}
	})
}
