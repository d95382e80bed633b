package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// empty answers a claim with nothing, after so long.
func empty(after time.Duration) func(wire.Frame) any {
	return func(wire.Frame) any { return later{after, wire.ClaimAnswer{Runs: []wire.Run{}}} }
}

// forGroup answers the claims of one group so, and those of the others with nothing.
func forGroup(group string, answer func(wire.Frame) any) func(wire.Frame) any {
	return func(f wire.Frame) any {
		var c wire.Claim
		_ = json.Unmarshal(f.Payload, &c)
		if c.Group == group {
			return answer(f)
		}
		return wire.ClaimAnswer{Runs: []wire.Run{}}
	}
}

// wantBackoff checks the gaps between claims that find nothing.
func wantBackoff(t *testing.T, context string, at []time.Time) {
	t.Helper()
	for k := range len(at) - 1 {
		gap, want := at[k+1].Sub(at[k]).Seconds(), min(10, math.Pow(backoffFactor, float64(k)))
		if gap < 0.8*want || gap > 1.2*want {
			t.Errorf("%s: gap %d is %.2f s, want %.2f s", context, k, gap, want)
		}
	}
}

// never is a handler of runs that end with the test.
func never(ctx context.Context, _ *Run) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// takes returns a handler that takes so long.
func takes(d time.Duration) Handler {
	return func(ctx context.Context, _ *Run) (json.RawMessage, error) {
		if !kappa.Sleep(ctx, d) {
			return nil, context.Cause(ctx)
		}
		return json.RawMessage("{}"), nil
	}
}

// TestRW01_OwnLoops has the claims of one group unanswered: the others claim as if it
// were not there.
func TestRW01_OwnLoops(t *testing.T) {
	for name, answer := range map[string]func(wire.Frame) any{"held": func(wire.Frame) any { return nil }, "answered": empty(0)} {
		withGroups(t, "a:1 b:1", done, func(w *work) {
			began := time.Now()
			w.set(func(s *fakeServer) { s.answers[wire.EventClaim] = forGroup("g1", answer) })
			after(5 * time.Minute)
			at := w.claims("g2", began.Add(-time.Second))
			wantBackoff(t, name, at)
			if n := len(at); n < 35 || n > 55 {
				t.Errorf("%s: the other group claimed %d times in 5 minutes", name, n)
			}
		})
	}
}

// TestRW02_Full has a server hand out whatever is asked for: no group ever holds and asks
// for more than its slots, and a full one asks for nothing.
func TestRW02_Full(t *testing.T) {
	withGroups(t, "a,b:3 *:2 c:1", takes(700*time.Millisecond), func(w *work) {
		m := behave(w.fakeServer, 500)
		slots := map[string]int{"g1": 3, "g2": 2, "g3": 1}
		w.set(func(s *fakeServer) {
			s.answers[wire.EventClaim] = func(f wire.Frame) any {
				var c wire.Claim
				_ = json.Unmarshal(f.Payload, &c)
				held := 0
				for _, j := range m.jobs {
					if j.group == c.Group && m.current(j.RunKey) != nil {
						held++
					}
				}
				if held+c.Demand > slots[c.Group] || c.Demand < 1 {
					t.Errorf("%s asks for %d, holds %d and has %d slots", c.Group, c.Demand, held, slots[c.Group])
				}
				return later{time.Duration(len(s.got)%5) * 100 * time.Millisecond, m.claim(f)}
			}
		})
		after(3 * time.Minute)
		m.wantCompleted(t, "all")
		wantFree(t, w.worker, "at the end")
	})
	withGroups(t, "*:2", never, func(w *work) {
		behave(w.fakeServer, 5)
		after(time.Second)
		began := time.Now()
		after(3 * DefaultMaxBackoff)
		if n := len(w.claims("g1", began)); n != 0 {
			t.Errorf("a full group claimed %d times", n)
		}
	})
}

// TestRW03_Owner has a run of one full group end: it claims at once, and the other full
// group does not, nor does one that waits.
func TestRW03_Owner(t *testing.T) {
	handler := func(ctx context.Context, r *Run) (json.RawMessage, error) {
		if r.ID == "job_1" {
			return takes(30*time.Second)(ctx, r)
		}
		return never(ctx, r)
	}
	withGroups(t, "a:1 b:1 c:1", handler, func(w *work) {
		start := time.Now()
		w.set(func(s *fakeServer) {
			given := 0
			s.answers[wire.EventClaim] = func(f wire.Frame) any {
				var c wire.Claim
				_ = json.Unmarshal(f.Payload, &c)
				if given >= 2 || c.Group == "g3" {
					return wire.ClaimAnswer{Runs: []wire.Run{}}
				}
				given++
				return wire.ClaimAnswer{Runs: []wire.Run{aRun("job_"+c.Group[1:], fmt.Sprint(given))}}
			}
		})
		after(10 * time.Second)
		began := time.Now()
		after(19_900 * time.Millisecond)
		if n := len(w.claims("g1", began)); n != 0 {
			t.Errorf("the owner claimed %d times while it was full", n)
		}
		after(200 * time.Millisecond)
		if n := len(w.claims("g1", began)); n != 1 {
			t.Errorf("the owner claimed %d times within 100 ms of the end", n)
		}
		after(30 * time.Second)
		if n := len(w.claims("g2", began)); n != 0 {
			t.Errorf("the other group claimed %d times", n)
		}
		wantBackoff(t, "the waiting group", w.claims("g3", start.Add(-time.Second)))
	})
}

// TestRW04_List has every claim carry the list of its group, in its order.
func TestRW04_List(t *testing.T) {
	withGroups(t, "fast_lane:1 manual,bulk,*:4", takes(3*time.Second), func(w *work) {
		behave(w.fakeServer, 100)
		after(2 * time.Minute)
		want := map[string][]string{"g1": {"fast_lane"}, "g2": {"manual", "bulk", "*"}}
		most := map[string]int{"g1": 1, "g2": 4}
		for _, payload := range w.events(wire.EventClaim) {
			var c wire.Claim
			if err := json.Unmarshal([]byte(payload), &c); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(c.Queues, want[c.Group]) || c.Demand < 1 || c.Demand > most[c.Group] || c.WorkerName != "w" || !slices.Equal(c.Types, []string{"t"}) {
				t.Fatalf("it claimed with %s", payload)
			}
		}
	})
}

// TestRW05_Push has one word of work make each group with a free slot claim once, however
// long it was to wait, and none that is full; ten of them during a claim make one more.
func TestRW05_Push(t *testing.T) {
	withGroups(t, "a:1 b:2 c:1", never, func(w *work) {
		w.set(func(s *fakeServer) {
			given := false
			s.answers[wire.EventClaim] = forGroup("g1", func(wire.Frame) any {
				if given {
					return wire.ClaimAnswer{Runs: []wire.Run{}}
				}
				given = true
				return wire.ClaimAnswer{Runs: []wire.Run{aRun("job_1", "1")}}
			})
		})
		for range 20 { // in any state of the backoff
			after(3100 * time.Millisecond)
			before := time.Now()
			after(time.Nanosecond)
			w.push(wire.EventWorkAvailable, struct{}{})
			after(time.Millisecond)
			if a, b, c := len(w.claims("g1", before)), len(w.claims("g2", before)), len(w.claims("g3", before)); a != 0 || b != 1 || c != 1 {
				t.Fatalf("the groups claimed %d, %d and %d times, want 0, 1 and 1", a, b, c)
			}
		}
		before := time.Now()
		after(time.Nanosecond)
		w.push(wire.EventWorkAvailable, wire.WorkAvailable{Queues: []string{"c"}, Types: []string{"t"}})
		after(time.Millisecond)
		if b, c := len(w.claims("g2", before)), len(w.claims("g3", before)); b != 0 || c != 1 {
			t.Errorf("work for one queue made the others claim: %d and %d times", b, c)
		}
		w.set(func(s *fakeServer) { s.answers[wire.EventClaim] = empty(time.Second) })
		before = time.Now()
		after(time.Nanosecond)
		for range 10 {
			w.push(wire.EventWorkAvailable, wire.WorkAvailable{Queues: []string{"c"}})
			after(50 * time.Millisecond)
		}
		after(time.Second)
		if n := len(w.claims("g3", before)); n != 2 {
			t.Errorf("ten words during a claim made %d claims, want it and one more", n)
		}
	})
}

// TestRW06_Backoff has the claims of an idle group spread out, each group for itself; work
// resets that.
func TestRW06_Backoff(t *testing.T) {
	withGroups(t, "a:1 b:1", done, func(w *work) {
		began := time.Now()
		after(5 * time.Minute)
		for _, g := range []string{"g1", "g2"} {
			wantBackoff(t, g, w.claims(g, began.Add(-time.Second)))
		}
		w.set(func(s *fakeServer) {
			given := false
			s.answers[wire.EventClaim] = forGroup("g1", func(wire.Frame) any {
				if given {
					return wire.ClaimAnswer{Runs: []wire.Run{}}
				}
				given = true
				return wire.ClaimAnswer{Runs: []wire.Run{aRun("job_1", "1")}}
			})
		})
		after(15 * time.Second)
		ended := time.Now()
		after(2 * time.Minute)
		if at := w.claims("g2", ended); len(at) < 9 || len(at) > 15 {
			t.Errorf("the other group claimed %d times in 2 minutes", len(at))
		}
		claims := w.claims("g1", ended.Add(-15*time.Second))
		if len(claims) < 3 || claims[2].Sub(claims[1]) > 2*time.Second {
			t.Errorf("after a run the group claimed at %v", claims)
		}
	})
}

// TestRW07_Interference compares the work of a full group with and without an idle one.
func TestRW07_Interference(t *testing.T) {
	done := map[string]int{}
	for _, groups := range []string{"*:4", "*:4 fast_lane:1"} {
		withGroups(t, groups, takes(100*time.Millisecond), func(w *work) {
			m := behave(w.fakeServer, 1200)
			w.set(func(s *fakeServer) { s.answers[wire.EventClaim] = forGroup("g1", m.claim) })
			after(20 * time.Second)
			done[groups] = len(w.events(wire.EventComplete))
		})
	}
	alone, beside := done["*:4"], done["*:4 fast_lane:1"]
	if alone < 600 || math.Abs(float64(beside-alone)) > 0.05*float64(alone) {
		t.Errorf("%d runs beside an idle group, and %d alone", beside, alone)
	}
}

// TestRW08_Join has the join name the capacity, the queues and the groups.
func TestRW08_Join(t *testing.T) {
	withGroups(t, "fast_lane:1 manual>*:4 fast_lane:2", done, func(w *work) {
		after(time.Second)
		j := w.joins[0]
		if j.Capacity != 7 || string(j.Queues) != `{"fast_lane":3,"manual,*":4}` || j.Profile != wire.Profile || j.LeaseMS != 60_000 {
			t.Errorf("it joined with %+v, queues %s", j, j.Queues)
		}
		if got := fmt.Sprint(j.Groups); got != "[{g1 [fast_lane] 1} {g2 [manual *] 4} {g3 [fast_lane] 2}]" {
			t.Errorf("it joined with the groups %s", got)
		}
	})
}

// TestRW09_SingleGroup has one group behave as the old capacity did: five runs at most.
func TestRW09_SingleGroup(t *testing.T) {
	withGroups(t, "manual,*:5", takes(time.Second), func(w *work) {
		m := behave(w.fakeServer, 60)
		for range 300 {
			after(100 * time.Millisecond)
			held := 0
			m.mu.Lock()
			for _, j := range m.jobs {
				if m.current(j.RunKey) != nil {
					held++
				}
			}
			m.mu.Unlock()
			if held > 5 {
				t.Fatalf("%d runs at once", held)
			}
		}
		m.wantCompleted(t, "all")
		for _, payload := range w.events(wire.EventClaim) {
			if !strings.Contains(payload, `"queues":["manual","*"]`) {
				t.Fatalf("it claimed with %s", payload)
			}
		}
	})
}

// TestRW11_ClaimRate has a worker claim no more often after fifty runs than a fresh one.
func TestRW11_ClaimRate(t *testing.T) {
	idle := func(runs int) (claims int) {
		withGroups(t, "a:2 *:3", takes(time.Second), func(w *work) {
			m := behave(w.fakeServer, runs)
			after(5 * time.Minute)
			m.wantCompleted(t, "all")
			began := time.Now()
			after(2 * time.Hour)
			claims = len(w.claims("g1", began)) + len(w.claims("g2", began))
		})
		return claims
	}
	fresh, used := idle(0), idle(50)
	if math.Abs(float64(used-fresh)) > 0.05*float64(fresh) {
		t.Errorf("%d claims after fifty runs, %d of a fresh worker", used, fresh)
	}
}

// TestRW12_WokenInAClaim has a word of work come at every instant of a claim that finds
// nothing: the group claims again, and no loop has ended.
func TestRW12_WokenInAClaim(t *testing.T) {
	for instant := range 24 {
		withGroups(t, "*:1", done, func(w *work) {
			w.set(func(s *fakeServer) { s.answers[wire.EventClaim] = empty(time.Second) })
			after(time.Duration(instant)*50*time.Millisecond + 2*time.Millisecond) // once it is connected
			pushed := time.Now()
			w.push(wire.EventWorkAvailable, struct{}{})
			after(1050 * time.Millisecond) // the claim is over by then
			if n := len(w.claims("g1", pushed.Add(-time.Nanosecond))); n == 0 {
				t.Errorf("woken %d ms after its claim began, it did not claim", 50*instant)
			}
			before := time.Now()
			after(12 * time.Second)
			if len(w.claims("g1", before)) == 0 {
				t.Errorf("woken %d ms after its claim began, the loop has ended", 50*instant)
			}
		})
	}
}
