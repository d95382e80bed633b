package lanes

import (
	"context"
	"log/slog"
	"strings"
	"testing"
)

// waitingTypes are the types of what waits.
type waitingTypes []string

func (w *waitingTypes) WaitingTypes(context.Context) ([]string, error) {
	return append([]string(nil), *w...), nil
}

func TestUnhandled(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	waiting := &waitingTypes{}
	u := NewUnhandled(UnhandledConfig{Store: waiting, Types: workTypes(succeed), Log: slog.New(slog.NewTextHandler(&log, nil))})
	for i, round := range []struct {
		waiting  []string
		warnings int // so far
	}{
		{[]string{"work"}, 0},
		{[]string{"new", "work"}, 1},
		{[]string{"new"}, 1}, // once is enough
		{[]string{"new", "other"}, 2},
		{nil, 2},
		{[]string{"new"}, 3},
	} {
		*waiting = round.waiting
		if err := u.runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "has no handler for their types"); n != round.warnings {
			t.Errorf("%d warnings after round %d, in which %v waited, want %d", n, i, round.waiting, round.warnings)
		}
	}
	if !strings.Contains(log.String(), "types=[new]") {
		t.Errorf("the log does not name the type:\n%s", log.String())
	}
}
