package notify

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// Between faults, on average.
const (
	firstPause = 200 * time.Millisecond // while each is yet to happen
	faultPause = time.Second
)

// fault breaks something and heals it before it returns.
type fault struct {
	name string
	run  func(ctx context.Context, rng *rand.Rand)
}

// shortFaults are those that happen one after the other.
func (w *faultWorld) shortFaults(t testing.TB) []fault {
	source := func(s *faultServer) *link { return s.toSource }
	store := func(s *faultServer) *link { return s.toStore }
	fanout := func(s *faultServer) *link { return s.toNATS }
	name, application := "listen", "kg-listen"
	if w.by == byWAL {
		name, application = "wal", walApplication
	}
	list := []fault{
		{name + " reset", w.reset(source)},
		{name + " refused", w.refused(source)},
		{name + " stalled", w.stalled(source)},
		{name + " terminated", func(context.Context, *rand.Rand) { w.terminate(t, application) }},
		{"store reset", w.reset(store)},
		{"store stalled", w.stalled(store)},
		{"database away", func(ctx context.Context, _ *rand.Rand) { w.databaseAway(ctx, t) }},
	}
	if w.by == byNATS {
		list = append(list,
			fault{"NATS reset", w.reset(fanout)},
			fault{"NATS refused", w.refused(fanout)},
			fault{"NATS stalled", w.stalled(fanout)},
			fault{"NATS restarted", func(ctx context.Context, rng *rand.Rand) { w.natsRestarted(ctx, t, rng) }},
			fault{"leader moved", func(_ context.Context, rng *rand.Rand) { w.moveLeader(rng) }},
		)
	}
	return list
}

// inject has the faults happen in turn, and again in another order, until ctx
// ends. all is done when each has happened.
func (w *faultWorld) inject(ctx context.Context, rng *rand.Rand, faults []fault, all *sync.WaitGroup) {
	pause := firstPause
	for turn := 0; len(faults) > 0; turn++ {
		for _, i := range rng.Perm(len(faults)) {
			w.wait(ctx, upTo(rng, 2*pause))
			if ctx.Err() != nil {
				return
			}
			faults[i].run(ctx, rng)
			w.happened(faults[i].name)
			if turn == 0 {
				all.Done()
			}
		}
		pause = faultPause
	}
}

// borrow returns the link of a server that no other fault uses, and nil when
// there is none. The link is unlocked afterwards.
func (w *faultWorld) borrow(rng *rand.Rand, which func(*faultServer) *link) (*faultServer, *link) {
	for _, i := range rng.Perm(len(w.servers)) {
		if l := which(w.servers[i]); l != nil && l.busy.TryLock() {
			return w.servers[i], l
		}
	}
	return nil, nil
}

// broken calls do with a link, and records what that prevents.
func (w *faultWorld) broken(rng *rand.Rand, which func(*faultServer) *link, do func(l *link)) {
	s, l := w.borrow(rng, which)
	if l == nil {
		return
	}
	defer l.busy.Unlock()
	if l == s.toStore {
		defer s.outage.begin()()
	} else {
		defer s.silent.begin()()
	}
	do(l)
}

func (w *faultWorld) reset(which func(*faultServer) *link) func(context.Context, *rand.Rand) {
	return func(_ context.Context, rng *rand.Rand) { w.broken(rng, which, (*link).reset) }
}

func (w *faultWorld) refused(which func(*faultServer) *link) func(context.Context, *rand.Rand) {
	return func(ctx context.Context, rng *rand.Rand) {
		w.broken(rng, which, func(l *link) {
			l.refuse(true)
			w.wait(ctx, upTo(rng, 1500*time.Millisecond))
			l.refuse(false)
		})
	}
}

// stalled holds a link for so short that nobody need notice; nothing is lost.
func (w *faultWorld) stalled(which func(*faultServer) *link) func(context.Context, *rand.Rand) {
	return func(ctx context.Context, rng *rand.Rand) {
		w.broken(rng, which, func(l *link) {
			l.hold()
			w.wait(ctx, upTo(rng, 1500*time.Millisecond))
			l.release()
		})
	}
}

// terminate has the server of the database end the connections of an
// application.
func (w *faultWorld) terminate(t testing.TB, application string) { w.admin.cut(t, application) }

// databaseAway is as a restart: all connections are ended by the server, and for
// a second there are no new ones.
func (w *faultWorld) databaseAway(ctx context.Context, t testing.TB) {
	for _, s := range w.servers {
		defer s.outage.begin()()
		for _, l := range []*link{s.toStore, s.toSource} {
			if !l.busy.TryLock() {
				continue
			}
			defer l.busy.Unlock()
			l.refuse(true)
			defer l.refuse(false)
		}
	}
	var err error
	for range 3 { // a busy machine may take long to connect
		if _, err = w.admin.pool.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`); err == nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		t.Errorf("end all connections: %v", err)
	}
	w.wait(ctx, time.Second)
}

func (w *faultWorld) natsRestarted(ctx context.Context, t testing.TB, rng *rand.Rand) {
	w.natsServer.stop()
	w.wait(ctx, upTo(rng, 2*time.Second))
	w.natsServer.start(t)
}

// lead makes a server the leader, and the others followers.
func (w *faultWorld) lead(leader *faultServer) {
	for _, s := range w.servers {
		s.leads.Store(s == leader)
		s.fallback.Changed()
	}
}

// moveLeader makes any server the leader, unless the listener of the one that is
// needs to stay.
func (w *faultWorld) moveLeader(rng *rand.Rand) {
	for _, s := range w.servers {
		if s.leads.Load() && !s.toSource.busy.TryLock() {
			return
		} else if s.leads.Load() {
			defer s.toSource.busy.Unlock()
		}
	}
	w.lead(w.server(rng))
}

// until waits for what no channel notifies of, and reports whether it came.
func (w *faultWorld) until(ctx context.Context, limit time.Duration, done func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !done() {
		w.wait(ctx, 5*time.Millisecond)
		if ctx.Err() != nil {
			return done()
		}
	}
	return true
}
