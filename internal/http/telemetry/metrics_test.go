package telemetry

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/work"
)

// someSources are an active source that is well, and one that has failed.
func someSources() []work.EventSource {
	return []work.EventSource{
		{Name: "listen", Active: true, Connected: true, LagMS: new(2.5), Reconnects: 3},
		{Name: "nats", Error: "connection refused"},
	}
}

func TestMetrics(t *testing.T) {
	cfg, accounts := (&fake{}).config(), apitest.NewAccounts()
	cfg.Sources = someSources
	cfg.HubStats = func() work.HubStats {
		return work.HubStats{Watched: 1, Subscribers: 2, Delivered: 3, Coalesced: 4, EndedSlow: 5, Reads: 6}
	}
	cfg.GraphWork = func() knowledge.GraphWork {
		return knowledge.GraphWork{Chunks: 1, Failed: 2, Late: 3, Sequential: 4, Workers: 5, MaxWorkers: 6}
	}
	s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(cfg))
	apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/health"})
	resp, body := apitest.Call(t, s, apitest.Request{
		Method: "GET", Path: "/metrics", Token: apitest.ReadOnly,
		Header: map[string]string{"Accept-Encoding": "gzip", "Accept": "application/openmetrics-text"},
	})
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	for _, want := range []string{
		`kappa_event_source_connected{source="listen"} 1`, `kappa_event_source_connected{source="nats"} 0`,
		`kappa_event_source_active{source="listen"} 1`, `kappa_event_source_active{source="nats"} 0`,
		`kappa_event_source_reconnects_total{source="listen"} 3`, `kappa_event_source_lag_seconds{source="listen"} 0.0025`,
		`kappa_hub_watched_jobs 1`, `kappa_hub_subscribers 2`, `kappa_hub_delivered_total 3`, `kappa_hub_coalesced_total 4`,
		`kappa_hub_ended_slow_total 5`, `kappa_hub_reads_total 6`,
		`kappa_graph_chunks_total 1`, `kappa_graph_chunks_failed_total 2`, `kappa_graph_chunks_late_total 3`,
		`kappa_graph_sequential_total 4`, `kappa_graph_workers_busy 5`, `kappa_graph_workers_max 6`,
		`kappa_http_requests_total{method="GET",route="/health",status="2xx"} 1`,
		"go_goroutines ",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, never := range []string{"lag_bytes", `lag_seconds{source="nats"}`} {
		if strings.Contains(body, never) {
			t.Errorf("there is %s", never)
		}
	}
	t.Run("are each Server's own", func(t *testing.T) {
		_, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/metrics"})
		if strings.Contains(body, "kappa_event_source") || strings.Contains(body, "kappa_hub") || strings.Contains(body, `route="/health"`) {
			t.Error("figures of another server, or of what there is not")
		}
	})
	t.Run("take a permission", func(t *testing.T) {
		accounts.InRole(access.RoleCurator)
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/metrics"})
		apitest.WantProblem(t, resp, body, 403)
	})
}

func TestEventSources(t *testing.T) {
	for name, tt := range map[string]struct {
		sources []work.EventSource
		want    string
	}{
		"none are told": {nil, `"events":{"status":"healthy"}`},
		"one that is well": {
			[]work.EventSource{{Name: "wal", Active: true, Connected: true}}, `"events":{"status":"healthy"}`,
		},
		"one that is cut off": {
			[]work.EventSource{{Name: "listen", Active: true, Error: "reset"}},
			`"events":{"status":"degraded","error":"notifications are cut off; changes are seen within 5 s"}`,
		},
		"one that others stand in for": {someSources(), `"events":{"status":"healthy","error":"nats is cut off; another source stands in for it"}`},
		"one that rests": {
			[]work.EventSource{{Name: "listen"}, {Name: "nats", Active: true, Connected: true}}, `"events":{"status":"healthy"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := (&fake{}).config()
			cfg.Sources = func() []work.EventSource { return tt.sources }
			s := serve(t, cfg)
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/health", Token: apitest.None})
			if resp.StatusCode != 200 || !strings.Contains(body, tt.want) ||
				strings.HasPrefix(body, `{"status":"healthy"`) != strings.Contains(tt.want, `"healthy"`) {
				t.Errorf("%d %s, want %s", resp.StatusCode, body, tt.want)
			}
		})
	}
}
