package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	fallbackSettle = 2 * time.Second // NATS must be connected for so long before the database source stops
	fallbackPoll   = time.Second     // between two polls
)

// Fallback has a server hear the database directly while NATS is away, and while
// it must anyway, as the leader who relays what the database says. While one
// source takes over from the other both are heard, so that nothing falls between
// them.
type Fallback struct {
	nats     *NATS
	database Source
	needed   func() bool
	log      *slog.Logger
	poke     kappa.Waker
	since    time.Time   // when Run found NATS connected; zero while it is not
	running  atomic.Bool // the database source
}

// NewFallback returns a Fallback between nats and the database source; Run makes
// it decide, but runs the database source only. It comes before nats runs, and
// there is one for a NATS. needed reports whether this server must hear the
// database in any case; it must not block.
func NewFallback(nats *NATS, database Source, needed func() bool, log *slog.Logger) *Fallback {
	f := &Fallback{nats: nats, database: database, needed: needed, log: log, poke: kappa.NewWaker()}
	nats.changed = f.Changed
	return f
}

// Changed has Run decide at once whether the database source is to run: to be
// called when needed has changed. It returns at once.
func (f *Fallback) Changed() { f.poke.Wake() }

// State returns the states of the database source and of NATS. Active is the one
// that runs, and NATS while nothing stands in for it.
func (f *Fallback) State() []work.EventSource {
	database, fanout := f.database.State(), f.nats.State()
	database.Active = f.running.Load()
	fanout.Active = fanout.Connected
	return []work.EventSource{database, fanout}
}

// Run starts and stops the database source until ctx ends, and then returns nil.
// It returns an error when the database source gives up.
func (f *Fallback) Run(ctx context.Context) error {
	poll := time.NewTicker(fallbackPoll)
	defer poll.Stop()
	var source *runningSource
	defer func() { source.stop() }()
	for {
		source = f.decide(ctx, source)
		select {
		case <-ctx.Done():
			return nil
		case err := <-source.ended():
			if err == nil || ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("event source %s gave up: %w", f.database.State().Name, err)
		case <-f.poke.C():
		case <-poll.C:
		}
	}
}

// decide starts or stops the database source, and returns it when it runs.
func (f *Fallback) decide(ctx context.Context, source *runningSource) *runningSource {
	switch {
	case !f.nats.Connected():
		f.since = time.Time{}
	case f.since.IsZero():
		f.since = time.Now()
	}
	away := f.since.IsZero() || time.Since(f.since) < fallbackSettle
	switch wanted := away || f.needed(); {
	case wanted && source == nil:
		f.log.InfoContext(ctx, "hearing the database directly", "nats_away", away)
		source = runSource(ctx, f.database)
	case !wanted && source != nil:
		f.log.InfoContext(ctx, "hearing NATS alone")
		source.stop()
		source = nil
	}
	f.running.Store(source != nil)
	return source
}

// runningSource is a Source that runs. The nil pointer is one that does not.
type runningSource struct {
	cancel context.CancelFunc
	done   chan error
}

func runSource(ctx context.Context, source Source) *runningSource {
	ctx, cancel := context.WithCancel(ctx)
	r := &runningSource{cancel: cancel, done: make(chan error, 1)}
	go func() {
		defer close(r.done)
		if err := source.Run(ctx); err != nil || ctx.Err() == nil {
			r.done <- errors.Join(errors.New("it does not run any more"), err)
		}
	}()
	return r
}

// ended has the error of a source that gave up, and is closed afterwards.
func (r *runningSource) ended() <-chan error {
	if r == nil {
		return nil
	}
	return r.done
}

// stop ends the source and waits until it has.
func (r *runningSource) stop() {
	if r == nil {
		return
	}
	r.cancel()
	for range r.done {
	}
}
