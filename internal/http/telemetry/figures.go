package telemetry

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

// figuresAge is how long what the database has said is shown again: who scrapes
// from two places, or too often, costs no more for that.
const figuresAge = 5 * time.Second

// Figures are where the metrics come from that are not of HTTP or of events. What
// is nil is not shown.
type Figures struct {
	// Work, Loops, Graph and Pools must not wait for anything.
	Work  func() work.Figures
	Loops func() []kappa.LoopState
	Graph func() knowledge.GraphStatus
	Pools func() []work.PoolFigures
	// JobTimes and ModelUse are of this process.
	JobTimes *JobTimes
	ModelUse *ModelUse

	// Queue and Database ask the database, when somebody scrapes. While it does not
	// answer, the others are shown all the same.
	Queue    func(ctx context.Context) (work.QueueFigures, error)
	Database func(ctx context.Context) (work.DatabaseFigures, error)
	// Providers may be nil.
	Providers func(ctx context.Context) ([]models.ProviderStatus, error)
	// Limits may be nil.
	Limits func(ctx context.Context) ([]work.Limit, error)
	// Webhooks may be nil.
	Webhooks func(ctx context.Context) ([]webhooks.Webhook, error)
	// Attempts are those of this process at deliveries to webhooks; see webhooks.Sender.
	Attempts func() map[string]int64
}

// askedFigures is what the database said at the last scrape.
type askedFigures struct {
	up       bool
	database *work.DatabaseFigures // nil when it did not say
	queue    *work.QueueFigures    // nil when it did not say

	providers []models.ProviderStatus
	limits    []work.Limit
	webhooks  []webhooks.Webhook
}

// readFigures asks the database for its figures. What cannot be had is left out:
// an old figure would look like a present one.
func (a *API) readFigures(ctx context.Context) (asked askedFigures) {
	database, err := a.cfg.Figures.Database(ctx)
	if asked.up = err == nil; asked.up {
		asked.database = &database
		var queue work.QueueFigures
		if queue, err = a.cfg.Figures.Queue(ctx); err == nil {
			asked.queue = &queue
		}
		if a.cfg.Figures.Providers != nil && err == nil {
			asked.providers, err = a.cfg.Figures.Providers(ctx)
		}
		if a.cfg.Figures.Limits != nil && err == nil {
			asked.limits, err = a.cfg.Figures.Limits(ctx)
		}
		if a.cfg.Figures.Webhooks != nil && err == nil {
			asked.webhooks, err = a.cfg.Figures.Webhooks(ctx)
		}
	}
	if err != nil {
		a.cfg.Log.DebugContext(ctx, "figures not read", "err", err)
	}
	return asked
}

// registerCollectors adds the figures that are asked for at each scrape, as far as
// there is somebody to ask.
func (a *API) registerCollectors(registry prometheus.Registerer) {
	if a.cfg.Sources != nil {
		registry.MustRegister(newSourceCollector(a.cfg.Sources))
	}
	if a.cfg.HubStats != nil {
		registry.MustRegister(newHubCollector(a.cfg.HubStats))
	}
	if a.cfg.GraphWork != nil {
		registry.MustRegister(seriesCollector[knowledge.GraphWork]{a.cfg.GraphWork, tableSeries()})
	}
	figures := a.cfg.Figures
	if t := figures.JobTimes; t != nil {
		registry.MustRegister(t.wait, t.run)
	}
	if u := figures.ModelUse; u != nil {
		registry.MustRegister(u.calls, u.tokens, u.cost)
	}
	if figures.Work != nil {
		registry.MustRegister(seriesCollector[work.Figures]{figures.Work, workSeries()})
	}
	if figures.Loops != nil {
		registry.MustRegister(seriesCollector[[]kappa.LoopState]{figures.Loops, loopSeries()})
	}
	if figures.Graph != nil {
		registry.MustRegister(seriesCollector[knowledge.GraphStatus]{figures.Graph, slices.Concat(graphSeries(), searchSeries(), passageSeries())})
	}
	if figures.Pools != nil {
		registry.MustRegister(seriesCollector[[]work.PoolFigures]{figures.Pools, poolSeries()})
	}
	if figures.Attempts != nil {
		registry.MustRegister(seriesCollector[map[string]int64]{figures.Attempts, attemptSeries()})
	}
	if figures.Queue != nil && figures.Database != nil {
		a.asked = &probe[askedFigures]{check: a.readFigures, age: figuresAge}
		registry.MustRegister(seriesCollector[askedFigures]{a.asked.latest, slices.Concat(databaseSeries(), queueSeries(), providerSeries(), limitSeries(), webhookSeries())})
	}
}

// attemptOutcomes are shown from the first attempt of a lane on, also those that
// have not happened.
func attemptOutcomes() []work.AttemptOutcome {
	return []work.AttemptOutcome{
		work.AttemptCompleted, work.AttemptFailed, work.AttemptCancelled, work.AttemptRetried, work.AttemptReleased,
	}
}

// workSeries are what the lanes of this server do.
func workSeries() []series[work.Figures] {
	type worked = work.Figures
	type emit = func(value float64, labels ...string)
	ofLanes := func(name, help string, value func(work.LaneCount) int64) series[worked] {
		return newSeries(prometheus.CounterValue, name, help, []string{"lane"}, func(w worked, emit emit) {
			for lane, count := range w.Lanes {
				emit(float64(value(count)), lane)
			}
		})
	}
	return []series[worked]{
		newSeries(prometheus.GaugeValue, "leader", "1 on the server that leads.", nil, func(w worked, emit emit) { emit(oneIf(w.Term > 0)) }),
		newSeries(prometheus.GaugeValue, "leader_term", "The term under which this server leads, 0 when it does not.", nil, func(w worked, emit emit) { emit(float64(w.Term)) }),
		ofLanes("job_claims_total", "Jobs that this server has claimed.", func(c work.LaneCount) int64 { return c.Claims }),
		ofLanes("job_stale_ends_total", "Attempts of this server whose end was refused, because the job was not theirs any more.", func(c work.LaneCount) int64 { return c.Stale }),
		newSeries(prometheus.CounterValue, "job_attempts_ended_total", "Attempts that have ended on this server, by how.", []string{"lane", "outcome"}, func(w worked, emit emit) {
			for lane, count := range w.Lanes {
				for _, outcome := range attemptOutcomes() {
					emit(float64(count.Ended[outcome]), lane, string(outcome))
				}
			}
		}),
		newSeries(prometheus.GaugeValue, "orphaned_handlers", "Handlers of this server that work on although they were told to stop.", nil, func(w worked, emit emit) { emit(float64(w.Orphans)) }),
		newSeries(prometheus.CounterValue, "jobs_taken_back_total", "Jobs that this server has taken back from their workers as the leader, by why.", []string{"reason"}, func(w worked, emit emit) {
			for _, why := range []string{work.TakenWorkerLost, work.TakenNoProgress} {
				emit(float64(w.TakenBack[why]), strings.ReplaceAll(why, " ", "_"))
			}
		}),
		newSeries(prometheus.CounterValue, "jobs_quarantined_total", "Jobs that this server has given up as the leader, because their workers died too often.", nil, func(w worked, emit emit) { emit(float64(w.Quarantined)) }),
	}
}

// poolSeries are the connections of this server to the database.
func poolSeries() []series[[]work.PoolFigures] {
	ofPools := func(kind prometheus.ValueType, name, help string, value func(work.PoolFigures) float64) series[[]work.PoolFigures] {
		return newSeries(kind, "pool_"+name, help, []string{"pool"}, func(pools []work.PoolFigures, emit func(value float64, labels ...string)) {
			for _, p := range pools {
				emit(value(p), p.Name)
			}
		})
	}
	return []series[[]work.PoolFigures]{
		ofPools(prometheus.GaugeValue, "acquired_connections", "Connections in use.", func(p work.PoolFigures) float64 { return float64(p.Acquired) }),
		ofPools(prometheus.GaugeValue, "idle_connections", "Connections that are not in use.", func(p work.PoolFigures) float64 { return float64(p.Idle) }),
		ofPools(prometheus.GaugeValue, "max_connections", "Connections that there may be.", func(p work.PoolFigures) float64 { return float64(p.Max) }),
		ofPools(prometheus.CounterValue, "waits_total", "Connections that were waited for, because none was idle.", func(p work.PoolFigures) float64 { return float64(p.Waits) }),
		ofPools(prometheus.CounterValue, "wait_seconds_total", "How long was waited for connections.", func(p work.PoolFigures) float64 { return p.Waited.Seconds() }),
		ofPools(prometheus.CounterValue, "given_up_total", "Connections that were waited for in vain.", func(p work.PoolFigures) float64 { return float64(p.GivenUp) }),
	}
}
