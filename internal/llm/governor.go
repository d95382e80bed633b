package llm

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

const (
	// defaultPatience is how long a call waits for a provider that is away, before what
	// it is for is postponed.
	defaultPatience = 10 * time.Second
	renewEvery      = 3 * time.Second
	pollShared      = 50 * time.Millisecond // while other processes may end calls
	pollAlone       = 500 * time.Millisecond
	governLimit     = 10 * time.Second // for a statement
	endLimit        = 5 * time.Second  // for the end of a call
)

// callStore keeps the calls of all processes; see postgres.ProviderStore.
type callStore interface {
	QueueCall(ctx context.Context, holder string, c models.Call) (int64, models.CallView, error)
	// ForgetCall ends a call that may have been queued although QueueCall has failed.
	ForgetCall(ctx context.Context, key string) error
	EndCall(ctx context.Context, holder string, id int64, c models.Call, r *models.CallResult) (models.CallView, time.Duration, error)
	TendCalls(ctx context.Context, holder string, ids []int64) (models.CallView, error)
	DropCalls(ctx context.Context, holder string) error
	TellWaits(ctx context.Context) (int, error)
}

// GovernorConfig is what a Governor works with.
type GovernorConfig struct {
	Store    callStore
	Holder   string        // this process, a UUID
	NewID    func() string // makes a UUID for each call
	Retry    work.Retrying // waits while the database is away
	Patience time.Duration // 0 is ten seconds
	// Budget returns an error when a job may make no more calls; nil lets all of them be
	// made. It is asked when a call may be made, just before it is.
	Budget func(ctx context.Context, jobID string) error
	Log    *slog.Logger
}

// Governor says when calls to providers may be made, for all processes of an
// installation: what runs and what waits are rows, which the limits are held against.
// A process that is killed gives its calls up when their leases end. While the database
// is away no call begins; those that run go on, and may then run beside others for as
// long as it takes them.
type Governor struct {
	cfg  GovernorConfig
	wake kappa.Waker

	mu      sync.Mutex
	waiting map[int64]*waiter
	running map[int64]bool
	shared  bool // other processes had calls when that was last seen
	untold  int  // times that those who follow jobs are still to be told of new waits
	rests   rests
}

// waiter is a call that waits for its permission.
type waiter struct {
	provider string
	granted  chan struct{}
	away     chan models.ThrottledBy
}

// NewGovernor returns a Governor; Run has it renew leases and see what others have ended.
func NewGovernor(cfg GovernorConfig) *Governor {
	if cfg.Patience == 0 {
		cfg.Patience = defaultPatience
	}
	if cfg.NewID == nil {
		cfg.NewID = func() string { return "" }
	}
	return &Governor{cfg: cfg, wake: kappa.NewWaker(), waiting: map[int64]*waiter{}, running: map[int64]bool{}, rests: newRests()}
}

// Run renews the leases of calls and learns which may be made, until ctx ends. It then
// ends those that are left, and returns nil.
func (g *Governor) Run(ctx context.Context) error {
	timer := time.NewTimer(renewEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			dropCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
			defer cancel()
			if err := g.cfg.Store.DropCalls(dropCtx, g.cfg.Holder); err != nil {
				g.cfg.Log.DebugContext(ctx, "calls to models not ended", "err", err)
			}
			return nil
		case <-g.wake.C():
		case <-timer.C:
			g.tend(ctx)
		}
		g.tellWaits(ctx)
		timer.Reset(g.next())
	}
}

// next returns when to see about the calls again.
func (g *Governor) next() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case len(g.waiting) == 0 && g.untold == 0:
		return renewEvery
	case g.shared:
		return pollShared
	}
	return pollAlone
}

// tend renews leases and passes on what was granted.
func (g *Governor) tend(ctx context.Context) {
	g.mu.Lock()
	ids := append(slices.Collect(maps.Keys(g.waiting)), slices.Collect(maps.Keys(g.running))...)
	g.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	tendCtx, cancel := context.WithTimeout(ctx, governLimit)
	defer cancel()
	question := g.ask()
	view, err := g.cfg.Store.TendCalls(tendCtx, g.cfg.Holder, ids)
	if err != nil {
		if ctx.Err() == nil {
			g.cfg.Log.WarnContext(ctx, "leases of calls to models not renewed", "err", err)
		}
		return
	}
	g.pass(question, view)
}

// tellTries is how often it is tried to tell those who follow jobs of new waits, as long as
// somebody is writing those jobs. Waits does so later.
const tellTries = 5

// tellWaits tells those who follow jobs for what these have begun to wait.
func (g *Governor) tellWaits(ctx context.Context) {
	g.mu.Lock()
	tries := g.untold
	g.untold = max(g.untold-1, 0)
	g.mu.Unlock()
	if tries == 0 {
		return
	}
	tellCtx, cancel := context.WithTimeout(ctx, governLimit)
	defer cancel()
	if _, err := g.cfg.Store.TellWaits(tellCtx); err != nil && ctx.Err() == nil {
		g.cfg.Log.WarnContext(ctx, "those who follow jobs were not told what these wait for", "err", err)
	}
}

// pass wakes the calls that may be made, and those whose provider is away for longer than
// they wait. question is what the view answers.
func (g *Governor) pass(question int, view models.CallView) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shared = view.Others
	g.rests.see(question, view.Throttled)
	if view.Waits {
		g.untold = tellTries
		g.wake.Wake()
	}
	for _, id := range view.Granted {
		if w := g.waiting[id]; w != nil {
			delete(g.waiting, id)
			g.running[id] = true
			close(w.granted)
		}
	}
	for _, w := range g.waiting {
		if by, throttled := view.Throttled[w.provider]; throttled && by.Wait > g.cfg.Patience {
			select {
			case w.away <- by:
			default:
			}
		}
	}
}

// checkBudget returns the error of Budget, once the database answers.
func (g *Governor) checkBudget(ctx context.Context, jobID string) (err error) {
	if g.cfg.Budget == nil || jobID == "" {
		return nil
	}
	var spent error
	err = g.cfg.Retry(ctx, "read the budget of a job", func(ctx context.Context) error {
		if spent = g.cfg.Budget(ctx, jobID); spent != nil && !kappa.Paused(spent) {
			return spent
		}
		return nil
	})
	return cmp.Or(err, spent)
}

// Call makes a call when it may be made, and again after its provider failed, for as long
// as that is away no longer than the Governor's patience. Then it returns an error that
// kappa.Postponed knows. A job that has reached its budget begins no call, and gets the
// error of GovernorConfig.Budget. No call begins within a wait that its provider has asked
// for, as far as this process knows of it: not one either that was permitted before.
func (g *Governor) Call(ctx context.Context, c models.Call, do func(ctx context.Context) (models.CallResult, error)) error {
	for {
		id, err := g.acquire(ctx, c)
		if err != nil {
			return err
		}
		if err := g.checkBudget(ctx, c.JobID); err != nil {
			g.end(ctx, id, c, nil)
			return err
		}
		if by := g.restOf(c.Provider); by.Wait > 0 {
			g.end(ctx, id, c, nil)
			if err := g.rest(ctx, c.Provider, by); err != nil {
				return err
			}
			continue
		}
		result, err := do(ctx)
		if ctx.Err() != nil && (result.Failed || result.Outage != nil) { // it was we who ended it
			result.Outage, result.Cut = nil, true
		}
		wait := g.end(ctx, id, c, &result)
		switch {
		case result.Outage == nil:
			return err
		case wait > g.cfg.Patience:
			return away(c.Provider, models.ThrottledBy{Wait: wait, Reason: result.Outage.Reason})
		}
		g.cfg.Log.InfoContext(ctx, "a provider of models failed; the call is made again", "provider", c.Provider, "reason", result.Outage.Reason, "wait", wait)
	}
}

// away is the error of a call whose provider is away.
func away(provider string, by models.ThrottledBy) error {
	return kappa.Postpone(&kappa.Error{
		Code: kappa.CodeUnavailable, RetryAfter: by.Wait,
		Message: "waits for " + provider + ": " + by.Reason,
	}, by.Wait+time.Duration(rand.Int64N(1+int64(min(by.Wait/10, mostSpread)))))
}

// mostSpread is how long after a provider may be called again the last of the jobs go on
// that waited for it.
const mostSpread = 500 * time.Millisecond

// acquire waits until a call may be made.
func (g *Governor) acquire(ctx context.Context, c models.Call) (id int64, err error) {
	w := &waiter{provider: c.Provider, granted: make(chan struct{}), away: make(chan models.ThrottledBy, 1)}
	c.Key = g.cfg.NewID()
	err = g.cfg.Retry(ctx, "queue a call to a model", func(ctx context.Context) error {
		var view models.CallView
		question := g.ask()
		if id, view, err = g.cfg.Store.QueueCall(ctx, g.cfg.Holder, c); err != nil {
			return err
		}
		g.mu.Lock()
		g.waiting[id] = w
		g.mu.Unlock()
		g.pass(question, view)
		return nil
	})
	if err != nil {
		g.forget(ctx, c)
		return 0, err
	}
	g.wake.Wake()
	select {
	case <-w.granted:
		return id, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case by := <-w.away:
		err = away(c.Provider, by)
	}
	g.end(ctx, id, c, nil)
	return 0, err
}

// forget gives the place of a call back whose queueing has failed: it may be stored all the
// same, and would take a slot until its lease ends.
func (g *Governor) forget(ctx context.Context, c models.Call) {
	endCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	err := g.cfg.Retry(endCtx, "end a call that may wait", func(ctx context.Context) error { return g.cfg.Store.ForgetCall(ctx, c.Key) })
	if err != nil {
		g.cfg.Log.WarnContext(ctx, "a call that was not made may take a slot until its lease ends", "provider", c.Provider, "err", err)
	}
}

// end ends a call, and returns for how long its provider is not to be called. A call whose
// end cannot be stored gives its place up with its lease.
func (g *Governor) end(ctx context.Context, id int64, c models.Call, r *models.CallResult) time.Duration {
	least := kappa.BackoffFirst
	if r != nil && r.Outage != nil {
		least = max(least, r.Outage.After)
		g.begin(c.Provider, models.ThrottledBy{Wait: least, Reason: r.Outage.Reason})
	}
	endCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	var view models.CallView
	var wait time.Duration
	var question int
	err := g.cfg.Retry(endCtx, "end a call to a model", func(ctx context.Context) (err error) {
		question = g.ask()
		view, wait, err = g.cfg.Store.EndCall(ctx, g.cfg.Holder, id, c, r)
		return err
	})
	g.mu.Lock()
	delete(g.waiting, id)
	delete(g.running, id)
	if err == nil && r != nil && r.Outage != nil {
		g.rests.stored(c.Provider, wait)
	}
	g.mu.Unlock()
	if err != nil {
		g.cfg.Log.WarnContext(ctx, "the end of a call to a model was not stored", "provider", c.Provider, "job", c.JobID, "err", err)
		return least
	}
	g.pass(question, view)
	return wait
}
