package http

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kappagraph/kappa"
)

// total returns how many events of a kind were sent.
func (m *streamMetrics) total(event string) int {
	return int(testutil.ToFloat64(m.events.WithLabelValues(event)))
}

func TestMetricsOfStreams(t *testing.T) {
	s := newTestServer(t, testConfig(withHistory(3, kappa.StatusCompleted)))
	call(t, s, request{method: "GET", path: "/api/jobs/" + knownJob + "/stream/"})
	for _, event := range []string{"snapshot", "completed"} {
		if n := s.counts.total(event); n != 1 {
			t.Errorf("%d events %s are counted, want 1", n, event)
		}
	}
	if n := testutil.ToFloat64(s.counts.ends.WithLabelValues("over")); n != 1 {
		t.Errorf("%v streams have ended, want 1", n)
	}
	if n := testutil.CollectAndCount(s.Router.metrics.duration); n != 0 {
		t.Errorf("%d durations are observed: a stream has none", n)
	}
}

func TestMetrics(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	for _, r := range []request{
		{method: "GET", path: "/sample/a"}, {method: "GET", path: "/api/sample/b/"}, {method: "POST", path: "/sample"},
		{method: "GET", path: "/made/up"}, {method: "BREW", path: "/sample"},
	} {
		call(t, s, r)
	}
	for labels, want := range map[[3]string]float64{
		{"GET", "/sample/{name}", "2xx"}: 2, {"POST", "/sample", "4xx"}: 1, {"any", "none", "4xx"}: 2,
	} {
		if n := testutil.ToFloat64(s.Router.metrics.requests.WithLabelValues(labels[:]...)); n != want {
			t.Errorf("%v: %v requests, want %v", labels, n, want)
		}
	}
	if n := testutil.CollectAndCount(s.Router.metrics.requests); n != 3 {
		t.Errorf("%d kinds of requests are counted: clients make up names", n)
	}
	if n := testutil.CollectAndCount(s.Router.metrics.duration); n != 3 {
		t.Errorf("durations of %d kinds are observed, want 3", n)
	}
}
