package notify

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const noticedWithin = 10 * time.Second // that a connection swallows everything

// blackhole holds a link until its source notices, which it must within 10 s.
type blackhole struct {
	name   string
	link   func(*faultServer) *link // nil where there is none to hold
	source func(*faultServer) Source
}

func (w *faultWorld) blackholes() []blackhole {
	source := func(s *faultServer) *link { return s.toSource }
	switch w.by {
	case byWAL:
		return []blackhole{{"wal blackholed", source, func(s *faultServer) Source { return s.wal }}}
	case byListen:
		return []blackhole{{"listen blackholed", source, func(s *faultServer) Source { return s.listener }}}
	}
	leaders := func(s *faultServer) *link { // others hear the database only while NATS is away
		if s.leads.Load() {
			return s.toSource
		}
		return nil
	}
	return []blackhole{
		{"listen blackholed", leaders, func(s *faultServer) Source { return s.listener }},
		{"NATS blackholed", func(s *faultServer) *link { return s.toNATS }, func(s *faultServer) Source { return s.nats }},
	}
}

// dig has a blackhole happen again and again until ctx ends. It does not count
// when the source ended by itself, as a listener that is not needed any more.
func (w *faultWorld) dig(ctx context.Context, rng *rand.Rand, b blackhole, all *sync.WaitGroup) {
	for first := true; ; {
		w.wait(ctx, upTo(rng, time.Second))
		if ctx.Err() != nil {
			return
		}
		took, ok := w.digOnce(ctx, rng, b)
		if !ok {
			continue
		}
		w.happened(b.name)
		w.mu.Lock()
		w.noticed[b.name] = append(w.noticed[b.name], took)
		w.mu.Unlock()
		if first {
			first = false
			all.Done()
		}
	}
}

// digOnce returns how long it took until a blackhole was noticed.
func (w *faultWorld) digOnce(ctx context.Context, rng *rand.Rand, b blackhole) (time.Duration, bool) {
	s, l := w.borrow(rng, b.link)
	if l == nil {
		return 0, false
	}
	defer l.busy.Unlock()
	before := b.source(s).State()
	if !before.Connected {
		return 0, false
	}
	defer s.silent.begin()()
	l.hold()
	began := time.Now()
	noticed := w.until(ctx, noticedWithin, func() bool { return !b.source(s).State().Connected })
	took := time.Since(began)
	lost := b.source(s).State().Reconnects > before.Reconnects
	if !noticed && ctx.Err() == nil {
		w.problem("%s on %s was not noticed within %s", b.name, s.name, noticedWithin)
	}
	if rng.IntN(2) == 0 {
		w.wait(ctx, upTo(rng, time.Second))
	}
	l.reset()
	l.release()
	return took, noticed && lost
}
