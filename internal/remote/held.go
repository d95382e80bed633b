package remote

import (
	"sync"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// held is what a worker holds, as this server knows it: runs, and the slots that its claims
// have asked for. It decides by that and asks nobody. One lock guards all of it, and what
// it says of a run (see run). Where a decision depends on what the worker has joined as, the
// caller passes that.
type held struct {
	mu      sync.Mutex
	runs    map[string]*run       // by job
	claims  map[string][]wire.Run // by claim id: what a claim got, while some of it is reserved
	pending map[string]int        // by slot group: slots that claims have asked for and that are not answered
	guard   guard
}

func newHeld() *held {
	return &held{runs: map[string]*run{}, claims: map[string][]wire.Run{}, pending: map[string]int{}}
}

// adopt adds runs that the database says the worker holds, apart from those that are known.
func (h *held) adopt(list []work.HeldRun) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.adoptLocked(list)
}

// replace has the worker hold these runs and no others.
func (h *held) replace(list []work.HeldRun) {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.runs)
	h.adoptLocked(list)
}

func (h *held) adoptLocked(list []work.HeldRun) {
	for _, l := range list {
		if h.runs[l.JobID] == nil {
			r := newRun(l.RunKey)
			r.group, r.confirmed = l.Group, l.Confirmed
			h.runs[l.JobID] = r
		}
	}
}

// findLocked returns a run that is held; nil when it is not, or is another attempt.
func (h *held) findLocked(key work.RunKey) *run {
	if r := h.runs[key.JobID]; r != nil && r.key.Token == key.Token {
		return r
	}
	return nil
}

// find returns a run that is held; nil when it is not, or is another attempt.
func (h *held) find(key work.RunKey) *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.findLocked(key)
}

// holds reports whether some attempt of a job is held.
func (h *held) holds(jobID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.runs[jobID] != nil
}

// busy reports whether anything is held.
func (h *held) busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.runs) > 0
}

// reserved reports whether a run is held and not confirmed.
func (h *held) reserved(key work.RunKey) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.findLocked(key)
	return r != nil && !r.confirmed
}

// over reports whether a run is held no more.
func (h *held) over(r *run) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return r.ended
}

// confirm takes that a run is confirmed, whether or not it was known, and returns it. With
// toStop it is to stop.
func (h *held) confirm(key work.RunKey, toStop bool) *run {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.findLocked(key)
	if r == nil {
		r = newRun(key)
		h.runs[key.JobID] = r
	}
	r.confirmed = true
	r.asked = r.asked || toStop
	return r
}

// forget frees the slot of a run.
func (h *held) forget(key work.RunKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.findLocked(key); r != nil {
		h.endLocked(r)
	}
}

func (h *held) endLocked(r *run) {
	r.ended = true
	delete(h.runs, r.key.JobID)
}

// count returns how many runs are confirmed, and how many are reserved.
func (h *held) count() (confirmed, reserved int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.runs {
		if r.confirmed {
			confirmed++
		} else {
			reserved++
		}
	}
	return confirmed, reserved
}

// usage returns what the slot groups of a worker do.
func (h *held) usage(v *membership) []work.RemoteGroupUsage {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []work.RemoteGroupUsage
	for i := range v.groups {
		g := &v.groups[i]
		use := work.RemoteGroupUsage{Name: g.Name, Queues: g.RemoteGroup.Queues, Mode: "filter", Max: g.Max}
		if g.others {
			use.Mode = "preference"
		}
		for _, r := range h.runs {
			switch {
			case r.group != g.Name:
			case r.confirmed:
				use.Active++
			default:
				use.Reserved++
			}
		}
		list = append(list, use)
	}
	return list
}
