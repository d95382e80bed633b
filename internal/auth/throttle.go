package auth

import "time"

// rate is how many attempts a bucket gives: burst at once, and then one in each refill.
type rate struct {
	burst  int
	refill time.Duration
}

// bucket holds the attempts that are left. It is full again at an instant: each attempt
// puts that off by one refill, and none may put it off by more than the burst.
type bucket struct{ fullAt time.Time }

// take takes an attempt and returns 0, or takes none and returns how long it is until
// there is one.
func (b *bucket) take(r rate, now time.Time) time.Duration {
	if b.fullAt.Before(now) {
		b.fullAt = now
	}
	next := b.fullAt.Add(r.refill)
	if wait := next.Sub(now) - time.Duration(r.burst)*r.refill; wait > 0 {
		return wait
	}
	b.fullAt = next
	return 0
}

// giveBack returns an attempt that take took.
func (b *bucket) giveBack(r rate) { b.fullAt = b.fullAt.Add(-r.refill) }

// throttle has a bucket for each key, for a bounded number of keys. It removes only
// buckets that are full, which changes nothing: a caller cannot get new attempts for a
// key by trying many others. While there is no room, all further keys share one bucket.
// It is not safe for concurrent use.
type throttle struct {
	rate
	most    int // keys
	buckets map[string]*bucket
	shared  bucket
	sweepAt time.Time // no bucket is full before
}

func newThrottle(r rate, most int) *throttle {
	return &throttle{rate: r, most: most, buckets: map[string]*bucket{}}
}

// bucket returns the bucket of a key. It stays that of the key while it is not full.
func (t *throttle) bucket(key string, now time.Time) *bucket {
	if b := t.buckets[key]; b != nil {
		return b
	}
	if len(t.buckets) >= t.most && !now.Before(t.sweepAt) {
		t.sweep(now)
	}
	if len(t.buckets) >= t.most {
		return &t.shared
	}
	b := &bucket{fullAt: now}
	t.buckets[key] = b
	t.sweepAt = now // it is full until it is taken from
	return b
}

// giveBack returns an attempt to one of the buckets.
func (t *throttle) giveBack(b *bucket) {
	b.giveBack(t.rate)
	if b.fullAt.Before(t.sweepAt) {
		t.sweepAt = b.fullAt
	}
}

// sweep removes the buckets that are full.
func (t *throttle) sweep(now time.Time) {
	t.sweepAt = now.Add(time.Duration(t.burst) * t.refill)
	for key, b := range t.buckets {
		switch {
		case !b.fullAt.After(now):
			delete(t.buckets, key)
		case b.fullAt.Before(t.sweepAt):
			t.sweepAt = b.fullAt
		}
	}
}
