// Package await lets tests wait for what no channel tells them: that a server has taken a
// request, that a row is there, that a process is gone.
package await

import (
	"testing"
	"time"
)

// limit is reached by what hangs, and by nothing that is only slow.
const limit = time.Minute

// That polls until a condition holds. It fails the test, with what was waited for, when
// that does not come about.
func That(t testing.TB, what string, holds func() bool) {
	t.Helper()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(limit); !holds(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", limit, what)
		}
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
