package schedule

import (
	"context"
	"errors"
	"testing"

	"github.com/kappagraph/kappa/work"
)

func TestPassageConditions(t *testing.T) {
	for n, want := range map[int]bool{0: false, 1: true, 1000: true} {
		holds := PassageConditions(func(context.Context) (int, error) { return n, nil })["passages_unembedded"]
		if ok, reason, err := holds(t.Context(), work.Schedule{}); ok != want || reason == "" || err != nil {
			t.Errorf("with %d passages: %t, %q, %v", n, ok, reason, err)
		}
	}
	away := errors.New("away")
	fails := PassageConditions(func(context.Context) (int, error) { return 0, away })["passages_unembedded"]
	if ok, _, err := fails(t.Context(), work.Schedule{}); ok || !errors.Is(err, away) {
		t.Errorf("%t, %v", ok, err)
	}
}
