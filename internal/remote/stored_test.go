package remote

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// TestCountsAreKept has the database away when counts of a worker are stored: they are
// stored later, and those of a worker that goes meanwhile too.
func TestCountsAreKept(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		_, topic, _ := l.joined(p)
		p.call("r", topic, wire.EventRunComplete, `{"reason":"success"}`)
		l.store.away.Store(true)
		time.Sleep(2 * seenEvery)
		l.store.away.Store(false)
		time.Sleep(2 * seenEvery)
		if got := l.store.completed.Load(); got != 1 {
			t.Errorf("%d completed runs are stored, want 1", got)
		}
		l.store.away.Store(false)
		p.close()
	})
}

// TestOneQuestionForAll has many workers of the compatible profile at work: the database is
// asked once for all of them what is to stop.
func TestOneQuestionForAll(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		var peers []*fakePeer
		for range 20 {
			p := l.compat()
			l.joined(p)
			peers = append(peers, p)
		}
		before := l.store.heldAsked.Load()
		time.Sleep(seenEvery + time.Second)
		if asked := l.store.heldAsked.Load() - before; asked < 1 || asked > 2 {
			t.Errorf("the database was asked %d times in 6 s for 20 workers", asked)
		}
		for _, p := range peers {
			p.close()
		}
	})
}

// TestWakeAllAsks says that what waits is asked at once when notifications may have been
// lost.
func TestWakeAllAsks(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		time.Sleep(pollEvery + 10*time.Millisecond)
		before := l.store.marked.Load()
		l.server.WakeAll()
		time.Sleep(10 * time.Millisecond)
		if l.store.marked.Load() != before+1 {
			t.Error("nothing was asked")
		}
		p.close()
	})
}

// TestStopWithTheDatabaseAway says that a stop waits for no event which waits for the
// database.
func TestStopWithTheDatabaseAway(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		_, topic, _ := l.joined(p)
		l.store.away.Store(true)
		p.send("r", topic, wire.EventRunComplete, `{"reason":"success"}`)
		time.Sleep(time.Second)
		began := time.Now()
		l.server.Stop()
		_ = endsWithin(t, p, 0, 10*time.Second)
		l.server.open.Wait()
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the stop took %s", took)
		}
		p.close()
	})
}

// TestAnEndIsNotLate says that a run whose end is stored, and the answer to that lost, is
// not taken for another's.
func TestAnEndIsNotLate(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.compat()
		key, topic, _ := l.joined(p)
		l.store.loseEnd.Store(true)
		p.call("r", topic, wire.EventRunComplete, `{"reason":"success"}`)
		time.Sleep(2 * time.Second)
		if ended := l.store.outcomes(); len(ended) != 1 || ended[0].JobID != key.JobID || ended[0].Status != work.StatusCompleted {
			t.Errorf("the run has ended as %+v", ended)
		}
		if late := l.server.metrics.late.Load(); late != 0 {
			t.Errorf("%d runs are late", late)
		}
		p.close()
	})
}

// TestEveryGroupClaims says that each of many slot groups may claim at once when the worker
// joins.
func TestEveryGroupClaims(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for groups, most := range map[int]int{1: claimsPerSecond, 60: 120} {
		var g guard
		for i := range most + 1 {
			if g.allow(at, groups) != (i < most) {
				t.Errorf("claim %d of %d groups in a second is not what it should be", i+1, groups)
			}
		}
	}
}

// TestManyGroupsStart has a worker of 60 slot groups join while work waits in each: every
// group gets its job at once.
func TestManyGroupsStart(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		var groups []string
		for i := range 60 {
			l.store.add("exec", "q"+strconv.Itoa(i))
			groups = append(groups, fmt.Sprintf(`{"group":"g%d","queues":["q%d"],"max":1}`, i, i))
		}
		l.server.WakeAll()
		p := l.kappa("[" + strings.Join(groups, ",") + "]")
		time.Sleep(pollEvery + 10*time.Millisecond)
		began := time.Now()
		for i := range 60 {
			r := p.call("1", wire.TopicQueue, wire.EventClaim, fmt.Sprintf(`{"group":"g%d","queues":["q%d"],"types":["exec"],"demand":1}`, i, i))
			if !strings.Contains(string(r.Response), `"id":"job_`) {
				t.Errorf("group %d got %s", i, r.Response)
			}
		}
		if took := time.Since(began); took > 10*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		p.close()
	})
}

// TestRejoinWhileAClaimIsUnderWay has a worker join again before its claim is answered: the
// slots of that claim are given back once, and its group takes no more than it has.
func TestRejoinWhileAClaimIsUnderWay(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		const groups = `[{"group":"g1","queues":["q"],"max":1},{"group":"g2","queues":["p"],"max":4}]`
		const claim = `{"group":"g1","queues":["q"],"demand":1}`
		l.store.add("exec", "q")
		p := l.kappa(groups)
		time.Sleep(pollEvery + time.Second)
		l.store.claimTakes = time.Second
		p.send("1", wire.TopicQueue, wire.EventClaim, claim)
		time.Sleep(100 * time.Millisecond)
		p.call("2", wire.TopicQueue, wire.EventJoin, `{"profile":"kappa/1","types":["exec"],"groups":`+groups+`}`)
		time.Sleep(2 * time.Second)
		l.store.add("exec", "q")
		l.server.WakeAll()
		time.Sleep(time.Second)
		if r := p.call("2", wire.TopicQueue, wire.EventClaim, claim); strings.Contains(string(r.Response), "job_") {
			t.Errorf("a group of one slot, which is taken, gets %s", r.Response)
		}
		p.close()
	})
}
