package kappa

import (
	"context"
	"slices"
	"sync"
	"time"
)

// runningLoop is a Loop that runs.
type runningLoop struct {
	known  *Loops // nil: nobody asks
	period time.Duration

	mu    sync.Mutex // guards what follows
	state LoopState
	due   time.Time // of the next round; that of the current one while it is under way
}

// enterLoop makes a Loop known to the Loops of a context, if it has any. Its first round is
// due after a time.
func enterLoop(ctx context.Context, l Loop, first time.Duration) *runningLoop {
	r := &runningLoop{period: l.Every, state: LoopState{Name: l.Name, Period: l.Every.Seconds()}, due: time.Now().Add(first)}
	if r.known, _ = ctx.Value(loopsKey{}).(*Loops); r.known != nil {
		r.known.mu.Lock()
		defer r.known.mu.Unlock()
		r.known.running = append(r.known.running, r)
	}
	return r
}

// leave makes it unknown.
func (r *runningLoop) leave() {
	if r.known == nil {
		return
	}
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	r.known.running = slices.DeleteFunc(r.known.running, func(other *runningLoop) bool { return other == r })
}

// begin says that a round begins, which is due now, if it was not before.
func (r *runningLoop) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Before(r.due) {
		r.due = now
	}
}

// failedInARow counts the rounds that have failed since the last one that did not.
func (r *runningLoop) failedInARow() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.FailedInARow
}

// end says how a round has ended, and after which time the next one is due.
func (r *runningLoop) end(next time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.state.LastRun, r.due = new(At(now)), now.Add(next)
	r.state.Rounds++
	if err == nil {
		r.state.FailedInARow = 0
		return
	}
	r.state.Failures++
	r.state.FailedInARow++
	r.state.LastError = new(ErrorMessage(err))
}

// now returns how it is.
func (r *runningLoop) now(now time.Time) LoopState {
	r.mu.Lock()
	defer r.mu.Unlock()
	state := r.state
	if late := now.Sub(r.due); late > max(loopPeriods*r.period, loopLateLeast) {
		state.Overdue = late.Seconds()
	}
	return state
}
