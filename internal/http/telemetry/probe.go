package telemetry

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	probeTimeout = 900 * time.Millisecond // so that an answer takes less than a second
	probeAge     = time.Second            // a result is used again for this long
)

// probe checks something for many: however often it is asked, it checks once in a
// probeAge, or in its own age, and never for longer than probeTimeout.
type probe[T any] struct {
	check func(ctx context.Context) T
	age   time.Duration // 0 = probeAge

	mu   sync.Mutex // guards what follows
	at   time.Time
	last T
}

// result checks anew when the last result is too old.
func (p *probe[T]) result(ctx context.Context) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) < cmp.Or(p.age, probeAge) {
		return p.last
	}
	// Not the request's context: others use the result too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	p.last = p.check(ctx)
	p.at = time.Now()
	return p.last
}

// latest returns the last result, without a new check.
func (p *probe[T]) latest() T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}
