package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	rescueEvery   = 2 * time.Second
	staleEvery    = 30 * time.Second
	expireEvery   = time.Minute
	rescueBatch   = 500
	schedulerCall = 10 * time.Second // limit of one look
	lockedPause   = 100 * time.Millisecond
)

// housekeeping is what the Scheduler asks of the store.
type housekeeping interface {
	Sweep(ctx context.Context, term int64, within time.Duration, most int) (kappa.Sweep, error)
	MakeDue(ctx context.Context, within time.Duration) (types []string, next time.Duration, err error)
	Rescue(ctx context.Context, term int64, most int) (map[string]kappa.Status, error)
	RecoverStale(ctx context.Context, term int64, most int) (map[string]kappa.Status, error)
	ExpireJobs(ctx context.Context) (int, error)
}

// Scheduler keeps the queue moving: it makes jobs due, takes back those of dead
// and stuck workers, and cancels what nobody approved in time. It writes under
// the leader's term.
type Scheduler struct {
	store   housekeeping
	term    int64
	wake    func()        // called when jobs became due
	pause   time.Duration // after a look at what is due and could not be made so
	rescues *Rescues      // counts the jobs that are taken back
	log     *slog.Logger
}

// NewScheduler returns a Scheduler; wake is called when jobs became due, and the
// jobs that it takes back are counted in rescues, which may be nil.
func NewScheduler(store housekeeping, term int64, wake func(), rescues *Rescues, log *slog.Logger) *Scheduler {
	return &Scheduler{store: store, term: term, wake: wake, rescues: rescues, log: log.With("term", term)}
}

// Run keeps house until ctx ends; it returns nil. A look that fails is logged
// and taken again.
func (s *Scheduler) Run(ctx context.Context) error {
	due := time.NewTimer(0)
	defer due.Stop()
	var nextRescue, nextStale, nextExpire time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-due.C:
		}
		var next time.Duration
		if now := time.Now(); now.After(nextRescue) {
			nextRescue = now.Add(rescueEvery - rescueEvery/10)
			next = s.sweep(ctx)
		} else {
			next = s.makeDue(ctx)
		}
		if now := time.Now(); now.After(nextStale) {
			nextStale = now.Add(staleEvery)
			s.try(ctx, "stale recovery", func(ctx context.Context) error { return s.takeBack(ctx, kappa.TakenNoProgress, s.store.RecoverStale) })
		}
		if now := time.Now(); now.After(nextExpire) {
			nextExpire = now.Add(expireEvery)
			s.try(ctx, "expiry", s.expire)
		}
		due.Reset(next)
	}
}

// try runs one look with a limit.
func (s *Scheduler) try(ctx context.Context, what string, look func(context.Context) error) {
	lookCtx, cancel := context.WithTimeout(ctx, schedulerCall)
	defer cancel()
	if err := look(lookCtx); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "scheduled look failed", "look", what, "err", err)
	}
}

// sweep takes back the jobs of dead workers and makes jobs due, in one
// transaction: together they are most of what an idle leader asks. It returns
// when to look again.
func (s *Scheduler) sweep(ctx context.Context) time.Duration {
	next := rescueEvery
	s.try(ctx, "rescue and due jobs", func(ctx context.Context) error {
		seen, err := s.store.Sweep(ctx, s.term, rescueEvery, rescueBatch)
		if err != nil {
			return err
		}
		s.tell(ctx, kappa.TakenWorkerLost, seen.Rescued)
		next = s.due(seen.Due, seen.Next)
		if len(seen.Rescued) < rescueBatch {
			return nil
		}
		return s.takeBack(ctx, kappa.TakenWorkerLost, s.store.Rescue)
	})
	return next
}

// makeDue lets jobs be claimed whose time has come, between two looks, and
// returns when to look again.
func (s *Scheduler) makeDue(ctx context.Context) time.Duration {
	next := rescueEvery
	s.try(ctx, "due jobs", func(ctx context.Context) error {
		types, wait, err := s.store.MakeDue(ctx, rescueEvery)
		if err != nil {
			return err
		}
		next = s.due(types, wait)
		return nil
	})
	return next
}

// due wakes the lanes when jobs became due, and returns when to look again:
// exactly when the next one becomes due, or after the rescuer's pause. A job that
// is due already and stays as it is has a row that somebody has locked, for as long
// as they like: the looks at it become fewer.
func (s *Scheduler) due(types []string, wait time.Duration) time.Duration {
	if len(types) > 0 {
		s.wake()
	}
	if wait > 0 || len(types) > 0 {
		s.pause = 0
		return max(wait, time.Millisecond)
	}
	s.pause = min(max(2*s.pause, time.Millisecond), lockedPause)
	return s.pause
}

// takeBack repeats a recovery until a batch is not full.
func (s *Scheduler) takeBack(ctx context.Context, why string, recover func(context.Context, int64, int) (map[string]kappa.Status, error)) error {
	for {
		jobs, err := recover(ctx, s.term, rescueBatch)
		s.tell(ctx, why, jobs)
		if err != nil || len(jobs) < rescueBatch {
			return err
		}
	}
}

// tell counts and logs the jobs that were taken back.
func (s *Scheduler) tell(ctx context.Context, why string, jobs map[string]kappa.Status) {
	s.rescues.add(why, jobs)
	for id, status := range jobs {
		s.log.WarnContext(ctx, "job taken back", "job", id, "status", status, "reason", why)
	}
}

func (s *Scheduler) expire(ctx context.Context) error {
	n, err := s.store.ExpireJobs(ctx)
	if n > 0 {
		s.log.InfoContext(ctx, "unapproved jobs expired", "jobs", n)
	}
	return err
}
