package http

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kappagraph/kappa"
)

// TestRateLimit takes requests from buckets.
func TestRateLimit(t *testing.T) {
	now := time.Now()
	l := newRateLimit(10, prometheus.NewRegistry())
	for i := range 20 {
		if err := l.take(1, now); err != nil {
			t.Fatalf("request %d of a burst of 20: %v", i+1, err)
		}
	}
	err := l.take(1, now)
	if kappa.ErrorCode(err) != kappa.CodeRateLimited {
		t.Fatalf("request 21 of a burst of 20: %v", err)
	}
	if e := err.(*kappa.Error); e.RetryAfter <= 0 || e.RetryAfter > time.Second { //nolint:errorlint // as it comes
		t.Errorf("try again after %s", e.RetryAfter)
	}
	if err := l.take(2, now); err != nil {
		t.Errorf("another user: %v", err)
	}
	if err := l.take(1, now.Add(100*time.Millisecond)); err != nil {
		t.Errorf("a tenth of a second later: %v", err)
	}
	if err := l.take(1, now.Add(100*time.Millisecond)); err == nil {
		t.Error("and one more: it got through")
	}
	if n := testutil.ToFloat64(l.refused); n != 2 {
		t.Errorf("%v requests are counted as refused, want 2", n)
	}
	l.sweep(now.Add(time.Minute))
	if len(l.fullAt) != 0 {
		t.Errorf("%d full buckets are kept", len(l.fullAt))
	}
	if off := newRateLimit(0, prometheus.NewRegistry()); off.take(1, now) != nil || len(off.fullAt) != 0 {
		t.Error("without a limit something is counted")
	}
}
