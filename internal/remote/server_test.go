package remote

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// TestTakeOversAreForgotten says that nothing is kept of a worker that is gone: how often it
// took its own place counts only while it is connected.
func TestTakeOversAreForgotten(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		kept := func() int {
			synctest.Wait()
			l.server.mu.Lock()
			defer l.server.mu.Unlock()
			return len(l.server.takeOver)
		}
		first := l.kappa(anyGroup)
		second := l.kappa(anyGroup)
		_ = endsWithin(t, first, 0, time.Minute)
		if n := kept(); n != 1 {
			t.Errorf("%d workers are known to have taken a place, want 1", n)
		}
		second.close()
		if n := kept(); n != 0 {
			t.Errorf("%d workers are kept after all have gone", n)
		}
	})
}

// TestVersionsAreLogged says that the log has what a worker says of its versions.
func TestVersionsAreLogged(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.dial(compatToken(t)+"&worker_version=1.25.0&api_version=1.2%0a", false)
		p.call("1", wire.TopicQueue, wire.EventJoin, `{}`)
		synctest.Wait() // nothing is logged any more
		if got := l.log.String(); !strings.Contains(got, "version=1.25.0 api_version=1.2\n") {
			t.Errorf("the log is %s", got)
		}
		p.close()
	})
}
