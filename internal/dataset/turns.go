package dataset

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// mostWaiting is how many tasks of an owner may wait for a worker, beside those that run.
const mostWaiting = 8

// errFlood reports that more tasks of an owner wait than may.
var errFlood = errors.New("too many tasks of one owner wait")

// turns decide whose task has a worker next: owners take turns, whoever has asked for how much,
// and nobody has more than half of the workers. A task that may not wait is refused at once.
type turns struct {
	workers, each int // at once, of all and of an owner

	mu      sync.Mutex
	running map[string]int // by owner
	busy    int
	waiting map[string][]*turn // by owner, the first one first
	order   []string           // owners who wait: the next one first
}

// turn is a task that waits; its channel is closed when it may run.
type turn struct{ granted chan struct{} }

func newTurns(workers int) *turns {
	return &turns{workers: workers, each: max(1, workers/2), running: map[string]int{}, waiting: map[string][]*turn{}}
}

// enter waits until a task of an owner may run, and returns what ends it. bound is how many of
// the owner's may wait; 0 is any number. It returns errFlood when that many do, and the error of
// ctx when that ends before.
func (t *turns) enter(ctx context.Context, owner string, bound int) (leave func(), err error) {
	t.mu.Lock()
	mine := &turn{granted: make(chan struct{})}
	if len(t.waiting[owner]) == 0 {
		t.order = append(t.order, owner)
	}
	t.waiting[owner] = append(t.waiting[owner], mine)
	t.grant()
	if n := len(t.waiting[owner]); bound > 0 && n > bound {
		t.drop(owner, mine)
		t.mu.Unlock()
		return nil, errFlood
	}
	t.mu.Unlock()
	leave = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.end(owner)
	}
	select {
	case <-mine.granted:
		return leave, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-mine.granted: // meanwhile
		t.end(owner)
	default:
		t.drop(owner, mine)
	}
	return nil, ctx.Err()
}

// end ends a task that has run. The lock is held.
func (t *turns) end(owner string) {
	t.busy--
	if t.running[owner]--; t.running[owner] == 0 {
		delete(t.running, owner)
	}
	t.grant()
}

// grant lets the next ones run, as far as there are workers. The lock is held.
func (t *turns) grant() {
	for t.busy < t.workers {
		i := slices.IndexFunc(t.order, func(owner string) bool { return t.running[owner] < t.each })
		if i < 0 {
			return
		}
		owner := t.order[i]
		next := t.waiting[owner][0]
		t.drop(owner, next)
		if len(t.waiting[owner]) > 0 { // the last of those who wait now
			t.order = append(slices.DeleteFunc(t.order, func(o string) bool { return o == owner }), owner)
		}
		t.busy++
		t.running[owner]++
		close(next.granted)
	}
}

// drop forgets a task that waits. The lock is held.
func (t *turns) drop(owner string, gone *turn) {
	t.waiting[owner] = slices.DeleteFunc(t.waiting[owner], func(w *turn) bool { return w == gone })
	if len(t.waiting[owner]) == 0 {
		delete(t.waiting, owner)
		t.order = slices.DeleteFunc(t.order, func(o string) bool { return o == owner })
	}
}

// alone reports whether an owner's own tasks are what keeps one more from running.
func (t *turns) alone(owner string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running[owner] >= t.each
}
