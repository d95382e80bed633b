package notify

import (
	"time"

	"github.com/kappagraph/kappa/work"
)

// heldEvents is how many events of a job wait for one before them. Those beyond
// are read from the table.
const heldEvents = 64

// topic is a watched job.
type topic struct {
	jobID      string
	known      bool          // last is valid
	last       int64         // number of the last event that was delivered
	stored     int64         // number of the last event that the table was seen to have
	notified   int64         // number of the last event that a source named without having it
	notifiedAt time.Time     // when it did
	gapAfter   int64         // number of the event after which the table lacked one
	gapSince   time.Time     // when it was first seen to
	held       []*work.Event // published after a gap, by Seq
	ahead      bool          // when it was last read the table did not have last
	watchers   map[*watch]struct{}
}

// waitsBefore reports whether an event has to wait for one before it, and remembers since
// when one is missing.
func (t *topic) waitsBefore(seq int64) bool {
	if seq == t.last+1 {
		return false
	}
	if !t.hasGap() {
		t.gapAfter, t.gapSince = t.last, time.Now()
	}
	return time.Since(t.gapSince) <= notifiedWithin
}

// hasGap reports whether the table lacked the event after the last one that was delivered.
func (t *topic) hasGap() bool { return t.gapAfter == t.last && !t.gapSince.IsZero() }

// watch is one mailbox's interest in one topic. place and round say where in the
// mailbox the last event of the job is, if it is progress: the next progress may
// take its place.
type watch struct {
	topic *topic
	box   *mailbox
	place int
	round uint32 // of the mailbox; the place is valid in that one only
}

// watchLocked makes m watch a job. It reports whether the job's place in its
// history is known already, and whether m did not watch it before.
func (h *Hub) watchLocked(m *mailbox, jobID string) (w *watch, added bool) {
	if w := m.watches[jobID]; w != nil {
		return w, false
	}
	t := h.topics[jobID]
	if t == nil {
		t = &topic{jobID: jobID, watchers: map[*watch]struct{}{}}
		h.topics[jobID] = t
		h.interest(jobID, true)
		if seq := h.notified.of(jobID); seq > 0 {
			h.notifiedLocked(t, seq)
		}
	}
	w = &watch{topic: t, box: m, place: -1}
	t.watchers[w] = struct{}{}
	m.watches[jobID] = w
	return w, true
}

// unwatchLocked takes a watch out; the last one of a job ends its topic.
func (h *Hub) unwatchLocked(w *watch) {
	t := w.topic
	if _, ok := t.watchers[w]; !ok {
		return
	}
	delete(t.watchers, w)
	delete(w.box.watches, t.jobID)
	if len(t.watchers) == 0 {
		h.forgetLocked(t)
	}
}

func (h *Hub) forgetLocked(t *topic) {
	delete(h.topics, t.jobID)
	delete(h.dirty, t.jobID)
	delete(h.unconfirmed, t.jobID)
	delete(h.awaited, t.jobID)
	h.interest(t.jobID, false)
}

// startLocked says from where the events of a newly watched job are delivered.
// What was hinted at meanwhile is read now.
func (h *Hub) startLocked(t *topic, last int64) {
	t.stored = max(t.stored, last)
	if t.known {
		return
	}
	t.known, t.last = true, last
	h.releaseLocked(t)
	if _, ok := h.dirty[t.jobID]; ok {
		h.wake.Wake()
	}
}

// markLocked has a job's events read.
func (h *Hub) markLocked(t *topic) {
	h.dirty[t.jobID] = struct{}{}
	if t.known {
		h.wake.Wake()
	}
}

// offerLocked delivers an event that a source handed over. After a gap it is
// held, and the table read.
func (h *Hub) offerLocked(t *topic, e *work.Event) {
	switch {
	case !t.known || e.Seq > t.last+1:
		if n := len(t.held); n < heldEvents && (n == 0 || t.held[n-1].Seq < e.Seq) {
			t.held = append(t.held, e)
		}
		h.markLocked(t)
	case e.Seq == t.last+1:
		h.deliverLocked(t, e)
		h.releaseLocked(t)
	}
}

// releaseLocked delivers the held events that follow without a gap.
func (h *Hub) releaseLocked(t *topic) {
	for len(t.held) > 0 && t.held[0].Seq <= t.last+1 {
		e := t.held[0]
		if t.held = t.held[1:]; len(t.held) == 0 {
			t.held = nil
		}
		if e.Seq == t.last+1 {
			h.deliverLocked(t, e)
		}
	}
}

// deliverLocked puts an event into the mailboxes of its watchers. One that cannot
// take it is ended, never waited for.
func (h *Hub) deliverLocked(t *topic, e *work.Event) {
	t.last = e.Seq
	for w := range t.watchers {
		switch w.box.put(w, e) {
		case putAdded:
			h.stats.Delivered++
		case putReplaced:
			h.stats.Delivered++
			h.stats.Coalesced++
		case putOverflowed:
			h.stats.EndedSlow++
			h.dropLocked(w.box)
		}
	}
}

// goneLocked notifies the watchers of a job that it was deleted, and forgets it.
func (h *Hub) goneLocked(t *topic) {
	for w := range t.watchers {
		w.box.gone(t.jobID)
		h.unwatchLocked(w)
	}
}

// endLocked ends the subscriptions that watch a job.
func (h *Hub) endLocked(t *topic) {
	for w := range t.watchers {
		w.box.end()
		h.dropLocked(w.box)
	}
}
