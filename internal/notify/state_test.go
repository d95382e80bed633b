package notify

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestQ39_SinceWhenItIsCutOff wants a source that never connects to say since when
// it tries, and one that runs again not to count the time in which it rested.
func TestQ39_SinceWhenItIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newState("listen")
		for range 2 {
			time.Sleep(time.Hour) // it rests
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := reconnect(ctx, quiet, s, func(context.Context) error { return errors.New("refused") })
			cancel()
			if since := s.snapshot().Since; err != nil || since == nil || !since.Equal(began) {
				t.Errorf("it is cut off since %v (%v), want %s", since, err, began)
			}
		}
	})
}
