package lanes

import (
	"sync/atomic"
	"time"
)

// pulseGrace is by how much a round may come late: one call that is given up
// after its timeout, and another one.
const pulseGrace = claimTimeout + 1500*time.Millisecond

// pulse shows whether a loop does what it is there for. The loop says when it
// begins a round, and after one that has succeeded when the next is due. A round
// that fails or hangs says nothing more, so its loop is late soon.
type pulse struct {
	due atomic.Int64 // Unix nanoseconds; 0 while nothing is due
}

// begin says that a round begins, which is due now, if it was not before.
func (p *pulse) begin() {
	now := time.Now().UnixNano()
	if due := p.due.Load(); due == 0 || due > now {
		p.due.Store(now)
	}
}

// next says that the round has succeeded, and the next one is due after a time.
func (p *pulse) next(wait time.Duration) { p.due.Store(time.Now().Add(wait).UnixNano()) }

// rest says that no round is due any more.
func (p *pulse) rest() { p.due.Store(0) }

// late returns for how long a round is overdue; 0 is in time.
func (p *pulse) late(now time.Time) time.Duration {
	due := p.due.Load()
	if due == 0 {
		return 0
	}
	if late := now.Sub(time.Unix(0, due)); late > pulseGrace {
		return late
	}
	return 0
}
