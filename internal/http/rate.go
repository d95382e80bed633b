package http

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa"
)

const (
	rateBurst    = 2 * time.Second // of requests at once
	ratedUsers   = 10_000          // whose buckets are kept
	rateReported = "kappa_http_rate_limited_total"
)

// rateLimit gives each user so many requests a second, and twice as many at once. The
// buckets of users who are within that cost no memory for long.
type rateLimit struct {
	perSecond int // 0 is no limit
	refused   prometheus.Counter

	mu     sync.Mutex
	fullAt map[int]time.Time // when the bucket of a user is full again, by id
}

func newRateLimit(perSecond int, registry *prometheus.Registry) *rateLimit {
	l := &rateLimit{perSecond: perSecond, fullAt: map[int]time.Time{}, refused: prometheus.NewCounter(prometheus.CounterOpts{
		Name: rateReported, Help: "Requests that were refused because their user sent too many.",
	})}
	registry.MustRegister(l.refused)
	return l
}

// take takes a request from the bucket of a user, or returns a CodeRateLimited Error.
func (l *rateLimit) take(userID int, now time.Time) error {
	if l.perSecond == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	full := l.fullAt[userID]
	if full.Before(now) {
		full = now
	}
	full = full.Add(time.Second / time.Duration(l.perSecond))
	if wait := full.Sub(now) - rateBurst; wait > 0 {
		l.refused.Inc()
		return &kappa.Error{
			Code: kappa.CodeRateLimited, RetryAfter: wait,
			Message: "Too many requests: an account may send " + strconv.Itoa(l.perSecond) + " a second",
		}
	}
	if len(l.fullAt) >= ratedUsers {
		l.sweep(now)
	}
	l.fullAt[userID] = full
	return nil
}

// sweep forgets the buckets that are full.
func (l *rateLimit) sweep(now time.Time) {
	for id, at := range l.fullAt {
		if !at.After(now) {
			delete(l.fullAt, id)
		}
	}
}
