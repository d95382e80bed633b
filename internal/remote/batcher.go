package remote

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	batchMost    = 256
	batchTimeout = 10 * time.Second
)

// batcher puts calls together: while one statement is on its way, those that come
// meanwhile wait for the next one, in their order. Nothing waits when there is no
// traffic, and with apart the next statement waits for more. Each call has its own answer; one that has a statement refused does not fail
// the others.
type batcher[I, O any] struct {
	run   func(ctx context.Context, items []I) ([]O, error)
	spawn func(func())        // runs what may outlive who asked; nil: nobody waits for its end
	most  int                 // items of a statement; 0: batchMost
	apart time.Duration       // statements begin at least so long after one another
	pause func(time.Duration) // waits so long, unless there is a reason not to; needed with apart

	mu      sync.Mutex
	waiting []*batched[I, O]
	busy    bool
	began   time.Time // the last statement
}

type batched[I, O any] struct {
	item I
	out  O
	err  error
	done chan struct{}
}

// do returns what the statement says of item, or ctx's error. The statement goes on
// when ctx ends.
func (b *batcher[I, O]) do(ctx context.Context, item I) (out O, err error) {
	outs, err := b.doAll(ctx, []I{item})
	if err != nil {
		return out, err
	}
	return outs[0], nil
}

// doAll returns what the statement says of each item, or the first error.
func (b *batcher[I, O]) doAll(ctx context.Context, items []I) ([]O, error) {
	if len(items) == 0 {
		return nil, nil
	}
	entries := make([]*batched[I, O], len(items))
	for i, item := range items {
		entries[i] = &batched[I, O]{item: item, done: make(chan struct{})}
	}
	b.mu.Lock()
	b.waiting = append(b.waiting, entries...)
	lead := !b.busy
	b.busy = true
	b.mu.Unlock()
	if lead {
		b.lead(ctx)
	}
	outs := make([]O, len(items))
	for i, e := range entries {
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if e.err != nil {
			return nil, e.err
		}
		outs[i] = e.out
	}
	return outs, nil
}

// lead has everything run that waits. A caller that does not give up runs its own
// statement: no other task has to be woken for it.
func (b *batcher[I, O]) lead(ctx context.Context) {
	work := context.WithoutCancel(ctx)
	defer b.start(work)
	if ctx.Done() == nil && b.apart == 0 {
		b.next(work)
	}
}

// start has statements run until nothing waits, beside the caller.
func (b *batcher[I, O]) start(ctx context.Context) {
	work := func() {
		for b.more() {
			b.space()
			b.next(ctx)
		}
	}
	switch {
	case !b.more():
	case b.spawn == nil:
		go work()
	default:
		b.spawn(work)
	}
}

// more reports whether something waits. If not, the next one who asks leads.
func (b *batcher[I, O]) more() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = len(b.waiting) > 0
	return b.busy
}

// space waits until the next statement may begin.
func (b *batcher[I, O]) space() {
	if b.apart == 0 {
		return
	}
	b.mu.Lock()
	wait := b.apart - time.Since(b.began)
	b.mu.Unlock()
	if wait > 0 {
		b.pause(wait)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.began = time.Now()
}

// next runs the next statement.
func (b *batcher[I, O]) next(ctx context.Context) {
	b.mu.Lock()
	n := min(len(b.waiting), cmp.Or(b.most, batchMost))
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	b.mu.Unlock()
	b.runBatch(ctx, batch)
}

func (b *batcher[I, O]) runBatch(ctx context.Context, batch []*batched[I, O]) {
	items := make([]I, len(batch))
	for i, e := range batch {
		items[i] = e.item
	}
	runCtx, cancel := context.WithTimeout(ctx, batchTimeout)
	outs, err := b.run(runCtx, items)
	cancel()
	if err != nil && !unavailable(err) && len(batch) > 1 { // one of them is wrong: each for itself
		for _, e := range batch {
			b.runBatch(ctx, []*batched[I, O]{e})
		}
		return
	}
	for i, e := range batch {
		if e.err = err; err == nil {
			e.out = outs[i]
		}
		close(e.done)
	}
}
