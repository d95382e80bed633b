package remote

import (
	"slices"
	"sync"

	"github.com/kappagraph/kappa/work"
)

const (
	mostServed = 512  // owners that are remembered of those who were served
	mostTurns  = 1000 // lists of queues that are remembered; workers choose the names
)

// turns remembers whose jobs claims have taken, for each set of claims that one statement
// can serve: within a priority owners take turns.
type turns struct {
	mu sync.Mutex
	of map[string]*turn
}

type turn struct {
	served []int // owners in the order in which they were served
	from   int   // owner from whom the next claim goes down; 0: from the highest
}

// request completes a request for a claim.
func (t *turns) request(key string, r work.RemoteClaimRequest) work.RemoteClaimRequest {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := t.of[key]; last != nil {
		r.Served, r.From = slices.Clone(last.served), last.from
	}
	return r
}

// claimed takes what a claim has returned.
func (t *turns) claimed(key string, claimed []work.RemoteClaimed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.of[key]
	if last == nil {
		if last = (&turn{}); t.of == nil || len(t.of) >= mostTurns {
			t.of = map[string]*turn{}
		}
		t.of[key] = last
	}
	last.from = 0
	for _, c := range claimed {
		last.from = max(last.from, c.Reached-1)
		for _, run := range c.Runs {
			last.serve(run.Owner)
		}
	}
	last.served = last.served[max(0, len(last.served)-mostServed):]
}

// serve makes an owner the one who was served last.
func (t *turn) serve(owner int) {
	if n := len(t.served); n > 0 && t.served[n-1] == owner {
		return // as nearly always
	}
	if i := slices.Index(t.served, owner); i >= 0 {
		t.served = slices.Delete(t.served, i, i+1)
	}
	t.served = append(t.served, owner)
}
