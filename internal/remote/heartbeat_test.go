package remote

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// kappaAs connects and joins as kg worker number i does.
func (l *lab) kappaAs(i int) *fakePeer {
	token, err := wire.SignWorkerToken([]byte(fakeSecret), fmt.Sprintf("0c9d4f8e-5a5b-4a0e-9a43-%012d", i), time.Now())
	must(l.t, err)
	p := l.dial(token, false)
	p.call("1", wire.TopicQueue, wire.EventJoin, `{"profile":"kappa/1","types":["exec"],"groups":[{"group":"g1","queues":["*"],"max":5}]}`)
	return p
}

// TestHeartbeatsAreOneStatement has 100 workers at work, whose heartbeats come at once and then
// spread over 10 s: the database is asked for all that are there, and at most four times a second.
// Each is answered soon, with what it has lost itself.
func TestHeartbeatsAreOneStatement(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		const workers = 100
		var peers []*fakePeer
		var runs []work.RunKey
		for i := range workers {
			p := l.kappaAs(i)
			runs = append(runs, l.store.add("exec", "default"))
			peers = append(peers, p)
			l.server.wakeFor(work.WaitingPair{JobType: "exec", Queue: "default"})
			r := p.call("1", wire.TopicQueue, wire.EventClaim, `{"claim_id":"c","group":"g1","queues":["*"],"types":["exec"],"demand":1}`)
			var claimed wire.ClaimAnswer
			must(t, json.Unmarshal(r.Response, &claimed))
			if len(claimed.Runs) != 1 {
				t.Fatalf("worker %d got %+v", i, claimed)
			}
			l.confirmed(p, runs[i])
		}
		beat := func(i int) {
			began := time.Now()
			other := runs[(i+1)%workers]
			r := peers[i].call("1", wire.TopicQueue, wire.EventExtend, fmt.Sprintf(`{"runs":[{"id":%q,"tok":"%d"},{"id":%q,"tok":"%d"}]}`,
				runs[i].JobID, runs[i].Token, other.JobID, other.Token))
			var answer wire.ExtendAnswer
			must(t, json.Unmarshal(r.Response, &answer))
			if len(answer.Lost) != 1 || answer.Lost[0] != other.JobID || answer.LeaseMS != 60_000 {
				t.Errorf("worker %d: %s", i, r.Response)
			}
			if took := time.Since(began); took > 2*beatsApart {
				t.Errorf("a heartbeat was answered after %s", took)
			}
		}
		asked := func() int64 { return l.store.extended.Load() + l.store.heldAsked.Load() }
		before := asked()
		done := make(chan struct{})
		for i := range workers {
			go func() { beat(i); done <- struct{}{} }()
		}
		for range workers {
			<-done
		}
		if n := asked() - before; n > 2 {
			t.Errorf("the database was asked %d times for %d heartbeats at once", n, workers)
		}
		time.Sleep(time.Second)
		before = asked()
		for i := range workers {
			time.Sleep(100 * time.Millisecond)
			go func() { beat(i); done <- struct{}{} }()
		}
		for range workers {
			<-done
		}
		if n := asked() - before; n > 42 {
			t.Errorf("the database was asked %d times in 10 s for %d heartbeats", n, workers)
		}
		time.Sleep(time.Second)
		alone := time.Now()
		beat(0)
		if took := time.Since(alone); took > 10*time.Millisecond {
			t.Errorf("a heartbeat that came alone was answered after %s", took)
		}
		for _, p := range peers {
			p.close()
		}
		synctest.Wait()
	})
}
