package streams

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// total returns how many events of a kind were sent.
func (m *streamMetrics) total(event string) int {
	return int(testutil.ToFloat64(m.events.WithLabelValues(event)))
}

func TestMetrics(t *testing.T) {
	s := newTestServer(t, testConfig(withHistory(3, work.StatusCompleted)))
	call(t, s, apitest.Request{Method: "GET", Path: "/api/jobs/" + knownJob + "/stream/"})
	for _, event := range []string{"snapshot", "completed"} {
		if n := s.counts.total(event); n != 1 {
			t.Errorf("%d events %s are counted, want 1", n, event)
		}
	}
	if n := testutil.ToFloat64(s.counts.ends.WithLabelValues("over")); n != 1 {
		t.Errorf("%v streams have ended, want 1", n)
	}
}
