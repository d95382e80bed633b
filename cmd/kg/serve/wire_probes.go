package serve

import (
	"github.com/kappagraph/kappa/internal/http/telemetry"
	"github.com/kappagraph/kappa/migrations"
)

// figures are where the metrics come from.
func (s *server) figures() telemetry.Figures {
	return telemetry.Figures{
		Work: s.queue.figures, JobTimes: s.queue.histograms, ModelUse: s.models.use, Loops: s.loops.State, Graph: s.graph.figures, Pools: s.db.PoolFigures,
		Queue: s.db.Figures().QueueFigures, Database: s.db.Figures().DatabaseFigures, Providers: modelStatus{s}.Status, Limits: s.db.Lanes().Limits,
		Webhooks: s.db.Webhooks().Webhooks, Attempts: s.hooks.sender.Attempts,
	}
}

// readiness is what the probes check.
func (s *server) readiness() telemetry.Readiness {
	return telemetry.Readiness{
		Schema: s.db.Schema, Version: migrations.Version(),
		Worker: s.queue.worker.Check, Lanes: s.queue.checkLanes, Handlers: s.queue.orphans.Check, Locks: s.tryLocks,
	}
}

// tryLocks takes the locks of the queue, and of the hub.
func (s *server) tryLocks() {
	s.queue.tryLocks()
	s.events.hub.Stats()
}
