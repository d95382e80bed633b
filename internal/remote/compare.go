package remote

import (
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// comparison is what a heartbeat finds of the runs that it names and those that the
// database has.
type comparison struct {
	lost      []string      // jobs that are another's, or over
	toStop    []work.RunKey // runs that are to stop
	newly     []*run        // those of them that were not to stop before
	forgotten []work.RunKey // runs that the worker has forgotten, and that go back
}

// compare compares the runs that a heartbeat names with those that the worker holds, as the
// database said when it was asked. A run that two heartbeats in a row do not name was
// forgotten.
func (h *held) compare(named []wire.RunKey, stored []work.HeldRun, asked time.Time) comparison {
	current := map[string]work.HeldRun{}
	for _, s := range stored {
		current[s.JobID+" "+tokenText(s.Token)] = s
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropOthersLocked(stored, asked)
	var c comparison
	listed := map[string]bool{}
	for _, k := range named {
		listed[k.ID] = true
		s, ok := current[k.ID+" "+k.Token]
		switch {
		case !ok:
			c.lost = append(c.lost, k.ID)
			if r := h.runs[k.ID]; r != nil && tokenText(r.key.Token) == k.Token {
				h.endLocked(r)
			}
		case s.CancelRequested:
			c.toStop = append(c.toStop, s.RunKey)
			if r := h.stopLocked(s.RunKey); r != nil {
				c.newly = append(c.newly, r)
			}
		}
	}
	for _, s := range stored {
		switch r := h.findLocked(s.RunKey); {
		case r == nil:
		case !s.Confirmed || r.told || listed[s.JobID]:
			r.missing = 0
		default:
			if r.missing++; r.missing >= 2 {
				c.forgotten = append(c.forgotten, s.RunKey)
			}
		}
	}
	return c
}

// dropOthers frees the slots of runs and reservations that the worker does not hold any
// more, as the database said when it was asked. What came later stays.
func (h *held) dropOthers(stored []work.HeldRun, asked time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropOthersLocked(stored, asked)
}

func (h *held) dropOthersLocked(stored []work.HeldRun, asked time.Time) {
	current := map[string]int64{}
	for _, s := range stored {
		current[s.JobID] = s.Token
	}
	for id, r := range h.runs {
		if token, ok := current[id]; (!ok || token != r.key.Token) && r.taken.Before(asked) {
			h.endLocked(r)
		}
	}
	h.forgetClaimsLocked()
}

// stop takes that the worker is asked to stop a run. It returns the run when that is new, else
// nil.
func (h *held) stop(key work.RunKey) *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopLocked(key)
}

func (h *held) stopLocked(key work.RunKey) *run {
	r := h.findLocked(key)
	if r == nil || r.told {
		return nil
	}
	r.asked, r.told = true, true
	return r
}

// toStop returns the confirmed runs that are to stop and that the worker was not asked to.
func (h *held) toStop() []work.RunKey {
	h.mu.Lock()
	defer h.mu.Unlock()
	var keys []work.RunKey
	for _, r := range h.runs {
		if r.asked && r.confirmed && !r.told {
			keys = append(keys, r.key)
		}
	}
	return keys
}
