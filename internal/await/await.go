// Package await lets tests wait for what no channel tells them: that a server has taken a
// request, that a row is there, that a process is gone.
package await

import (
	"testing"
	"time"
)

const (
	// limit is reached by what hangs, and by nothing that is only slow.
	limit = 2 * time.Minute
	// longestPause is between two looks, when the first ones have found nothing: what is
	// waited for needs the processor too.
	longestPause = 16 * time.Millisecond
)

// That polls until a condition holds. It fails the test, with what was waited for, when
// that does not come about.
func That(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; !holds(); pause = min(2*pause, longestPause) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(pause)
	}
}

// Never fails the test when a condition holds within a time. On a busy machine it sees
// less of what it looks for, and never what is not there.
func Never(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for began := time.Now(); time.Since(began) < within; <-poll.C {
		if holds() {
			t.Fatalf("after %s: %s", time.Since(began), what)
		}
	}
}
