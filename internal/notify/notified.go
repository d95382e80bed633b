package notify

import "time"

// A commit is in the write-ahead log before other connections can see it: for
// microseconds, or for as long as a synchronous standby takes to confirm it.
const (
	notifiedFirst  = time.Millisecond       // until a job is read again that is behind what was notified, at first;
	notifiedMost   = 100 * time.Millisecond // then twice as long each time, up to this,
	notifiedWithin = 10 * time.Second       // and after that by the safety poll alone
	notifiedKept   = time.Second            // for those who begin to watch in between,
	notifiedJobs   = 50_000                 // unless there are more
)

// notifiedSeqs remembers for at least notifiedKept which number jobs that nobody watches
// have reached, or the last notifiedJobs of them.
type notifiedSeqs struct {
	now, before map[string]int64
	since       time.Time // of now
}

func (s *notifiedSeqs) add(jobID string, seq int64) {
	if at := time.Now(); s.now == nil || len(s.now) >= notifiedJobs || at.Sub(s.since) > notifiedKept {
		s.now, s.before, s.since = map[string]int64{}, s.now, at
	}
	s.now[jobID] = max(s.now[jobID], seq)
}

func (s *notifiedSeqs) of(jobID string) int64 { return max(s.now[jobID], s.before[jobID]) }

// HintSeqs says which number the last event of each of these jobs has, which a
// committed transaction has given it. The table may not show it yet; it is read
// until it does. It returns at once.
func (h *Hub) HintSeqs(last map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, seq := range last {
		if t := h.topics[id]; t != nil {
			h.notifiedLocked(t, seq)
		} else {
			h.notified.add(id, seq)
		}
		h.changedLocked(id)
	}
}

// notifiedLocked has a job read that has an event which its watchers may not have.
func (h *Hub) notifiedLocked(t *topic, seq int64) {
	if seq > t.notified {
		t.notified, t.notifiedAt = seq, time.Now()
	}
	if !t.known || t.last < seq {
		h.markLocked(t)
	}
}

// awaitNotified records which of the jobs that were read are behind what was notified, or
// lack an event before others.
func (h *Hub) awaitNotified(read map[string]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range read {
		t := h.topics[id]
		switch {
		case t != nil && t.hasGap():
			h.awaited[id] = struct{}{}
		case t == nil || t.last >= t.notified:
			delete(h.awaited, id)
		case time.Since(t.notifiedAt) > notifiedWithin:
			t.notified = t.last
			delete(h.awaited, id)
		default:
			h.awaited[id] = struct{}{}
		}
	}
	if len(h.awaited) == 0 {
		h.notifiedWait = notifiedFirst
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
	wait := h.notifiedWait
	h.notifiedWait = min(2*wait, notifiedMost)
	return wait
}

// markAwaited has the jobs read again that are behind what was notified.
func (h *Hub) markAwaited() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.awaited {
		h.markLocked(h.topics[id])
	}
}
