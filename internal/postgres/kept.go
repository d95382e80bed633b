package postgres

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// kept is something that was computed of the whole graph, remembered with the moment that it
// is of. Who asks for it gets it as of the moment of his snapshot or later: the log of the
// graph says what has changed since, and it is computed anew, by one while the others wait,
// only when something has.
type kept[T any] struct {
	turn chan struct{} // whose computation it holds the one place
	now  atomic.Pointer[keptAt[T]]
}

// keptAt is what was computed as of a moment. It is not changed any more.
type keptAt[T any] struct {
	mark  knowledge.GraphMark
	value T
}

func newKept[T any]() *kept[T] { return &kept[T]{turn: make(chan struct{}, 1)} }

// keptOf remembers something small of each ontology that it was asked for, by its number.
type keptOf[T any] struct {
	mu    sync.Mutex
	known map[int32]*kept[T]
}

// mostKeptOf is of how many ontologies something is remembered; with one more all is forgotten.
const mostKeptOf = 1000

func (k *keptOf[T]) of(ontology int32) *kept[T] {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= mostKeptOf && k.known[ontology] == nil {
		k.known = map[int32]*kept[T]{}
	}
	if k.known[ontology] == nil {
		k.known[ontology] = newKept[T]()
	}
	return k.known[ontology]
}

// graphTouch is what has changed since a moment.
type graphTouch struct {
	mark     knowledge.GraphMark // of this moment
	concepts []int32             // that have changed
	whole    bool                // it is not known what has changed, or it is too much
	changed  bool                // anything
}

// at returns what is remembered, as of the snapshot s or later. compute is given what was
// remembered, nil for nothing, and which concepts have changed since; it reads the others of
// the tables when touch.whole says that they are not known.
func (k *kept[T]) at(ctx context.Context, s *GraphSnapshot, compute func(known *T, touch graphTouch) (T, error)) (T, error) {
	var none T
	known := k.now.Load()
	touch, err := s.touched(ctx, k.markOf(known))
	if err != nil {
		return none, err
	}
	if known != nil && !touch.changed {
		k.now.CompareAndSwap(known, &keptAt[T]{mark: touch.mark, value: known.value}) // the log is read from here the next time
		return known.value, nil
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
	if latest := k.now.Load(); latest != known { // somebody has computed it meanwhile
		known = latest
		if touch, err = s.touched(ctx, k.markOf(known)); err != nil {
			return none, err
		}
		if !touch.changed {
			return known.value, nil
		}
	}
	var previous *T
	if known != nil && !touch.whole {
		previous = &known.value
	}
	value, err := compute(previous, touch)
	if err != nil {
		return none, err
	}
	k.now.Store(&keptAt[T]{mark: touch.mark, value: value})
	return value, nil
}

func (k *kept[T]) markOf(known *keptAt[T]) knowledge.GraphMark {
	if known == nil {
		return knowledge.GraphMark{}
	}
	return known.mark
}

// mostTouched is how many changes are followed one by one; after more, all is read anew.
const mostTouched = 20_000

// nothingSeen is a snapshot before all transactions.
const nothingSeen = "3:3:"

// touched returns what has changed between a moment and that of s. The zero moment is before
// everything.
func (s *GraphSnapshot) touched(ctx context.Context, since knowledge.GraphMark) (graphTouch, error) {
	most := int32(mostTouched + 1)
	if since.Snapshot == "" {
		since.Snapshot, most = nothingSeen, 0
	}
	row, err := s.readTouched(ctx, since.Snapshot, most)
	if err != nil {
		return graphTouch{}, err
	}
	origin := row.Database + "/" + row.LogTable
	if s.tx != nil {
		origin = timelineOf(s.tx.Conn()) + "/" + origin
	}
	t := graphTouch{mark: knowledge.GraphMark{Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: origin}, concepts: row.Concepts}
	t.whole = origin != since.Origin || !row.Kept || row.Whole || row.Changes > mostTouched
	t.changed = t.whole || row.Changes > 0 || row.Epoch > since.Epoch
	return t, nil
}

func (s *GraphSnapshot) readTouched(ctx context.Context, since string, most int32) (row db.GraphTouchedRow, err error) {
	if err := s.q.GraphLogScans(ctx, "off"); err != nil {
		return row, err
	}
	if row, err = s.q.GraphTouched(ctx, since, most); err != nil {
		return row, err
	}
	return row, s.q.GraphLogScans(ctx, "on")
}
