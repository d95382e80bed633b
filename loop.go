package kappa

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// loopRetry is how long a Loop waits at most after a round that failed, unless it says so.
const loopRetry = 10 * time.Second

// Loop does something again and again, in rounds: the first at once, each other one at the
// latest a period after the one before has ended, and at once when it is woken.
//
// A round that fails is logged, and done again soon: after a second, then two, then four, as
// Backoff has it. Whoever put Loops into the context sees how each of its loops is.
type Loop struct {
	Name  string        // of what it does, as an operator reads it: "sweeping"
	Every time.Duration // the period
	Retry time.Duration // longest wait after a round that failed; 0 is ten seconds, or a shorter period
	Wake  <-chan struct{}
	Later bool // the first round is after a period too
	Log   *slog.Logger
}

// Run runs rounds until ctx ends; it returns nil, when the last round has ended.
func (l Loop) Run(ctx context.Context, round func(ctx context.Context) error) error {
	return l.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) { return l.Every, round(ctx) })
}

// RunPlanned is Run for rounds that say how long after them the next one is due.
func (l Loop) RunPlanned(ctx context.Context, round func(ctx context.Context) (next time.Duration, err error)) error {
	var first time.Duration
	if l.Later {
		first = l.Every
	}
	running := enterLoop(ctx, l, first)
	defer running.leave()
	timer := time.NewTimer(first)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-l.Wake: // a wake-up during a round waits here, so none is lost
		}
		running.begin()
		next, err := round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			next = l.retryIn(running.failedInARow() + 1)
			l.Log.WarnContext(ctx, l.Name+" failed", "err", err, "retry_in", next) //nolint:sloglint // the name is a constant
		}
		running.end(next, err)
		timer.Reset(next)
	}
}

// retryIn returns how long to wait after so many failures in a row.
func (l Loop) retryIn(failures int) time.Duration {
	most := l.Retry
	if most == 0 {
		most = min(l.Every, loopRetry)
	}
	return min(most, Backoff(failures, rand.Float64()))
}

// LoopState says how a loop of a server is.
type LoopState struct {
	Name     string  `json:"name"`
	Period   float64 `json:"period_seconds"`
	LastRun  *Time   `json:"last_run_at"` // when its last round ended, well or not; null before
	Rounds   int64   `json:"rounds"`      // that have ended
	Failures int64   `json:"failures"`    // of these rounds
	// FailedInARow counts the failures since the last round that went well.
	FailedInARow int     `json:"failed_in_a_row"`
	LastError    *string `json:"last_error"` // of the last round that failed; null when none has
	// Overdue is for how long a round has been due, or under way, once that is longer than
	// several periods; 0 before.
	Overdue float64 `json:"overdue_seconds"`
}

// Stuck reports whether a loop does not do what it is there for: it is overdue, or has
// failed again and again.
func (s LoopState) Stuck() bool { return s.Overdue > 0 || s.FailedInARow >= loopFailures }

const (
	loopFailures  = 5 // in a row: no hiccup
	loopPeriods   = 3 // after which a round is overdue
	loopLateLeast = time.Minute
)

// Loops knows the loops that run. The zero value knows none.
type Loops struct {
	mu      sync.Mutex // guards running
	running []*runningLoop
}

type loopsKey struct{}

// WithLoops returns a context: the loops that run under it are known to l.
func WithLoops(ctx context.Context, l *Loops) context.Context {
	return context.WithValue(ctx, loopsKey{}, l)
}

// State returns how the loops are that run now, in the order in which they began.
func (l *Loops) State() []LoopState {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]LoopState, len(l.running))
	for i, r := range l.running {
		list[i] = r.now(time.Now())
	}
	return list
}
