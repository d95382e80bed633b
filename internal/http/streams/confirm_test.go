package streams

import (
	"errors"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

func TestUnconfirmedStreams(t *testing.T) {
	const unconfirmed = 200 * time.Millisecond
	start := func(t *testing.T) (*backend, string) {
		t.Helper()
		b := withHistory(2, work.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.recheck, cfg.Limits.unconfirmed, cfg.Limits.keepalive = 10*time.Millisecond, unconfirmed, unconfirmed
		return b, listen(t, cfg)
	}
	t.Run("they show nothing but keepalives, and go on when they are confirmed", func(t *testing.T) {
		b, url := start(t)
		w, console := openWatch(t, url, ""), consoleOf(t, url, "?jobs=*")
		w.want("2 snapshot")
		console.want("ready", "snapshot")
		b.set(func() { b.err = errors.New("down") })
		w.want("keepalive", "keepalive") // silence of its double: the confirmation is too old
		console.want("keepalive", "keepalive")
		b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
		w.want("keepalive")
		console.want("keepalive")
		b.set(func() { b.err = nil })
		w.wantPastKeepalives("3 progress")
		console.wantPastKeepalives("progress")
	})
	t.Run("a right that was taken meanwhile ends them before they show anything", func(t *testing.T) {
		b, url := start(t)
		w := openWatch(t, url, "")
		w.want("2 snapshot")
		b.set(func() { b.err = errors.New("down") })
		w.want("keepalive", "keepalive")
		b.deliver(b.commit(knownJob, work.EventProgress, `{}`))
		b.void("id of good")
		b.set(func() { b.err = nil })
		w.wantPastKeepalives("error")
		w.wantEnd()
	})
	t.Run("what was read while the confirmation ended is not shown", func(t *testing.T) {
		b := withHistory(2, work.StatusProcessing)
		cfg := testConfig(b)
		cfg.Limits.recheck, cfg.Limits.unconfirmed = time.Hour, unconfirmed
		b.onJob = func() { <-time.After(2 * unconfirmed) }
		w := openWatch(t, listen(t, cfg), "")
		if w.resp.StatusCode != nethttp.StatusServiceUnavailable {
			t.Errorf("status %d", w.resp.StatusCode)
		}
	})
}

// TestMissedStream has a stream be authenticated before a right is taken, and be
// added after the streams were examined for that.
func TestMissedStream(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	s.streams.watched.Store(true)
	w := s.accessWatch()
	other, err := s.streams.add(principalWith("b", 7), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	b.void("a")
	if err := w.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	missed, err := s.streams.add(principalWith("a", 7), before)
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := s.streams.add(principalWith("c", 7), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !missed.revoked.Load() || other.revoked.Load() || fresh.revoked.Load() {
		t.Errorf("ended: the missed one %t, the others %t and %t", missed.revoked.Load(), other.revoked.Load(), fresh.revoked.Load())
	}
	if b.counted("reexamine b") != 1 || b.counted("reexamine c") != 0 {
		t.Errorf("queries %v: others are examined again", b.queries)
	}
}

// TestStreamsOfOneTokenInTwoRoles lowers a role between two streams of a token: the
// later one may go on, and that says nothing of the earlier one.
func TestStreamsOfOneTokenInTwoRoles(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	open := func(role string) *openStream {
		p := principalWith("a", 7)
		p.User.Role = role
		o, err := s.streams.add(p, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	var before, after []*openStream
	for range 8 { // in whatever order they are read
		before = append(before, open(access.RolePlatformAdmin))
	}
	b.set(func() { b.role, b.accessEpoch = "contributor", 2 })
	for range 8 {
		after = append(after, open("contributor"))
	}
	if err := s.accessWatch().runOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range before {
		if !before[i].revoked.Load() || after[i].revoked.Load() {
			t.Errorf("ended: %t in the old role, %t in the new one", before[i].revoked.Load(), after[i].revoked.Load())
		}
	}
}
