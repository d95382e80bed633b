package streams

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// mailbox is a work.Subscription that keeps its contract: what a backend
// delivers is notified in order and once, and of progress that follows progress only
// the last.
type mailbox struct {
	b     *backend
	all   bool
	ready chan struct{}
	once  sync.Once

	mu      sync.Mutex
	watched map[string]int64 // of each job, the number of the last event that was put in
	d       work.Delivery
}

func (b *backend) Subscribe() (work.Subscription, error)    { return b.subscribe(false) }
func (b *backend) SubscribeAll() (work.Subscription, error) { return b.subscribe(true) }

func (b *backend) subscribe(all bool) (work.Subscription, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, b.err
	}
	m := &mailbox{b: b, all: all, ready: make(chan struct{}, 1), watched: map[string]int64{}}
	b.subs = append(b.subs, m)
	return m, nil
}

func (m *mailbox) Watch(ctx context.Context, id string) error {
	m.b.count("watch")
	if _, err := m.b.Job(ctx, id); err != nil {
		return err
	}
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.watched[id]; !ok {
		// Events from before may come too: the reader must know what it has.
		seq := m.b.jobs[id].EventSeq
		m.watched[id] = seq - seq%3
		for _, e := range m.b.events[id] {
			m.putLocked(&e)
		}
	}
	return nil
}

// pause lets the answer of a slow backend grow old.
func (b *backend) pause() {
	if b.slow > 0 {
		<-time.After(rand.N(b.slow))
	}
}

func (m *mailbox) Unwatch(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watched, id)
}

// watches returns the jobs that are watched.
func (m *mailbox) watches() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.watched))
}

func (m *mailbox) Ready() <-chan struct{} { return m.ready }

func (m *mailbox) Take() work.Delivery {
	if m.b.panics.Load() {
		panic("taken by surprise")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.d
	m.d = work.Delivery{Ended: d.Ended}
	return d
}

func (m *mailbox) Close() {
	m.once.Do(func() {
		m.b.mu.Lock()
		defer m.b.mu.Unlock()
		m.b.closed++
	})
}

// update changes what waits, and wakes the reader.
func (m *mailbox) update(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	m.wakeLocked()
}

func (m *mailbox) wakeLocked() {
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

func (m *mailbox) putLocked(e *work.Event) {
	last, watched := m.watched[e.JobID]
	if !watched {
		if m.all {
			m.d.Changed = append(m.d.Changed, e.JobID)
			m.wakeLocked()
		}
		return
	}
	if e.Seq <= last {
		return
	}
	m.watched[e.JobID] = e.Seq
	if n := len(m.d.Events); n > 0 && m.d.Events[n-1].JobID == e.JobID && m.d.Events[n-1].Kind == work.EventProgress && e.Kind == work.EventProgress {
		m.d.Events = m.d.Events[:n-1]
	}
	m.d.Events = append(m.d.Events, e)
	m.wakeLocked()
}

// mailboxes returns all that were ever opened.
func (b *backend) mailboxes() []*mailbox {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.subs)
}

// deliver notifies of events, and of those before them that were not notified.
func (b *backend) deliver(events ...work.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.subs {
		m.mu.Lock()
		for _, e := range events {
			for _, before := range b.untilLocked(e) {
				m.putLocked(&before)
			}
		}
		m.mu.Unlock()
	}
}

func (b *backend) untilLocked(e work.Event) []work.Event {
	n, found := slices.BinarySearchFunc(b.events[e.JobID], e.Seq, func(e work.Event, seq int64) int { return cmp.Compare(e.Seq, seq) })
	if !found {
		return []work.Event{e}
	}
	return b.events[e.JobID][:n+1]
}

// notify changes what waits in every mailbox.
func (b *backend) notify(change func(d *work.Delivery)) {
	for _, m := range b.mailboxes() {
		m.update(func() { change(&m.d) })
	}
}

func (b *backend) openStreams() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.subs) - b.closed
}

// count records a query, and its name.
func (b *backend) count(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queries[name]++
}

func (b *backend) counted(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queries[name]
}

func (b *backend) JobsByIDs(_ context.Context, ids []string) ([]work.Job, error) {
	b.count("jobs by ids")
	defer b.pause()
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []work.Job
	for _, id := range ids {
		if j, ok := b.jobs[id]; ok {
			out = append(out, j)
		}
	}
	return out, b.err
}

func (b *backend) Jobs(_ context.Context, f work.JobFilter) ([]work.Job, error) {
	b.count("jobs")
	defer b.pause()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.filters = append(b.filters, f)
	var out []work.Job
	for _, j := range b.jobs {
		if (f.Statuses == nil || slices.Contains(f.Statuses, j.Status)) && (f.Ontology == "" || j.Ontology != nil && *j.Ontology == f.Ontology) {
			out = append(out, j)
		}
	}
	newestFirst(out)
	return out[:min(len(out), f.Limit)], b.err
}

// accessBackend says who may still do what.
type accessBackend struct{ *backend }

func (a accessBackend) Epoch(context.Context) (int64, error) {
	a.count("access epoch")
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.accessEpoch, a.err
}

func (a accessBackend) Reexamine(_ context.Context, p access.Principal) error {
	a.count("reexamine " + p.TokenID)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.unsure:
		return errors.New("the connection broke")
	case a.voidTokens[p.TokenID]:
		return kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	case a.role != "" && a.role != p.User.Role:
		return kappa.NewError(kappa.CodeForbidden, "The role of the user has changed")
	}
	return nil
}

// void makes a token void.
func (b *backend) void(tokenID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.voidTokens[tokenID] = true
	b.accessEpoch++
}

// set changes a backend that streams may be reading.
func (b *backend) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *backend) IssueTicket(_ context.Context, p access.Principal, topic string) (access.StreamTicket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ticket := "ticket-" + topic
	b.tickets[ticket] = p
	return access.StreamTicket{Ticket: ticket, ExpiresIn: access.TicketSeconds}, b.err
}

func (b *backend) RedeemTicket(_ context.Context, ticket, topic string) (access.Principal, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.tickets[ticket]
	if !ok || ticket != "ticket-"+topic {
		return access.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	delete(b.tickets, ticket)
	return p, b.err
}

func (b *backend) LaneUsage(context.Context) ([]work.LaneUsage, error) {
	b.count("lanes")
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lanes), b.err
}
