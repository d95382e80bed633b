package remote

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// storable returns a message as it can be stored: without NUL, and cut where it is too
// long.
func storable(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "")
	if len(s) <= wire.MaxLogLine {
		return s
	}
	end := wire.MaxLogLine - len(cutMark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + cutMark
}

// counts are the figures of a Server.
type counts struct {
	wakeups, stale, late, expired atomic.Int64

	claimSeconds, startSeconds histogram

	mu      sync.Mutex
	claimed map[string]int64
	replies map[string]*histogram
}

func newCounts() *counts {
	return &counts{claimed: map[string]int64{}, replies: map[string]*histogram{}}
}

func (c *counts) claims(result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.claimed[result]++
}

// knownEvents are those that are counted by name: a client may send any.
var knownEvents = map[string]bool{
	wire.EventJoin: true, wire.EventLeave: true, wire.EventHeartbeat: true, wire.EventClaim: true, wire.EventClaimAck: true, wire.EventExtend: true,
	wire.EventProgress: true, wire.EventLog: true, wire.EventFetch: true, wire.EventCheckpoint: true, wire.EventComplete: true, wire.EventFail: true,
	wire.EventRelease: true, wire.EventDrain: true, wire.EventFetchPlan: true, wire.EventFetchDataclip: true, wire.EventFetchCredential: true,
	wire.EventRunBatchLogs: true, wire.EventRunStart: true, wire.EventStepStart: true, wire.EventStepComplete: true,
}

func (c *counts) reply(event string, took time.Duration) {
	if !knownEvents[event] {
		event = "other"
	}
	c.mu.Lock()
	h := c.replies[event]
	if h == nil {
		h = &histogram{}
		c.replies[event] = h
	}
	c.mu.Unlock()
	h.observe(took)
}

// bounds are the upper bounds of a histogram's buckets, in seconds.
var bounds = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300}

// histogram counts durations by bucket.
type histogram struct {
	mu      sync.Mutex
	buckets [10]uint64
	count   uint64
	sum     float64
}

func (h *histogram) observe(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := d.Seconds()
	h.count++
	h.sum += s
	for i, bound := range bounds {
		if s <= bound {
			h.buckets[i]++
			return
		}
	}
}

func (h *histogram) read() work.Histogram {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := work.Histogram{Count: h.count, Sum: h.sum, Buckets: make(map[float64]uint64, len(bounds))}
	var all uint64
	for i, bound := range bounds {
		all += h.buckets[i]
		out.Buckets[bound] = all
	}
	return out
}

// Stats returns the figures of this server.
func (s *Server) Stats() work.RemoteFigures {
	st := work.RemoteFigures{
		Workers: map[[2]string]int{}, Slots: map[string]int{"max": 0, "active": 0, "reserved": 0}, Claims: map[string]int64{}, Replies: map[string]work.Histogram{},
		Wakeups: s.metrics.wakeups.Load(), Late: s.metrics.late.Load(), Stale: s.metrics.stale.Load(), Expired: s.metrics.expired.Load(),
		ClaimSeconds: s.metrics.claimSeconds.read(), StartSeconds: s.metrics.startSeconds.read(),
	}
	for _, n := range s.all() {
		n.addTo(&st)
	}
	s.metrics.mu.Lock()
	defer s.metrics.mu.Unlock()
	maps.Copy(st.Claims, s.metrics.claimed)
	for event, h := range s.metrics.replies {
		st.Replies[event] = h.read()
	}
	return st
}
