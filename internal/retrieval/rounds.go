package retrieval

import (
	"context"
	"sync"
)

// round is one reading of the log. Whoever arrives before it begins sees what it has read.
type round struct {
	done  chan struct{} // closed when what it has read is applied
	epoch int64         // of the graph, when it was read
	err   error
}

// rounds let questions wait for the next round, as transactions wait for a group commit.
type rounds struct {
	mu   sync.Mutex
	next *round
}

func newRounds() *rounds { return &rounds{next: newRound()} }

func newRound() *round { return &round{done: make(chan struct{})} }

// join returns the round that has not begun yet.
func (r *rounds) join() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next
}

// begin begins the next round: whoever joins from now on waits for the one after it.
func (r *rounds) begin() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	begun := r.next
	r.next = newRound()
	return begun
}

// end lets go those who wait for the round.
func (r *round) end(epoch int64, err error) {
	r.epoch, r.err = epoch, err
	close(r.done)
}

// wait waits for the end of the round, and returns its epoch.
func (r *round) wait(ctx context.Context) (int64, error) {
	select {
	case <-r.done:
		return r.epoch, r.err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}
