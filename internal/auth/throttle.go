package auth

import (
	"container/list"
	"sync"
	"time"
)

// throttle is a token bucket for each key. It remembers a bounded number of
// keys and forgets first what was not asked for the longest time.
type throttle struct {
	burst  int           // attempts that may come at once
	refill time.Duration // until there is one more
	most   int           // keys remembered

	mu      sync.Mutex
	buckets map[string]*list.Element // of *bucket
	recent  *list.List               // the same; the key asked for last is in front
}

// bucket is full again at an instant. Each attempt puts that off by one refill,
// and none may put it off by more than the burst.
type bucket struct {
	key    string
	fullAt time.Time
}

func newThrottle(burst int, refill time.Duration, most int) *throttle {
	return &throttle{burst: burst, refill: refill, most: most, buckets: map[string]*list.Element{}, recent: list.New()}
}

// take takes an attempt and returns 0, or takes none and returns how long it is
// until there is one.
func (t *throttle) take(key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	b := t.bucketLocked(key)
	if b.fullAt.Before(now) {
		b.fullAt = now
	}
	next := b.fullAt.Add(t.refill)
	if wait := next.Sub(now) - time.Duration(t.burst)*t.refill; wait > 0 {
		return wait
	}
	b.fullAt = next
	return 0
}

// giveBack returns an attempt that take took.
func (t *throttle) giveBack(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.buckets[key]; ok {
		b := e.Value.(*bucket)
		b.fullAt = b.fullAt.Add(-t.refill)
	}
}

func (t *throttle) bucketLocked(key string) *bucket {
	if e, ok := t.buckets[key]; ok {
		t.recent.MoveToFront(e)
		return e.Value.(*bucket)
	}
	if t.recent.Len() >= t.most {
		oldest := t.recent.Remove(t.recent.Back()).(*bucket)
		delete(t.buckets, oldest.key)
	}
	b := &bucket{key: key}
	t.buckets[key] = t.recent.PushFront(b)
	return b
}
