package notify

import "time"

// A commit is in the write-ahead log before other connections can see it: for
// microseconds, or for as long as a synchronous standby takes to confirm it.
const (
	toldFirst  = time.Millisecond       // until a job is read again that is behind what was told, at first;
	toldMost   = 100 * time.Millisecond // then twice as long each time, up to this,
	toldWithin = 10 * time.Second       // and after that by the safety poll alone
	toldKept   = time.Second            // for those who begin to watch in between,
	toldJobs   = 50_000                 // unless there are more
)

// toldSeqs remembers for at least toldKept which number jobs that nobody watches
// have reached, or the last toldJobs of them.
type toldSeqs struct {
	now, before map[string]int64
	since       time.Time // of now
}

func (s *toldSeqs) add(jobID string, seq int64) {
	if at := time.Now(); s.now == nil || len(s.now) >= toldJobs || at.Sub(s.since) > toldKept {
		s.now, s.before, s.since = map[string]int64{}, s.now, at
	}
	s.now[jobID] = max(s.now[jobID], seq)
}

func (s *toldSeqs) of(jobID string) int64 { return max(s.now[jobID], s.before[jobID]) }

// HintSeqs says which number the last event of each of these jobs has, which a
// committed transaction has given it. The table may not show it yet; it is read
// until it does. It returns at once.
func (h *Hub) HintSeqs(last map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, seq := range last {
		if t := h.topics[id]; t != nil {
			h.toldLocked(t, seq)
		} else {
			h.told.add(id, seq)
		}
		h.changedLocked(id)
	}
}

// toldLocked has a job read that has an event which its watchers may not have.
func (h *Hub) toldLocked(t *topic, seq int64) {
	if seq > t.told {
		t.told, t.toldAt = seq, time.Now()
	}
	if !t.known || t.last < seq {
		h.markLocked(t)
	}
}

// awaitTold notes which of the jobs that were read are behind what was told.
func (h *Hub) awaitTold(read map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range read {
		t := h.topics[id]
		switch {
		case t == nil || t.last >= t.told:
			delete(h.awaited, id)
		case time.Since(t.toldAt) > toldWithin:
			t.told = t.last
			delete(h.awaited, id)
		default:
			h.awaited[id] = struct{}{}
		}
	}
	if len(h.awaited) == 0 {
		h.toldWait = toldFirst
	}
}

// againIn returns after how long awaited jobs are to be read again, longer each
// time, and 0 when there are none.
func (h *Hub) againIn() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.awaited) == 0 {
		return 0
	}
	wait := h.toldWait
	h.toldWait = min(2*wait, toldMost)
	return wait
}

// markAwaited has the jobs read again that are behind what was told.
func (h *Hub) markAwaited() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.awaited {
		h.markLocked(h.topics[id])
	}
}
