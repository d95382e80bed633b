package serve

import (
	"github.com/kappagraph/kappa/internal/http/telemetry"
	"github.com/kappagraph/kappa/migrations"
	"github.com/kappagraph/kappa/work"
)

// figures are where the metrics come from.
func (s *server) figures() telemetry.Figures {
	return telemetry.Figures{Work: s.work, Loops: s.loops.State, Graph: s.graphFigures, Pools: s.db.PoolFigures, Queue: s.db.Figures().QueueFigures, Database: s.db.Figures().DatabaseFigures, Providers: modelStatus{s}.Status}
}

// work is what the lanes of this process have done.
func (s *server) work() work.Figures {
	takenBack, quarantined := s.rescues.Counts()
	return work.Figures{Term: s.elector.Term(), Lanes: s.finisher.Counts(), TakenBack: takenBack, Quarantined: quarantined, Orphans: len(s.orphans.List())}
}

// readiness is what the probes check.
func (s *server) readiness() telemetry.Readiness {
	return telemetry.Readiness{
		Schema: s.db.Schema, Version: migrations.Version(),
		Worker: s.worker.Check, Lanes: s.checkLanes, Handlers: s.orphans.Check, Locks: s.tryLocks,
	}
}

// checkLanes says whether the lanes poll, which only those of the leader do unless all
// servers run them.
func (s *server) checkLanes() (standby bool, err error) {
	return s.elector.Term() == 0 && s.settings.Lanes != lanesAll, s.manager.Check()
}

// tryLocks takes the locks of the lanes, of what runs in them, and of the hub.
func (s *server) tryLocks() {
	_ = s.worker.Check()
	_ = s.manager.Check()
	s.runner.Running()
	_ = s.orphans.Check()
	s.finisher.Counts()
	s.events.hub.Stats()
}
