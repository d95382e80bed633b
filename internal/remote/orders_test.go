package remote

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// order stores what an operator wants, and says so as the database does.
func (l *lab) order(what string, change func(o *work.RemoteOrders)) {
	l.store.mu.Lock()
	l.store.orders.Number++
	change(&l.store.orders)
	l.store.mu.Unlock()
	if what != "" {
		l.server.Notified(what + " 0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d22")
		synctest.Wait()
	}
}

// heard returns the last orders that were pushed, and drops what else has come.
func (p *fakePeer) heard() (o *wire.Orders) {
	synctest.Wait()
	for {
		select {
		case f := <-p.read:
			if f.Event == wire.EventOrders {
				o = &wire.Orders{}
				must(p.t, json.Unmarshal(f.Payload, o))
			}
		default:
			return o
		}
	}
}

// TestOrders says that a worker hears what an operator wants of it: at once, with a heartbeat
// when the notification was lost, and when it joins; that nothing is given to it while it
// drains, and that it is woken when it is to work again.
func TestOrders(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, l *lab) {
		p := l.kappa(`[{"group":"g1","queues":["*"],"max":2}]`)
		claims := func() bool {
			r := p.call("1", wire.TopicQueue, wire.EventClaim, `{"group":"g1","queues":["*"],"demand":1}`)
			return strings.Contains(string(r.Response), "job_")
		}
		l.store.add("exec", "default")
		time.Sleep(3 * time.Second)
		l.order("drain", func(o *work.RemoteOrders) { o.Draining = true })
		if o := p.heard(); o == nil || o.Drain == nil || o.Number != 1 {
			t.Fatalf("the worker heard %+v", o)
		}
		if claims() {
			t.Error("a worker that drains was given a job")
		}
		l.server.mu.Lock()
		session := l.server.sessions[0]
		l.server.mu.Unlock()
		session.obey(work.RemoteOrders{}) // read before the others, by a statement that was slow
		if claims() {
			t.Error("older orders were obeyed")
		}
		l.order("undrain", func(o *work.RemoteOrders) { o.Draining = false })
		woken := 0
		for f := (wire.Frame{}); f.Event != wire.EventWorkAvailable && woken < 10; woken++ {
			f = <-p.read
		}
		if !claims() {
			t.Error("a worker that was undrained gets nothing")
		}
		l.order("", func(o *work.RemoteOrders) { o.Groups = []work.SlotGroup{{Queues: []string{"a"}, Max: 3}} })
		r := p.call("1", wire.TopicQueue, wire.EventExtend, `{}`)
		if !strings.Contains(string(r.Response), `"groups":[{"queues":["a"],"max":3}]`) || !strings.Contains(string(r.Response), `"drain":null`) {
			t.Errorf("a heartbeat was answered with %s", r.Response)
		}
		if r = p.call("1", wire.TopicQueue, wire.EventJoin, `{"profile":"kappa/1","types":["exec"],"groups":[{"group":"g1","queues":["*"],"max":2}]}`); !strings.Contains(string(r.Response), `"groups":[{"queues":["a"]`) {
			t.Errorf("a join was answered with %s", r.Response)
		}
		p.close()
	})
}

// TestRegroupedIsNoTakeOver has a worker come back with other slot groups again and again,
// before the server has seen its last connection end: it is not taken for two processes, as one
// is that was told nothing.
func TestRegroupedIsNoTakeOver(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		inFakeTime(t, func(t *testing.T, l *lab) {
			const groups = `[{"group":"g1","queues":["*"],"max":2}]`
			var peers []*fakePeer
			for i := range 10 {
				peers = append(peers, l.kappa(groups))
				if told {
					l.order("groups", func(o *work.RemoteOrders) { o.Groups = []work.SlotGroup{{Queues: []string{"*"}, Max: 3 + i}} })
				}
				time.Sleep(time.Second)
			}
			if contested := strings.Contains(l.log.String(), "two processes"); contested == told {
				t.Errorf("told of other groups: %v, taken for two processes: %v", told, contested)
			}
			for _, p := range peers {
				p.close()
			}
		})
	}
}

// TestMemoryOfRefusedFrames ends connections with a large message that is refused, for coming
// too often or for being no frame: what it took of the memory for large messages comes back.
func TestMemoryOfRefusedFrames(t *testing.T) {
	t.Parallel()
	large := `["1","1","phoenix","heartbeat",{"x":"` + strings.Repeat("x", 2*largeMessage) + `"}]`
	for name, c := range map[string]struct {
		message string
		flood   bool
	}{
		"too many frames":          {large, true},
		"no frame":                 {"{" + large, false},
		"a frame that is answered": {large, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, func(t *testing.T, l *lab) {
				for range 3 {
					p := l.kappa(`[{"group":"g1","queues":["*"],"max":2}]`)
					if c.flood { // the next frame is one too many
						l.server.mu.Lock()
						session := l.server.sessions[len(l.server.sessions)-1]
						l.server.mu.Unlock()
						session.socket.rate = rate{second: time.Now().Unix(), busy: busySeconds}
					}
					_ = p.conn.Write(t.Context(), 1, []byte(c.message))
					time.Sleep(time.Second)
					if ended := p.over() != nil; ended != (name != "a frame that is answered") {
						t.Errorf("the connection has ended: %v", ended)
					}
					p.close()
					time.Sleep(time.Second)
				}
				l.server.large.mu.Lock()
				defer l.server.large.mu.Unlock()
				if free := l.server.large.free; free != largeMemory {
					t.Errorf("%d bytes are left of %d", free, largeMemory)
				}
			})
		})
	}
}
