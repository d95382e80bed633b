package remote

import (
	"sync"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// topics are the channels of runs that a worker has joined, compatible profile. Its lock
// guards which they are; a channel has its own order.
type topics struct {
	mu sync.Mutex
	of map[string]*channel // by job
}

func newTopics() *topics { return &topics{of: map[string]*channel{}} }

// find returns the channel of a job; nil when it is not joined.
func (t *topics) find(jobID string) *channel {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[jobID]
}

// full reports whether the channel of a job is one too many.
func (t *topics) full(jobID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.of) >= wire.MaxTopics && t.of[jobID] == nil
}

// join sets the channel of a job, and returns the one that it follows, if any.
func (t *topics) join(jobID string, c *channel) (old *channel) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old = t.of[jobID]
	t.of[jobID] = c
	return old
}

// leave removes the channel of a job and returns it; nil when there was none. A leave of a
// join before the present one is stale, and changes nothing.
func (t *topics) leave(jobID, joinRef string) (c *channel, stale bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c = t.of[jobID]
	if c != nil && joinRef != "" && joinRef != c.joinRef {
		return nil, true
	}
	delete(t.of, jobID)
	return c, false
}

// drop removes the channel of a job.
func (t *topics) drop(jobID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, jobID)
}
