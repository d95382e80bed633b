package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	sweepEvery   = 2 * time.Second
	sweepTimeout = 10 * time.Second // of one statement
	rescueBatch  = 500              // jobs that are taken back in one transaction
	lockedPause  = 100 * time.Millisecond
)

// SweeperConfig is what a Sweeper works with.
type SweeperConfig struct {
	Store interface {
		Sweep(ctx context.Context, term int64, within time.Duration, most int) (work.Sweep, error)
		MakeDue(ctx context.Context, within time.Duration) (types []string, next time.Duration, err error)
		Rescue(ctx context.Context, term int64, most int) (map[string]work.Status, error)
	}
	Wake    func()                                // called when jobs became due
	Waiting func(began time.Time, types []string) // is told which types waited then; may be nil
	Overdue func()                                // called when reservations of remote workers are to be taken back
	Rescues *Rescues                              // counts the jobs that are taken back; nil counts nothing
	Log     *slog.Logger
}

// Sweeper rescues the jobs of dead workers and makes jobs due, so that lanes can claim
// them when their time has come. It does both in one transaction: together they are
// most of what an idle leader asks.
type Sweeper struct{ cfg SweeperConfig }

// NewSweeper returns a Sweeper; Run makes it sweep.
func NewSweeper(cfg SweeperConfig) *Sweeper {
	kappa.Require(cfg, "Waiting", "Rescues")
	return &Sweeper{cfg}
}

// Run sweeps under a leader's term until ctx ends: every two seconds, and between
// that it makes jobs due at the instant they wait for. It returns nil. What fails is
// logged and done again.
func (s *Sweeper) Run(ctx context.Context, term int64) error {
	var nextSweep time.Time
	var due dueTimes
	loop := kappa.Loop{Name: "sweeping", Every: sweepEvery, Log: s.cfg.Log.With("term", term)}
	return loop.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) {
		round := s.makeDue
		if now := time.Now(); now.After(nextSweep) {
			nextSweep = now.Add(sweepEvery - sweepEvery/10)
			round = func(ctx context.Context) ([]string, time.Duration, error) { return s.runOnce(ctx, term) }
		}
		types, wait, err := round(ctx)
		if len(types) > 0 {
			s.cfg.Wake()
		}
		if err != nil {
			return 0, err
		}
		return due.next(types, wait), nil
	})
}

// runOnce rescues the jobs of dead workers and makes jobs due. It returns the types
// of these, and for how long no other job becomes due.
func (s *Sweeper) runOnce(ctx context.Context, term int64) (types []string, wait time.Duration, err error) {
	sweepCtx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	began := time.Now()
	swept, err := s.cfg.Store.Sweep(sweepCtx, term, sweepEvery, rescueBatch)
	if err != nil {
		return nil, 0, err
	}
	if s.cfg.Waiting != nil {
		s.cfg.Waiting(began, swept.Waiting)
	}
	if swept.Overdue {
		s.cfg.Overdue()
	}
	s.cfg.Rescues.report(ctx, s.cfg.Log, work.TakenWorkerLost, swept.Rescued)
	if len(swept.Rescued) < rescueBatch {
		return swept.Due, swept.Next, nil
	}
	_, err = batches(ctx, sweepTimeout, func(ctx context.Context) (int, bool, error) {
		jobs, err := s.cfg.Store.Rescue(ctx, term, rescueBatch)
		s.cfg.Rescues.report(ctx, s.cfg.Log, work.TakenWorkerLost, jobs)
		return len(jobs), len(jobs) >= rescueBatch, err
	})
	return swept.Due, swept.Next, err
}

// makeDue makes jobs due between two sweeps; it returns what runOnce does.
func (s *Sweeper) makeDue(ctx context.Context) (types []string, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	return s.cfg.Store.MakeDue(ctx, sweepEvery)
}

// dueTimes says when to make jobs due the next time.
type dueTimes struct {
	pause time.Duration // after a round that found a job which is due and stayed as it was
}

// next returns when: exactly when the next job becomes due, or after the pause between
// sweeps. A job that is due already and stays as it is has a row that somebody has
// locked, for as long as they like: the rounds for it become fewer.
func (d *dueTimes) next(types []string, wait time.Duration) time.Duration {
	if wait > 0 || len(types) > 0 {
		d.pause = 0
		return max(wait, time.Millisecond)
	}
	d.pause = min(max(2*d.pause, time.Millisecond), lockedPause)
	return d.pause
}
