package lanes

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	standbyEvery  = 1500 * time.Millisecond // between two tries for the lock: a leader that was killed is followed in 2 s
	campaignEvery = time.Second             // after a term
	campaignMost  = 5 * time.Second         // after terms that were short, one after another
	shortTerm     = 5 * time.Second
	leaderCheck   = 2 * time.Second
	leaderTimeout = 5 * time.Second // for one call on the leader's connection
)

// Leadership is a connection that campaigns for the leader's lock and holds it;
// the lock ends with the connection.
type Leadership interface {
	Campaign(ctx context.Context, workerID string) (term int64, won bool, err error)
	Check(ctx context.Context) error
	// Rename stores under which identity the leader works now; false asks for another try.
	Rename(ctx context.Context, term int64, workerID string) (bool, error)
	Close(ctx context.Context) error
}

// ElectorConfig says how to campaign, and what the leader does.
type ElectorConfig struct {
	ID   func() string // the identity of this process as a worker, which may change
	Dial func(ctx context.Context) (Leadership, error)
	// Lead is called with the term when this process becomes the leader. It
	// works until ctx ends, which happens at the first sign that leadership is
	// lost.
	Lead func(ctx context.Context, term int64) error
	Log  *slog.Logger
}

// Elector makes at most one process the leader, and campaigns for ever.
type Elector struct {
	cfg  ElectorConfig
	term atomic.Int64
	wake kappa.Waker // the lock may be free
}

// NewElector returns an Elector; Run makes it campaign.
func NewElector(cfg ElectorConfig) *Elector {
	kappa.Require(cfg)
	return &Elector{cfg: cfg, wake: kappa.NewWaker()}
}

// Wake has a standby try for the lock at once. It returns at once.
func (e *Elector) Wake() { e.wake.Wake() }

// Term returns the term under which this process leads, 0 when it does not.
func (e *Elector) Term() int64 { return e.term.Load() }

// Run campaigns, and leads when it wins, until ctx ends; it returns nil. After
// short terms it holds back longer and longer, so that leadership does not flap
// with a bad connection, and another process may hold it.
func (e *Elector) Run(ctx context.Context) error {
	hold := campaignEvery // after the next short term
	for ctx.Err() == nil {
		led, err := e.campaign(ctx)
		if err != nil && ctx.Err() == nil {
			e.cfg.Log.WarnContext(ctx, "campaign interrupted", "err", err)
		}
		pause := campaignEvery
		switch {
		case led >= shortTerm:
			hold = campaignEvery
		case led > 0:
			pause, hold = hold, min(2*hold, campaignMost)
		}
		select {
		case <-ctx.Done():
		case <-time.After(kappa.Jitter(pause)):
		}
	}
	return nil
}

// campaign serves one connection: it tries for the lock until it has it, then
// leads until the connection fails or ctx ends. It returns how long it led.
func (e *Elector) campaign(ctx context.Context) (led time.Duration, err error) {
	dialCtx, cancel := context.WithTimeout(ctx, leaderTimeout)
	conn, err := e.cfg.Dial(dialCtx)
	cancel()
	if err != nil {
		return 0, err
	}
	defer func() {
		closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closeCtx) // the server drops the lock with the session either way
	}()
	for {
		callCtx, cancel := context.WithTimeout(ctx, leaderTimeout)
		id := e.cfg.ID()
		term, won, err := conn.Campaign(callCtx, id)
		cancel()
		if err != nil {
			return 0, err
		}
		if won {
			began := time.Now()
			err := e.lead(ctx, &held{Leadership: conn, term: term, id: id})
			return time.Since(began), err
		}
		select {
		case <-ctx.Done():
			return 0, nil
		case <-e.wake.C():
		case <-time.After(kappa.Jitter(standbyEvery)):
		}
	}
}

// held is leadership that this process has, under a term and the identity that is
// stored with it.
type held struct {
	Leadership
	term int64
	id   string
}

// check asks whether the connection still works, and stores the identity of the
// worker when it is a new one: what handlers the leader has is known by it.
func (h *held) check(ctx context.Context, id string) error {
	if err := h.Check(ctx); err != nil || id == h.id {
		return err
	}
	done, err := h.Rename(ctx, h.term, id)
	if done {
		h.id = id
	}
	return err
}

// lead runs the leader's work, and ends it when the connection does not answer.
func (e *Elector) lead(ctx context.Context, own *held) error {
	term := own.term
	log := e.cfg.Log.With("term", term)
	log.InfoContext(ctx, "leading")
	e.term.Store(term)
	defer e.term.Store(0)
	leadCtx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		defer stop()
		if err := e.cfg.Lead(leadCtx, term); err != nil && leadCtx.Err() == nil {
			log.ErrorContext(ctx, "the leader's work failed", "err", err)
		}
	})
	defer work.Wait()
	defer stop()
	check := time.NewTicker(leaderCheck)
	defer check.Stop()
	for {
		select {
		case <-leadCtx.Done():
			return nil
		case <-check.C:
		}
		callCtx, cancel := context.WithTimeout(leadCtx, leaderTimeout)
		err := own.check(callCtx, e.cfg.ID())
		cancel()
		if err != nil && leadCtx.Err() == nil {
			log.WarnContext(ctx, "leadership lost", "err", err)
			return err
		}
	}
}
