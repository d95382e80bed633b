package telemetry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

// someFigures are of a server that leads, with a value of its own for each metric.
func someFigures() Figures {
	return Figures{
		Graph: func() knowledge.GraphStatus {
			lag := 0.5
			return knowledge.GraphStatus{
				State: knowledge.GraphReady, Lag: &lag, Bytes: 26, Limit: 27, Edges: 28, Loads: 29, Changes: 30, Transactions: 31,
				Search: &knowledge.SearchIndexStatus{Ready: true, Embeddings: true, Lag: &lag, Bytes: 32, Limit: 33, Concepts: 34, Loads: 35},
			}
		},
		Work: func() work.Figures {
			return work.Figures{
				Term: 4, TakenBack: map[string]int64{work.TakenWorkerLost: 5}, Quarantined: 6, Orphans: 20,
				Lanes: map[string]work.LaneCount{"interactive": {Claims: 7, Stale: 8, Ended: map[work.AttemptOutcome]int64{work.AttemptCompleted: 9}}},
			}
		},
		Loops: func() []kappa.LoopState {
			return []kappa.LoopState{{Name: "sweeping", Period: 40, LastRun: new(kappa.At(time.UnixMilli(41_500))), Rounds: 43, Failures: 42, Overdue: 44}}
		},
		Pools: func() []work.PoolFigures {
			return []work.PoolFigures{{Name: "jobs", Acquired: 1, Idle: 2, Max: 10, Waits: 3, Waited: 1500 * time.Millisecond, GivenUp: 4}}
		},
		Queue: func(context.Context) (work.QueueFigures, error) {
			return work.QueueFigures{
				Lanes: []work.LaneFigures{{
					Name: "interactive", Enabled: true, MaxSlots: 2, Running: 1, Queued: map[string]int{"ingestion": 12}, OldestWait: 90 * time.Second,
				}},
				Unclaimed: map[string]int{"lost": 13}, Waiting: map[string]int{"extract_chunk": 49}, Jobs: map[work.Status]int{work.StatusApproved: 25},
			}, nil
		},
		Limits: func(context.Context) ([]work.Limit, error) {
			return []work.Limit{{
				ID: 45, LimitRequest: work.LimitRequest{LimitSubject: work.LimitSubject{Scope: work.LimitUser, Value: "alice"}}, Running: 46, Held: 47,
			}}, nil
		},
		Webhooks: func(context.Context) ([]webhooks.Webhook, error) {
			return []webhooks.Webhook{{ID: "wh_1", Enabled: true, FailingSince: new(kappa.At(time.Unix(1, 0))), Waiting: 49}}, nil
		},
		Attempts: func() map[string]int64 { return map[string]int64{"failed": 48} },
		Database: func(context.Context) (work.DatabaseFigures, error) {
			return work.DatabaseFigures{
				FrozenXIDAge: 14, XminAge: map[string]int64{"slot": 15}, Bytes: 16, SlotWAL: 17, ClockAhead: -1500 * time.Millisecond,
				Tables: []work.TableFigures{{Name: "jobs", Live: 18, Dead: 19}},
			}, nil
		},
	}
}

// fromDatabase are the metrics that the database is asked for.
var fromDatabase = []string{
	"kappa_lane_slots", "kappa_jobs{", "kappa_unclaimed_jobs", "kappa_database_frozen_xid_age_transactions",
	"kappa_database_size_bytes", "kappa_table_dead_rows",
}

func scrape(t *testing.T, s *http.Server) string {
	t.Helper()
	resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/metrics"})
	if resp.StatusCode != 200 {
		t.Fatalf("%d %s", resp.StatusCode, body)
	}
	return body
}

func TestQ51_Figures(t *testing.T) {
	cfg := (&fake{}).config()
	cfg.Figures, cfg.Sources = someFigures(), someSources
	cfg.HubStats = func() work.HubStats { return work.HubStats{} }
	body := scrape(t, serve(t, cfg))
	for _, want := range []string{
		`kappa_leader 1`, `kappa_leader_term 4`, `kappa_job_claims_total{lane="interactive"} 7`, `kappa_job_stale_ends_total{lane="interactive"} 8`,
		`kappa_job_attempts_ended_total{lane="interactive",outcome="completed"} 9`, `kappa_job_attempts_ended_total{lane="interactive",outcome="retried"} 0`,
		`kappa_loop_period_seconds{loop="sweeping"} 40`, `kappa_loop_last_run_timestamp_seconds{loop="sweeping"} 41.5`, `kappa_loop_overdue_seconds{loop="sweeping"} 44`,
		`kappa_loop_rounds_total{loop="sweeping"} 43`, `kappa_loop_failures_total{loop="sweeping"} 42`,
		`kappa_jobs_taken_back_total{reason="worker_lost"} 5`, `kappa_jobs_taken_back_total{reason="no_progress"} 0`, `kappa_jobs_quarantined_total 6`, `kappa_orphaned_handlers 20`,
		`kappa_limit_running_jobs{limit="45",what="jobs of alice"} 46`, `kappa_limit_held_jobs{limit="45",what="jobs of alice"} 47`,
		`kappa_webhook_attempts_total{outcome="failed"} 48`, `kappa_webhook_enabled{webhook="wh_1"} 1`, `kappa_webhook_failing{webhook="wh_1"} 1`, `kappa_webhook_waiting_deliveries{webhook="wh_1"} 49`,
		`kappa_pool_acquired_connections{pool="jobs"} 1`, `kappa_pool_idle_connections{pool="jobs"} 2`, `kappa_pool_max_connections{pool="jobs"} 10`,
		`kappa_pool_waits_total{pool="jobs"} 3`, `kappa_pool_wait_seconds_total{pool="jobs"} 1.5`, `kappa_pool_given_up_total{pool="jobs"} 4`,
		`kappa_graph_memory_used 1`, `kappa_graph_memory_lag_seconds 0.5`, `kappa_graph_memory_bytes 26`, `kappa_graph_memory_limit_bytes 27`,
		`kappa_graph_memory_edges 28`, `kappa_graph_memory_loads_total 29`, `kappa_graph_memory_changes_total 30`, `kappa_graph_memory_transactions_total 31`,
		`kappa_lane_slots{lane="interactive"} 2`, `kappa_lane_running_jobs{lane="interactive"} 1`, `kappa_lane_enabled{lane="interactive"} 1`,
		`kappa_lane_oldest_wait_seconds{lane="interactive"} 90`, `kappa_lane_queued_jobs{job_type="ingestion",lane="interactive"} 12`,
		`kappa_unclaimed_jobs{job_type="lost"} 13`, `kappa_waiting_jobs{job_type="extract_chunk"} 49`, `kappa_jobs{status="approved"} 25`,
		`kappa_database_up 1`, `kappa_database_frozen_xid_age_transactions 14`, `kappa_database_xmin_age_transactions{holder="slot"} 15`,
		`kappa_database_size_bytes 16`, `kappa_database_slot_wal_bytes 17`, `kappa_database_clock_ahead_seconds -1.5`, `kappa_table_live_rows{table="jobs"} 18`, `kappa_table_dead_rows{table="jobs"} 19`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestQ51_FiguresWithoutDatabase wants the figures of the process itself also
// when the database hangs, in less than a second, and none of old answers.
func TestQ51_FiguresWithoutDatabase(t *testing.T) {
	for name, fail := range map[string]func(ctx context.Context) error{
		"refuses": func(context.Context) error { return errors.New("refused") },
		"hangs":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := (&fake{}).config()
				cfg.Figures = someFigures()
				asked, away := 0, false
				database := cfg.Figures.Database
				cfg.Figures.Database = func(ctx context.Context) (work.DatabaseFigures, error) {
					asked++
					if away {
						return work.DatabaseFigures{}, fail(ctx)
					}
					return database(ctx)
				}
				s := serve(t, cfg)
				if asked != 0 {
					t.Error("the database is asked though nobody scrapes")
				}
				for range 3 {
					scrape(t, s)
					time.Sleep(time.Second)
				}
				if asked != 1 {
					t.Errorf("three scrapes in as many seconds ask the database %d times", asked)
				}
				away = true
				time.Sleep(figuresAge)
				began := time.Now()
				body := scrape(t, s)
				if took := time.Since(began); took >= time.Second {
					t.Errorf("the scrape took %s", took)
				}
				for _, want := range []string{"kappa_database_up 0", "kappa_leader 1", `kappa_pool_waits_total{pool="jobs"} 3`, `kappa_job_claims_total{lane="interactive"} 7`} {
					if !strings.Contains(body, want+"\n") {
						t.Errorf("no %s", want)
					}
				}
				for _, old := range fromDatabase {
					if strings.Contains(body, "\n"+old) {
						t.Errorf("%s is shown, but it is old", old)
					}
				}
				away = false
				time.Sleep(figuresAge)
				if !strings.Contains(scrape(t, s), "kappa_database_up 1\n") {
					t.Error("the database is back, and it is not said")
				}
			})
		})
	}
}

// TestJobTimes scrapes how long attempts took, by lane and type.
func TestJobTimes(t *testing.T) {
	cfg := (&fake{}).config()
	cfg.Figures.JobTimes = NewJobTimes()
	s := serve(t, cfg)
	for _, ran := range []time.Duration{time.Second, 2 * time.Second, time.Minute} {
		cfg.Figures.JobTimes.Ended(work.EndedAttempt{Lane: "a", JobType: "x", Waited: 10 * time.Millisecond, Ran: ran})
	}
	body := scrape(t, s)
	for _, want := range []string{
		`kappa_job_wait_seconds_bucket{job_type="x",lane="a",le="0.005"} 0`, `kappa_job_wait_seconds_bucket{job_type="x",lane="a",le="0.025"} 3`,
		`kappa_job_run_seconds_bucket{job_type="x",lane="a",le="5"} 2`, `kappa_job_run_seconds_sum{job_type="x",lane="a"} 63`, `kappa_job_run_seconds_count{job_type="x",lane="a"} 3`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
}
