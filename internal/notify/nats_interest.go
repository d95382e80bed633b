package notify

import (
	"maps"
	"sync"

	"github.com/kappagraph/kappa"
)

// natsInterest is the set of jobs that this process watches, AllJobs among them, and
// which of them changed since take was called.
type natsInterest struct {
	wake kappa.Waker // something changed

	mu      sync.Mutex // guards what follows
	watched map[string]struct{}
	changed map[string]struct{}
}

func newNATSInterest() *natsInterest {
	return &natsInterest{wake: kappa.NewWaker(), watched: map[string]struct{}{}, changed: map[string]struct{}{}}
}

// set records that a job is watched or not. It returns at once.
func (i *natsInterest) set(jobID string, watched bool) {
	if jobID != AllJobs && !safeToken(jobID) {
		return
	}
	i.mu.Lock()
	if watched {
		i.watched[jobID] = struct{}{}
	} else {
		delete(i.watched, jobID)
	}
	i.changed[jobID] = struct{}{}
	i.mu.Unlock()
	i.wake.Wake()
}

// take returns which jobs changed, true for those that are watched now.
func (i *natsInterest) take() map[string]bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	changed := make(map[string]bool, len(i.changed))
	for id := range i.changed {
		_, changed[id] = i.watched[id]
	}
	clear(i.changed)
	return changed
}

// all returns the watched jobs and forgets what changed.
func (i *natsInterest) all() map[string]struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.changed)
	return maps.Clone(i.watched)
}
