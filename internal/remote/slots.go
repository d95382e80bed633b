package remote

import (
	"slices"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// mostClaims is how many answers to claims are kept before those go of which nothing is
// reserved any more.
const mostClaims = 64

// pend takes free slots for a claim of a group, at most so many. It takes none when none are
// free; allowed is then true, and false when the worker has claimed too often in vain.
func (h *held) pend(v *membership, name string, most int, now time.Time) (slots int, allowed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	slots = min(most, h.freeLocked(v))
	if g := v.group(name, ""); g != nil && v.extended { // of the compatible profile they are for people, and limit nothing
		slots = min(slots, g.Max-h.usedLocked(name))
	}
	if slots < 1 {
		return 0, true
	}
	if !h.guard.allow(now, len(v.groups)) {
		return 0, false
	}
	h.pending[name] += slots
	return slots, true
}

// unpend gives slots back that a claim has taken.
func (h *held) unpend(name string, slots int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unpendLocked(name, slots)
}

func (h *held) unpendLocked(name string, slots int) {
	if h.pending[name] -= slots; h.pending[name] == 0 {
		delete(h.pending, name) // workers choose the names
	}
}

// freeLocked returns how many slots of a worker are free, in all groups together.
func (h *held) freeLocked(v *membership) int {
	free := v.capacity - len(h.runs)
	for _, slots := range h.pending {
		free -= slots
	}
	return free
}

// usedLocked returns the slots of a group that are taken: by runs, reservations, and
// claims that are not answered.
func (h *held) usedLocked(name string) int {
	used := h.pending[name]
	for _, r := range h.runs {
		if r.group == name {
			used++
		}
	}
	return used
}

// reserve takes what a claim got as the worker's in place of the slots that it took, and
// returns it as it is handed on.
func (h *held) reserve(claimID string, slots work.RemoteSlots, taken []work.RemoteRun) []wire.Run {
	runs := make([]wire.Run, len(taken))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unpendLocked(slots.Group, slots.Most)
	if len(taken) > 0 {
		h.guard.grant(1)
	}
	for i, t := range taken {
		r := newRun(t.RunKey)
		r.group, r.attempt, r.jobType = slots.Group, t.Attempt, t.JobType
		h.runs[t.JobID] = r
		runs[i] = wireRun(t)
	}
	if claimID != "" && len(runs) > 0 {
		if len(h.claims) >= mostClaims {
			h.forgetClaimsLocked()
		}
		h.claims[claimID] = runs
	}
	return runs
}

// again returns what a claim got that is made once more, as far as it is still reserved. It
// reports false for a claim that is new.
func (h *held) again(claimID string) ([]wire.Run, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	runs, ok := h.claims[claimID]
	return h.stillReservedLocked(runs), ok
}

// answered forgets a claim: the worker has said what it takes of it.
func (h *held) answered(claimID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.claims, claimID)
}

// forgetClaimsLocked forgets claims of which no reservation is open.
func (h *held) forgetClaimsLocked() {
	for id, runs := range h.claims {
		if len(h.stillReservedLocked(runs)) == 0 {
			delete(h.claims, id)
		}
	}
}

func (h *held) stillReservedLocked(runs []wire.Run) []wire.Run {
	var open []wire.Run
	for _, w := range runs {
		if r := h.runs[w.ID]; r != nil && !r.confirmed && tokenText(r.key.Token) == w.Token {
			open = append(open, w)
		}
	}
	return open
}

// offer returns what of the work that waits the worker may claim: what one of its groups
// takes that has free slots. As many claims of it are not held against the worker.
func (h *held) offer(v *membership, pairs []work.WaitingPair) wire.WorkAvailable {
	h.mu.Lock()
	defer h.mu.Unlock()
	var hint wire.WorkAvailable
	if h.freeLocked(v) < 1 {
		return hint
	}
	for i := range v.groups {
		g := &v.groups[i]
		if h.usedLocked(g.Name) >= g.Max {
			continue
		}
		matches := 0
		for _, p := range pairs {
			if !slices.Contains(v.types, p.JobType) || !g.takes(p.Queue) {
				continue
			}
			matches = 1
			if !slices.Contains(hint.Queues, p.Queue) {
				hint.Queues = append(hint.Queues, p.Queue)
			}
			if !slices.Contains(hint.Types, p.JobType) {
				hint.Types = append(hint.Types, p.JobType)
			}
		}
		h.guard.grant(matches)
	}
	return hint
}
