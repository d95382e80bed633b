package lanes

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// waitingTypes are the types of what waits.
type waitingTypes []string

func (w *waitingTypes) WaitingTypes(context.Context) ([]string, error) {
	return append([]string(nil), *w...), nil
}

func TestUnhandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		waiting := &waitingTypes{"work"}
		u := NewUnhandled(UnhandledConfig{Store: waiting, Types: workTypes(succeed), Log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = u.Run(ctx)
		}()
		wait := func() int {
			time.Sleep(unhandledEvery + time.Second)
			return strings.Count(log.String(), "has no handler for their types")
		}
		if n := wait(); n != 0 {
			t.Errorf("%d warnings while there is a handler for everything", n)
		}
		*waiting = waitingTypes{"new", "work"}
		wait()
		if n := wait(); n != 1 || !strings.Contains(log.String(), "types=[new]") {
			t.Errorf("%d warnings of a type, want one:\n%s", n, log.String())
		}
		*waiting = waitingTypes{}
		wait()
		*waiting = waitingTypes{"new"}
		if n := wait(); n != 2 {
			t.Errorf("%d warnings after it has come again, want 2", n)
		}
		cancel()
		<-done
	})
}
