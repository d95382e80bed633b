package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// order has the server want something of the worker, and says so by itself if it is pushed.
func (w *work) order(pushed bool, change func(o *wire.Orders)) {
	w.set(func(s *fakeServer) {
		s.orders.Number++
		change(&s.orders)
	})
	if pushed {
		w.push(wire.EventOrders, w.orders)
	}
}

// TestUndrained drains a worker, as an operator does, and has it work again: by what the
// server pushes, by the answer to a heartbeat, and by that to a join.
func TestUndrained(t *testing.T) {
	for name, deliver := range map[string]func(w *work, change func(o *wire.Orders)){
		"pushed": func(w *work, change func(o *wire.Orders)) { w.order(true, change) },
		"by a heartbeat": func(w *work, change func(o *wire.Orders)) {
			w.order(false, change)
			after(11 * time.Second)
		},
		"by a join": func(w *work, change func(o *wire.Orders)) {
			w.order(false, change)
			w.cut()
			after(time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inFakeTime(t, 2, done, func(w *work) {
				after(time.Second)
				deliver(w, func(o *wire.Orders) { o.Drain = &wire.Drain{GraceMS: 60_000} })
				after(time.Millisecond)
				drained := time.Now()
				after(2 * time.Minute)
				if n := len(w.claims("g1", drained)); n != 0 {
					t.Errorf("a worker that drains claimed %d times", n)
				}
				if n := len(w.events(wire.EventDrain)); n != 0 {
					t.Errorf("it said %d times that it drains by itself", n)
				}
				again := time.Now().Add(-1)
				deliver(w, func(o *wire.Orders) { o.Drain = nil })
				after(10 * time.Millisecond)
				if n := len(w.claims("g1", again)); n == 0 {
					t.Error("it does not claim again")
				}
				w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_000000000001", "7")} })
				after(time.Minute)
				if n := len(w.events(wire.EventComplete)); n != 1 {
					t.Errorf("%d runs have completed, want 1", n)
				}
			})
		})
	}
}

// TestOlderOrders says that orders which come after later ones change nothing.
func TestOlderOrders(t *testing.T) {
	inFakeTime(t, 2, done, func(w *work) {
		after(time.Second)
		w.set(func(s *fakeServer) { s.orders.Number = 8 })
		w.push(wire.EventOrders, wire.Orders{Number: 8})
		w.push(wire.EventOrders, wire.Orders{Number: 7, Drain: &wire.Drain{GraceMS: 60_000}, Groups: []wire.SlotGroup{{Queues: []string{"a"}, Max: 1}}})
		before := time.Now()
		after(30 * time.Second)
		if len(w.joins) != 1 || len(w.claims("g1", before)) == 0 {
			t.Errorf("it joined %d times, and claimed %d times", len(w.joins), len(w.claims("g1", before)))
		}
	})
}

func groupsOf(j wire.Join) string {
	var words []string
	for _, g := range j.Groups {
		words = append(words, fmt.Sprintf("%s=%s:%d", g.Group, strings.Join(g.Queues, ","), g.Max))
	}
	return strings.Join(words, " ")
}

// TestRegrouped gives a worker other slot groups while it holds a run: it takes them at once
// and through connections, the run goes on, a group whose queues stay keeps its name and what
// it holds, and in the end its own groups come back.
func TestRegrouped(t *testing.T) {
	withGroups(t, "a:1 b:1", never, func(w *work) {
		w.set(func(s *fakeServer) {
			s.waiting = []wire.Run{aRun("job_000000000001", "7")}
			s.joinKept = []wire.RunKept{{ID: "job_000000000001", State: wire.RunYours}}
		})
		after(time.Second)
		w.worker.mu.Lock()
		holder := w.worker.runs["job_000000000001"].group.name
		w.worker.mu.Unlock()
		last := func() wire.Join { return w.joins[len(w.joins)-1] }
		changed := time.Now()
		w.order(true, func(o *wire.Orders) {
			o.Groups = []wire.SlotGroup{{Queues: []string{"b"}, Max: 3}, {Queues: []string{"c", "*"}, Max: 2}}
		})
		after(10 * time.Millisecond)
		if got := groupsOf(last()); len(w.joins) != 2 || got != "g2=b:3 g3=c,*:2" || last().Capacity != 5 {
			t.Fatalf("joined %d times, with %s", len(w.joins), got)
		}
		if runs := last().Runs; len(runs) != 1 || runs[0].ID != "job_000000000001" {
			t.Errorf("the join names %+v, want the run that %s holds", runs, holder)
		}
		after(5 * time.Second)
		for group, claims := range map[string]bool{"g1": false, "g2": true, "g3": true} {
			if n := len(w.claims(group, changed)); n > 0 != claims {
				t.Errorf("group %s claimed %d times", group, n)
			}
		}
		w.cut()
		after(5 * time.Second)
		if got := groupsOf(last()); len(w.joins) != 3 || got != "g2=b:3 g3=c,*:2" {
			t.Errorf("after a cut it joined with %s, %d times", got, len(w.joins))
		}
		w.order(false, func(o *wire.Orders) { o.Groups = nil })
		after(15 * time.Second) // a heartbeat says so
		if got := groupsOf(last()); len(w.joins) != 4 || got != "g4=a:1 g2=b:1" {
			t.Errorf("its own groups are %s, after %d joins", got, len(w.joins))
		}
		if n := len(w.events(wire.EventRelease)) + len(w.events(wire.EventFail)); n != 0 || len(last().Runs) != 1 {
			t.Errorf("the run has ended: %d, %+v", n, last().Runs)
		}
	})
}
