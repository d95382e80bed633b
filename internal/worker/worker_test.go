package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// until is a handler that waits until the run is to stop, and records why.
func until(why *atomic.Value) Handler {
	return func(ctx context.Context, _ *Run) (json.RawMessage, error) {
		<-ctx.Done()
		why.Store(context.Cause(ctx))
		return nil, context.Cause(ctx)
	}
}

func done(context.Context, *Run) (json.RawMessage, error) { return json.RawMessage(`{"ok":true}`), nil }

// TestRunIsDone claims, confirms, works and tells the end, once each.
func TestRunIsDone(t *testing.T) {
	inFakeTime(t, 2, done, func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7")} })
		after(time.Second)
		if ends := w.events(wire.EventComplete); len(ends) != 1 || !strings.Contains(ends[0], `"ok":true`) || !strings.Contains(ends[0], `"tok":"7"`) {
			t.Errorf("it said %q", ends)
		}
		if acks := w.events(wire.EventClaimAck); len(acks) != 1 {
			t.Errorf("it confirmed %q", acks)
		}
		before := len(w.events(wire.EventClaim))
		after(time.Hour)
		// With nothing to do it asks every ten seconds, give or take a fifth.
		if n := len(w.events(wire.EventClaim)) - before; n < 250 || n > 500 {
			t.Errorf("%d claims in an hour", n)
		}
	})
}

// TestResend loses the answer to the end of a run with the connection: the next join names
// the run, and the end is told again with its number.
func TestResend(t *testing.T) {
	inFakeTime(t, 1, done, func(w *work) {
		w.set(func(s *fakeServer) {
			s.waiting = []wire.Run{aRun("job_1", "7")}
			s.answers[wire.EventComplete] = func(wire.Frame) any { return nil }
			s.joinKept = []wire.RunKept{{ID: "job_1", State: wire.RunYours}}
		})
		after(time.Second)
		w.cut()
		w.set(func(s *fakeServer) { delete(s.answers, wire.EventComplete) })
		after(5 * time.Second)
		ends := w.events(wire.EventComplete)
		if len(ends) != 2 || ends[0] != ends[1] {
			t.Errorf("it said %q", ends)
		}
		if len(w.joins) != 2 || len(w.joins[1].Runs) != 1 || w.joins[1].Runs[0].ID != "job_1" {
			t.Errorf("it joined with %+v", w.joins)
		}
		after(time.Minute)
		if again := w.events(wire.EventComplete); len(again) != 2 {
			t.Errorf("it said %q", again)
		}
	})
}

// TestUnansweredEnd tells the end of a run again on the same connection.
func TestUnansweredEnd(t *testing.T) {
	inFakeTime(t, 1, done, func(w *work) {
		tries := 0
		w.set(func(s *fakeServer) {
			s.waiting = []wire.Run{aRun("job_1", "7")}
			s.answers[wire.EventComplete] = func(f wire.Frame) any {
				if tries++; tries < 3 {
					return nil
				}
				return s.usual(f)
			}
		})
		after(time.Minute)
		if ends := w.events(wire.EventComplete); len(ends) != 3 || ends[0] != ends[2] {
			t.Errorf("it said %q", ends)
		}
	})
}

// TestRW16_Fence stops the runs before the lease is over, when no heartbeat is answered, and says
// nothing of them while it cannot know that it holds them.
func TestRW16_Fence(t *testing.T) {
	var why atomic.Value
	inFakeTime(t, 1, until(&why), func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7")} })
		after(time.Second)
		w.set(func(s *fakeServer) { s.gone = true })
		w.cut()
		after(50 * time.Second)
		if why.Load() != nil {
			t.Fatalf("stopped after 51 s of a lease of 60 s: %v", why.Load())
		}
		after(5 * time.Second)
		if err, _ := why.Load().(error); !errors.Is(err, ErrFenced) {
			t.Errorf("after 56 s of a lease of 60 s: %v", err)
		}
		said := len(w.events(wire.EventFail)) + len(w.events(wire.EventRelease)) + len(w.events(wire.EventComplete))
		if said != 0 {
			t.Errorf("it told %d ends", said)
		}
	})
}

// TestNotConfirmed does not start a run whose reservation is over.
func TestNotConfirmed(t *testing.T) {
	var started atomic.Int32
	handler := func(context.Context, *Run) (json.RawMessage, error) {
		started.Add(1)
		return json.RawMessage("1"), nil
	}
	inFakeTime(t, 1, handler, func(w *work) {
		w.set(func(s *fakeServer) {
			s.waiting = []wire.Run{aRun("job_1", "7")}
			s.answers[wire.EventClaimAck] = func(wire.Frame) any { return wire.AckAnswer{Lost: []string{"job_1"}} }
		})
		after(time.Minute)
		if started.Load() != 0 || len(w.events(wire.EventComplete)) != 0 {
			t.Error("it was started")
		}
		// The slot is free for another one, but not for an older claim of the same job.
		w.set(func(s *fakeServer) {
			delete(s.answers, wire.EventClaimAck)
			s.waiting = []wire.Run{aRun("job_1", "6")}
		})
		after(time.Minute)
		if acks := w.events(wire.EventClaimAck); started.Load() != 0 || !strings.Contains(acks[len(acks)-1], "newer claim") {
			t.Errorf("it confirmed %q", acks)
		}
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "8")} })
		after(time.Minute)
		if started.Load() != 1 {
			t.Errorf("started %d times", started.Load())
		}
	})
}

// TestRW21_CancelByHeartbeat stops a run that the server cancels, and says so.
func TestRW21_CancelByHeartbeat(t *testing.T) {
	var why atomic.Value
	inFakeTime(t, 1, until(&why), func(w *work) {
		w.set(func(s *fakeServer) {
			s.waiting = []wire.Run{aRun("job_1", "7")}
			s.answers[wire.EventExtend] = func(wire.Frame) any {
				return wire.ExtendAnswer{LeaseMS: 60_000, Cancel: []wire.CancelRun{{ID: "job_1", Reason: "cancelled"}}}
			}
		})
		after(15 * time.Second)
		ends := w.events(wire.EventFail)
		if err, _ := why.Load().(error); !errors.Is(err, ErrCancelled) || len(ends) != 1 || !strings.Contains(ends[0], `"cancelled":true`) {
			t.Errorf("%v, it said %q", why.Load(), ends)
		}
	})
}

// TestStop hands back what has not ended when the grace is over.
func TestStop(t *testing.T) {
	var why atomic.Value
	inFakeTime(t, 1, until(&why), func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7")} })
		after(time.Second)
		claims := len(w.events(wire.EventClaim))
		w.stop()
		after(20 * time.Second)
		if why.Load() != nil {
			t.Fatalf("stopped within the grace of 30 s: %v", why.Load())
		}
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_2", "9")} })
		after(11 * time.Second)
		if err, _ := why.Load().(error); !errors.Is(err, ErrDrain) || len(w.events(wire.EventRelease)) != 1 || len(w.events(wire.EventClaim)) > claims+1 {
			t.Errorf("%v, released %q", why.Load(), w.events(wire.EventRelease))
		}
		if err := <-w.ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		w.ended <- nil
	})
}

// TestRefused ends the worker when the server says that it is not wanted.
func TestRefused(t *testing.T) {
	inFakeTime(t, 1, done, func(w *work) {
		w.set(func(s *fakeServer) {
			s.answers[wire.EventExtend] = func(wire.Frame) any {
				return &wire.Error{Kind: wire.KindFatal, Code: "blocked", Message: "an operator has blocked it"}
			}
		})
		after(time.Minute)
		err := <-w.ended
		if refused, ok := errors.AsType[*Refused](err); !ok || !strings.Contains(refused.Reason, "blocked") {
			t.Errorf("Run returned %v", err)
		}
		w.ended <- err
	})
}

// TestPanic has a handler that panics fail its run, and no other.
func TestPanic(t *testing.T) {
	inFakeTime(t, 2, func(_ context.Context, r *Run) (json.RawMessage, error) {
		if r.ID == "job_1" {
			panic("no")
		}
		return json.RawMessage("1"), nil
	}, func(w *work) {
		w.set(func(s *fakeServer) { s.waiting = []wire.Run{aRun("job_1", "7"), aRun("job_2", "8")} })
		after(time.Second)
		if fails, ends := w.events(wire.EventFail), w.events(wire.EventComplete); len(fails) != 1 || !strings.Contains(fails[0], "Panic") || len(ends) != 1 {
			t.Errorf("it said %q and %q", fails, ends)
		}
	})
}
