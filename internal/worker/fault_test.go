package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

// saves is a handler that stores two checkpoints, a second apart, and a result.
func saves(ctx context.Context, r *Run) (json.RawMessage, error) {
	for n := range 2 {
		if err := r.Save(json.RawMessage(fmt.Sprintf(`{"n":%d}`, n))); err != nil {
			return nil, err
		}
		if !kappa.Sleep(ctx, time.Second) {
			return nil, context.Cause(ctx)
		}
	}
	return json.RawMessage("{}"), nil
}

// TestRW10_Association has runs end in every way: no group keeps one, and all claim again.
func TestRW10_Association(t *testing.T) {
	handler := func(ctx context.Context, r *Run) (json.RawMessage, error) {
		switch r.ID {
		case "job_1":
			return nil, errors.New("no")
		case "job_2":
			panic("no")
		case "job_3", "job_4":
			return never(ctx, r)
		}
		return json.RawMessage("{}"), nil
	}
	withGroups(t, "a:3 *:4", handler, func(w *work) {
		m := behave(w.fakeServer, 7)
		w.set(func(s *fakeServer) {
			s.answers[wire.EventClaimAck] = func(f wire.Frame) any {
				for _, id := range []string{"job_5"} { // another has it
					m.jobs[id].Token = "0"
				}
				return m.ack(f)
			}
		})
		after(2 * time.Second)
		w.push(wire.EventCancel, wire.CancelRun{ID: "job_3"})
		after(time.Second)
		w.set(func(*fakeServer) { m.jobs["job_4"].Token = "0" }) // the join says that it is lost
		w.cut()
		after(45 * time.Second) // less than a lease, after which it is handed out again
		wantFree(t, w.worker, "after every kind of end")
		before := time.Now()
		after(12 * time.Second)
		for _, g := range []string{"g1", "g2"} {
			if len(w.claims(g, before)) == 0 {
				t.Errorf("%s does not claim any more", g)
			}
		}
	})
}

// TestRW13_CutInAClaim frees the slots of a claim that is open when the connection is lost.
func TestRW13_CutInAClaim(t *testing.T) {
	inFakeTime(t, 3, done, func(w *work) {
		w.set(func(s *fakeServer) { s.answers[wire.EventClaim] = empty(4 * time.Second) })
		after(time.Second)
		w.cut()
		after(10 * time.Millisecond)
		w.worker.mu.Lock()
		pending := w.worker.groups[0].pending
		w.worker.mu.Unlock()
		if pending != 0 {
			t.Errorf("%d slots are still asked for", pending)
		}
		before := time.Now()
		after(time.Second)
		if len(w.joins) != 2 || len(w.claims("g1", before)) != 1 {
			t.Errorf("it joined %d times, and claimed %d times after that", len(w.joins), len(w.claims("g1", before)))
		}
	})
}

// TestRW14_SameClaim asks for a claim whose answer was lost with the same id.
func TestRW14_SameClaim(t *testing.T) {
	inFakeTime(t, 2, saves, func(w *work) {
		m := behave(w.fakeServer, 2)
		lost := 0
		w.set(func(s *fakeServer) {
			s.faults = func(_ int, f wire.Frame) fault {
				if f.Event == wire.EventClaim && lost < 1 {
					lost++
					return fault{drop: true}
				}
				return fault{}
			}
		})
		after(20 * time.Second)
		m.wantCompleted(t, "after a lost answer")
		var first, second wire.Claim
		claims := w.events(wire.EventClaim)
		_ = json.Unmarshal([]byte(claims[0]), &first)
		_ = json.Unmarshal([]byte(claims[1]), &second)
		if first.ClaimID == "" || first.ClaimID != second.ClaimID {
			t.Errorf("it claimed with %s, then with %s", claims[0], claims[1])
		}
	})
}

// TestRW15_CutAnywhere cuts the connection at every frame, before it arrives and before it
// is answered: every durable event takes effect once, and no attempt is lost.
func TestRW15_CutAnywhere(t *testing.T) {
	last := 0
	for cut := 1; cut == 1 || cut <= last; cut++ {
		for _, broken := range []fault{{lost: true}, {cut: true}} {
			last = max(last, cutAt(t, map[int]fault{cut: broken}))
		}
	}
	for range 200 - 2*last { // and at two of them
		cutAt(t, map[int]fault{1 + rand.IntN(last): {lost: true}, 1 + rand.IntN(last): {cut: true}})
	}
}

// cutAt returns how many frames there are until both jobs have completed.
func cutAt(t *testing.T, cuts map[int]fault) (frames int) {
	t.Helper()
	inFakeTime(t, 2, saves, func(w *work) {
		m := behave(w.fakeServer, 2)
		w.set(func(s *fakeServer) {
			s.faults = func(n int, f wire.Frame) fault {
				if f.Event == wire.EventComplete {
					frames = n
				}
				return cuts[n]
			}
		})
		after(time.Minute)
		m.wantCompleted(t, fmt.Sprintf("cut at %v", cuts))
		wantFree(t, w.worker, fmt.Sprintf("cut at %v", cuts))
	})
	return frames
}

// TestRW17_OldAnswers has the answer to a claim come on a connection that is over: nothing
// is started by it.
func TestRW17_OldAnswers(t *testing.T) {
	var started atomic.Int32
	handler := func(context.Context, *Run) (json.RawMessage, error) {
		started.Add(1)
		return json.RawMessage("1"), nil
	}
	inFakeTime(t, 1, handler, func(w *work) {
		w.set(func(s *fakeServer) {
			given := false
			s.answers[wire.EventClaim] = func(wire.Frame) any {
				if given {
					return wire.ClaimAnswer{Runs: []wire.Run{}}
				}
				given = true
				return later{2 * time.Second, wire.ClaimAnswer{Runs: []wire.Run{aRun("job_1", "7")}}}
			}
		})
		after(time.Second)
		w.cut()
		after(time.Minute)
		if started.Load() != 0 || len(w.joins) != 2 || len(w.events(wire.EventClaimAck)) != 0 {
			t.Errorf("started %d times after %d joins", started.Load(), len(w.joins))
		}
	})
}

// TestRW21_CancelPush stops a run within 200 ms of the server's word, and says so once.
func TestRW21_CancelPush(t *testing.T) {
	var why atomic.Value
	inFakeTime(t, 1, until(&why), func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7")} })
		after(3 * time.Second)
		w.push(wire.EventCancel, wire.CancelRun{ID: "job_1", Token: "6", Reason: "cancelled"}) // of another claim
		after(200 * time.Millisecond)
		if why.Load() != nil {
			t.Fatalf("stopped by a word about another claim: %v", why.Load())
		}
		w.push(wire.EventCancel, wire.CancelRun{ID: "job_1", Token: "7", Reason: "cancelled"})
		w.push(wire.EventCancel, wire.CancelRun{ID: "job_1", Token: "7", Reason: "cancelled"})
		after(200 * time.Millisecond)
		if err, _ := why.Load().(error); !errors.Is(err, ErrCancelled) {
			t.Errorf("200 ms after the word: %v", why.Load())
		}
		after(time.Minute)
		if ends := w.events(wire.EventFail); len(ends) != 1 || !strings.Contains(ends[0], `"cancelled":true`) {
			t.Errorf("it said %q", ends)
		}
	})
}

// TestRW22_Stop asks a worker to stop at any instant, five hundred times: it ends within
// its grace, and every job is done or given back with its attempt.
func TestRW22_Stop(t *testing.T) {
	for round := range 500 {
		inFakeTime(t, 3, func(ctx context.Context, r *Run) (json.RawMessage, error) {
			_ = r.Save(json.RawMessage("{}"))
			return takes(time.Duration(rand.Int64N(int64(40*time.Second))))(ctx, r)
		}, func(w *work) {
			m := behave(w.fakeServer, 12)
			after(time.Duration(rand.Int64N(int64(30 * time.Second))))
			began := time.Now()
			w.stop()
			if round%10 == 0 { // people press twice
				after(time.Second)
				w.worker.Hurry()
			}
			err := <-w.ended
			if took := time.Since(began); err != nil || took > DefaultGrace+time.Second {
				t.Errorf("round %d: it ended after %s: %v", round, took, err)
			}
			w.ended <- nil
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, j := range m.jobs {
				if want := map[string]int{modelCompleted: 1}[j.state]; j.attempt != want || j.state != modelApproved && j.state != modelCompleted {
					t.Errorf("round %d: %s is %s at attempt %d", round, j.ID, j.state, j.attempt)
				}
			}
		})
	}
}

// TestRW23_ServerAway has the server away for twenty seconds: the runs go on, and are
// resumed within ten seconds after it is back.
func TestRW23_ServerAway(t *testing.T) {
	inFakeTime(t, 2, takes(35*time.Second), func(w *work) {
		m := behave(w.fakeServer, 2)
		after(5 * time.Second)
		w.set(func(s *fakeServer) { s.gone = true })
		w.cut()
		after(20 * time.Second)
		w.set(func(s *fakeServer) { s.gone = false })
		after(10 * time.Second)
		if n := len(w.joins); n != 2 || len(w.joins[1].Runs) != 2 {
			t.Errorf("it joined %d times, the last time with %+v", n, w.joins[n-1].Runs)
		}
		after(10 * time.Second)
		m.wantCompleted(t, "after the server was away")
	})
}

// TestRW24_LargeResult fails a run clearly whose result is too large, and goes on.
func TestRW24_LargeResult(t *testing.T) {
	inFakeTime(t, 1, func(_ context.Context, r *Run) (json.RawMessage, error) {
		if r.ID == "job_1" {
			return json.RawMessage(`"` + strings.Repeat("x", wire.MaxResult) + `"`), nil
		}
		return json.RawMessage("1"), nil
	}, func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7")} })
		after(time.Second)
		if fails := w.events(wire.EventFail); len(fails) != 1 || !strings.Contains(fails[0], "ResultTooLarge") || !strings.Contains(fails[0], `"retry":false`) {
			t.Errorf("it said %q", fails)
		}
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_2", "8")} })
		after(time.Minute)
		if len(w.events(wire.EventComplete)) != 1 || len(w.joins) != 1 {
			t.Error("it does not go on")
		}
	})
}

// TestRW25_NewTokens connects with a new token each time, and ends when its first one is
// refused; a later refusal is tried again for five minutes.
func TestRW25_NewTokens(t *testing.T) {
	refused := &refusedError{status: http.StatusUnauthorized, text: "no"}
	inFakeTime(t, 1, done, func(w *work) {
		for range 3 {
			after(time.Minute)
			w.cut()
		}
		after(time.Minute)
		seen := map[string]bool{}
		w.set(func(s *fakeServer) {
			for _, token := range s.tokens {
				seen[token] = true
			}
			s.refuses = refused
		})
		if len(seen) != 4 || len(w.tokens) != 4 {
			t.Errorf("%d tokens in %d connections", len(seen), len(w.tokens))
		}
		w.cut()
		after(4 * time.Minute)
		if len(w.ended) != 0 {
			t.Error("it ended when its token was refused for four minutes")
		}
		after(2 * time.Minute)
		if _, ok := errors.AsType[*Refused](<-w.ended); !ok {
			t.Error("it ended otherwise")
		}
		w.ended <- nil
	})
	inFakeTime(t, 1, done, func(w *work) {
		w.set(func(s *fakeServer) { s.refuses = refused })
		after(time.Minute)
		if _, ok := errors.AsType[*Refused](<-w.ended); !ok || len(w.tokens) != 1 {
			t.Errorf("it tried %d times", len(w.tokens))
		}
		w.ended <- nil
	})
}

// TestRW27_AnyOrder loses, doubles and delays the answers, and cuts the line now and then:
// in the end every event has taken effect once, and no outbox holds anything.
func TestRW27_AnyOrder(t *testing.T) {
	for trace := range 50 {
		random := rand.New(rand.NewPCG(1, uint64(trace)))
		inFakeTime(t, 3, saves, func(w *work) {
			m := behave(w.fakeServer, 6)
			calm := time.Now().Add(40 * time.Second)
			w.set(func(s *fakeServer) {
				s.faults = func(int, wire.Frame) (f fault) {
					if time.Now().After(calm) {
						return f
					}
					switch n := random.IntN(100); {
					case n < 10:
						f.drop = true
					case n < 20:
						f.twice = true
					case n < 40:
						f.late = time.Duration(random.IntN(3000)) * time.Millisecond
					case n < 43:
						f.cut = true
					}
					return f
				}
			})
			after(3 * time.Minute)
			context := fmt.Sprintf("trace %d", trace)
			m.wantCompleted(t, context)
			wantFree(t, w.worker, context)
		})
	}
}

// TestRW28_Kinds does with each error what its kind says.
func TestRW28_Kinds(t *testing.T) {
	code := func(c wire.Code) *wire.Error { return wire.NewError(c, "so it is") }
	for _, c := range []struct {
		refusal *wire.Error
		said    int  // how often the end is told
		ends    bool // the worker
	}{
		{code(wire.CodeUnavailable), 2, false},
		{code(wire.CodeBusy), 2, false},
		{code(wire.CodeRateLimited), 2, false},
		{code(wire.CodeOutOfOrder), 2, false},
		{&wire.Error{Kind: "strange", Code: "odd"}, 2, false},
		{code(wire.CodeStaleClaim), 1, false},
		{code(wire.CodeUnknownRun), 1, false},
		{code(wire.CodeAlreadyEnded), 1, false},
		{code(wire.CodeTooLarge), 1, false},
		{code(wire.CodeBadPayload), 1, false},
		{code(wire.CodeBadResult), 1, false},
		{code(wire.CodeUnknownEvent), 1, false},
		{code(wire.CodeLeaseExpired), 1, false},
		{code(wire.CodeUnsupportedProfile), 1, true},
		{code(wire.CodeUnknownType), 1, true},
		{code(wire.CodeBadGroups), 1, true},
		{code(wire.CodeIdentityInUse), 1, true},
		{code(wire.CodeBlocked), 1, true},
	} {
		inFakeTime(t, 1, done, func(w *work) {
			w.set(func(s *fakeServer) {
				s.waiting = []wire.Run{aRun("job_1", "7")}
				s.answers[wire.EventComplete] = func(wire.Frame) any {
					delete(s.answers, wire.EventComplete)
					return c.refusal
				}
			})
			after(time.Minute)
			if said := len(w.events(wire.EventComplete)); said != c.said {
				t.Errorf("%s: the end was told %d times, want %d", c.refusal.Code, said, c.said)
			}
			wantFree(t, w.worker, string(c.refusal.Code))
			if ended := len(w.ended) == 1; ended != c.ends {
				t.Errorf("%s: the worker has ended: %t", c.refusal.Code, ended)
			}
			if again := len(w.joins) == 2; again != (c.refusal.Code == wire.CodeLeaseExpired) {
				t.Errorf("%s: %d joins", c.refusal.Code, len(w.joins))
			}
		})
	}
}
