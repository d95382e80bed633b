package follow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	pollEvery   = time.Second
	pollHeard   = 10 * time.Second      // while notifications arrive
	readAtMost  = 15 * time.Millisecond // between two reads, so that many commits are one read
	readLimit   = 10 * time.Second      // for one read
	loadLimit   = 9 * time.Minute       // less than what the log keeps
	usableFor   = 30 * time.Second      // after a read
	loadRetry   = 2 * time.Second       // after a load that failed, or a graph that had to be given up
	sizeRetry   = 15 * time.Minute      // after a graph that was too large
	mostChanges = 200_000               // of one read, or a quarter of the edges; more are a reason to load anew
)

// store is the graph in the database; see postgres.GraphStore.
type store interface {
	// LoadGraph gives all of it to a sink, whose error it returns as it is.
	LoadGraph(ctx context.Context, sink knowledge.GraphSink) (knowledge.GraphMark, error)
	// GraphChanges returns an error that wraps knowledge.ErrGraphReload when there is no
	// list of all that has changed.
	GraphChanges(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.GraphChanges, error)
	GraphTypes(ctx context.Context) ([]knowledge.GraphType, error)
	// GraphBehind counts the transactions since a moment.
	GraphBehind(ctx context.Context, since knowledge.GraphMark, most int) (int, error)
}

// Config is what a Follower needs.
type Config struct {
	Store store
	Limit int64 // bytes that the graph may take; 0 switches it off
	// Heard reports whether notifications arrive, so that a change wakes; nil is never.
	Heard func() bool
	Log   *slog.Logger
}

// Follower keeps a graph in memory. Its methods may be called from many goroutines.
type Follower struct {
	cfg  Config
	wake chan struct{}
	now  atomic.Pointer[reading] // nil: there is no graph

	mu      sync.Mutex    // guards what follows
	changed chan struct{} // closed at the next read that has brought something
	status  knowledge.GraphStatus
}

// reading is the graph as it was read last.
type reading struct {
	graph *adjacency.Graph
	mark  knowledge.GraphMark
	at    time.Time // when the read began
}

// New returns a Follower; Run makes it load.
func New(cfg Config) *Follower {
	f := &Follower{cfg: cfg, wake: make(chan struct{}, 1), changed: make(chan struct{})}
	f.status = knowledge.GraphStatus{State: knowledge.GraphLoading, Limit: cfg.Limit}
	if cfg.Limit == 0 {
		f.status.State, f.status.Reason = knowledge.GraphOff, "KG_GRAPH_MEMORY is 0"
	}
	return f
}

// Wake says that the graph may have changed. It does not block.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// View returns the graph as of the last read, nil when there is none that may be
// used.
func (f *Follower) View() *adjacency.View {
	r := f.now.Load()
	if r == nil || time.Since(r.at) > usableFor {
		return nil
	}
	return r.graph.View()
}

// Await returns nil when View has reached an epoch, or the error of ctx.
func (f *Follower) Await(ctx context.Context, epoch int64) error {
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if v := f.View(); v != nil && v.Epoch() >= epoch {
			return nil
		}
		f.Wake()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Run loads the graph and follows it until ctx ends; it returns nil.
func (f *Follower) Run(ctx context.Context) error {
	if f.cfg.Limit == 0 {
		<-ctx.Done()
		return nil
	}
	defer f.drop(knowledge.GraphOff, "the server stops")
	for ctx.Err() == nil {
		err := f.load(ctx)
		if err == nil {
			err = f.follow(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		kappa.Sleep(ctx, f.failed(ctx, err))
	}
	return nil
}

// failed lets go of the graph, records why, and returns when to load the next one:
// two would exceed the limit.
func (f *Follower) failed(ctx context.Context, err error) time.Duration {
	wait, state := loadRetry, knowledge.GraphLoading
	switch {
	case errors.Is(err, adjacency.ErrMemory):
		wait, state = sizeRetry, knowledge.GraphTooLarge
		f.cfg.Log.WarnContext(ctx, "graph not kept in memory: queries read the tables; raise KG_GRAPH_MEMORY, or set it to 0", "err", err, "retry_in", wait)
	case errors.Is(err, knowledge.ErrGraphReload):
		f.cfg.Log.InfoContext(ctx, "loading the graph anew", "reason", err, "in", wait)
	default:
		f.cfg.Log.WarnContext(ctx, "graph not loaded: queries read the tables", "err", err, "retry_in", wait)
	}
	f.drop(state, reason(err))
	return wait
}

// reason is an error as an operator is shown it.
func reason(err error) string {
	if errors.Is(err, knowledge.ErrGraphReload) || errors.Is(err, adjacency.ErrMemory) {
		return err.Error()
	}
	return kappa.ErrorMessage(err)
}

// drop lets go of the graph, if there is one, and records why there is none.
func (f *Follower) drop(state knowledge.GraphState, reason string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Store(nil)
	f.status.State, f.status.Reason = state, reason
}

// took records that the graph was read, and wakes those who wait for that.
func (f *Follower) took(r *reading, change func(s *knowledge.GraphStatus)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Store(r)
	f.status.State, f.status.Reason = knowledge.GraphReady, ""
	change(&f.status)
	close(f.changed)
	f.changed = make(chan struct{})
}
