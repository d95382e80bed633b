package http

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestMetrics(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	for _, r := range []request{
		{method: "GET", path: "/sample/a"},
		{method: "GET", path: "/api/sample/b/"},
		{method: "POST", path: "/sample"},
		{method: "GET", path: "/made/up"},
		{method: "BREW", path: "/sample"},
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
