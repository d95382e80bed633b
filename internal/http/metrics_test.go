package http

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/kappagraph/kappa"
)

// total returns how many events of a kind were sent.
func (m *streamMetrics) total(event string) int {
	return int(testutil.ToFloat64(m.events.WithLabelValues(event)))
}

// someSources are an active source that is well, and one that has failed.
func someSources() []kappa.EventSource {
	return []kappa.EventSource{
		{Name: "listen", Active: true, Connected: true, LagMS: new(2.5), Reconnects: 3},
		{Name: "nats", Error: "connection refused"},
	}
}

func TestMetrics(t *testing.T) {
	b := withHistory(3, kappa.StatusCompleted)
	cfg := testConfig(b)
	cfg.Sources = someSources
	cfg.HubStats = func() kappa.HubStats {
		return kappa.HubStats{Watched: 1, Subscribers: 2, Delivered: 3, Coalesced: 4, EndedSlow: 5, Reads: 6}
	}
	s := newTestServer(t, cfg)
	call(t, s, request{method: "GET", path: "/api/jobs/" + knownJob + "/stream/"})
	call(t, s, request{method: "GET", path: "/jobs/" + knownJob})
	call(t, s, request{method: "GET", path: "/jobs/job_ffffffffffff"})
	call(t, s, request{method: "GET", path: "/made/up"})
	call(t, s, request{method: "BREW", path: "/jobs"})
	resp, body := call(t, s, request{method: "GET", path: "/metrics", token: readToken, header: map[string]string{"Accept-Encoding": "gzip", "Accept": "application/openmetrics-text"}})
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	for _, want := range []string{
		`kappa_event_source_connected{source="listen"} 1`, `kappa_event_source_connected{source="nats"} 0`,
		`kappa_event_source_active{source="listen"} 1`, `kappa_event_source_active{source="nats"} 0`,
		`kappa_event_source_reconnects_total{source="listen"} 3`, `kappa_event_source_lag_seconds{source="listen"} 0.0025`,
		`kappa_streams_open 0`, `kappa_stream_events_total{event="snapshot"} 1`, `kappa_stream_events_total{event="completed"} 1`,
		`kappa_streams_ended_total{reason="over"} 1`,
		`kappa_hub_watched_jobs 1`, `kappa_hub_subscribers 2`, `kappa_hub_delivered_total 3`, `kappa_hub_coalesced_total 4`,
		`kappa_hub_ended_slow_total 5`, `kappa_hub_reads_total 6`,
		`kappa_http_requests_total{method="GET",route="/jobs/{id}",status="2xx"} 1`,
		`kappa_http_requests_total{method="GET",route="/jobs/{id}",status="4xx"} 1`,
		`kappa_http_requests_total{method="GET",route="/jobs/{id}/stream",status="2xx"} 1`,
		`kappa_http_requests_total{method="any",route="none",status="4xx"} 2`,
		`kappa_http_request_duration_seconds_count{method="GET",route="/jobs/{id}"} 2`,
		"go_goroutines ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, never := range []string{"/made/up", "BREW", `duration_seconds_count{method="GET",route="/jobs/{id}/stream"}`, "lag_bytes", `lag_seconds{source="nats"}`} {
		if strings.Contains(body, never) {
			t.Errorf("there is %s", never)
		}
	}
	t.Run("are each Server's own", func(t *testing.T) {
		_, body := call(t, newTestServer(t, testConfig(newBackend())), request{method: "GET", path: "/metrics"})
		if strings.Contains(body, "kappa_event_source") || strings.Contains(body, "kappa_hub") || strings.Contains(body, `route="/jobs/{id}"`) {
			t.Error("figures of another server, or of what there is not")
		}
	})
	t.Run("take a permission", func(t *testing.T) {
		b.user.Role = kappa.RoleCurator
		resp, body := call(t, s, request{method: "GET", path: "/metrics"})
		wantProblem(t, resp, body, 403)
	})
}

func TestEventSources(t *testing.T) {
	for name, tt := range map[string]struct {
		sources []kappa.EventSource
		want    string
	}{
		"none are told": {nil, `"events":{"status":"healthy"}`},
		"one that is well": {
			[]kappa.EventSource{{Name: "wal", Active: true, Connected: true}}, `"events":{"status":"healthy"}`,
		},
		"one that is cut off": {
			[]kappa.EventSource{{Name: "listen", Active: true, Error: "reset"}},
			`"events":{"status":"degraded","error":"notifications are cut off; changes are seen within 5 s"}`,
		},
		"one that others stand in for": {someSources(), `"events":{"status":"healthy","error":"nats is cut off; another source stands in for it"}`},
		"one that rests": {
			[]kappa.EventSource{{Name: "listen"}, {Name: "nats", Active: true, Connected: true}}, `"events":{"status":"healthy"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := testConfig(newBackend())
			cfg.Sources = func() []kappa.EventSource { return tt.sources }
			s := newTestServer(t, cfg)
			resp, body := call(t, s, request{method: "GET", path: "/health", token: "-"})
			if resp.StatusCode != 200 || !strings.Contains(body, tt.want) ||
				strings.HasPrefix(body, `{"status":"healthy"`) != strings.Contains(tt.want, `"healthy"`) {
				t.Errorf("%d %s, want %s", resp.StatusCode, body, tt.want)
			}
			_, body = call(t, s, request{method: "GET", path: "/admin/workers/status"})
			if strings.Count(body, `"active":`) != len(tt.sources) || !strings.Contains(body, `"event_sources":[`) {
				t.Errorf("status %s", body)
			}
		})
	}
}
