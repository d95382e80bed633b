package remote

import (
	"slices"
	"sync"

	"github.com/kappagraph/kappa/work"
)

// marks say in which types and queues work may wait. A mark is set by a notification
// or by the poll, and cleared by a claim that found nothing more, unless it was set
// again meanwhile. So a claim that finds no mark asks nothing.
type marks struct {
	mu   sync.Mutex
	list map[work.WaitingPair]*mark
}

type mark struct {
	version uint64
	set     bool
}

// seenMark is a mark as a claim saw it.
type seenMark struct {
	pair    work.WaitingPair
	version uint64
}

func newMarks() *marks { return &marks{list: map[work.WaitingPair]*mark{}} }

// add marks pairs.
func (m *marks) add(pairs ...work.WaitingPair) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range pairs {
		k := m.list[p]
		if k == nil {
			k = &mark{}
			m.list[p] = k
		}
		k.set = true
		k.version++
	}
}

// match returns the marks that a claim by these types and queues may find work at.
func (m *marks) match(types, queues []string, others bool) []seenMark {
	m.mu.Lock()
	defer m.mu.Unlock()
	var seen []seenMark
	for p, k := range m.list {
		if k.set && slices.Contains(types, p.JobType) && (others || slices.Contains(queues, p.Queue)) {
			seen = append(seen, seenMark{p, k.version})
		}
	}
	return seen
}

// all returns what is marked.
func (m *marks) all() []work.WaitingPair {
	m.mu.Lock()
	defer m.mu.Unlock()
	var pairs []work.WaitingPair
	for p, k := range m.list {
		if k.set {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// clear takes marks away that have not been set again since they were seen.
func (m *marks) clear(seen []seenMark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range seen {
		if k := m.list[s.pair]; k != nil && k.version == s.version {
			delete(m.list, s.pair)
		}
	}
}
