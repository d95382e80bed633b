package follow

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/knowledge"
)

const (
	behindLimit = time.Second // to count what has not been read
	mostBehind  = 10_000      // changes that are counted
)

// Figures returns the status without asking the database; Behind is nil.
func (f *Follower) Figures() knowledge.GraphStatus {
	f.mu.Lock()
	s, r := f.status, f.now.Load()
	f.mu.Unlock()
	if r == nil {
		return s
	}
	held := r.graph.View().Stats()
	s.Epoch, s.Concepts, s.Edges, s.Bytes = held.Epoch, held.Concepts, held.Edges, held.Bytes
	lag := time.Since(r.at)
	seconds := lag.Seconds()
	s.Lag = &seconds
	if lag > usableFor {
		s.State, s.Reason = knowledge.GraphBehind, "the database could not be asked what has changed for more than "+usableFor.String()
	}
	return s
}

// Status returns the status, and asks the database how far behind the graph is.
func (f *Follower) Status(ctx context.Context) knowledge.GraphStatus {
	s := f.Figures()
	r := f.now.Load()
	if r == nil {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, behindLimit)
	defer cancel()
	if n, err := f.cfg.Store.GraphBehind(ctx, r.mark, mostBehind); err == nil {
		s.Behind = &n
	}
	return s
}
