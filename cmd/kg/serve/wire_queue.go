package serve

import (
	"context"
	"os"
	"time"

	"github.com/kappagraph/kappa/internal/http/telemetry"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/work"
)

const (
	heartbeatLimit = 2 * time.Second // for a statement of the heartbeat
	leaderLimit    = 5 * time.Second // for a statement of the leader's connection
)

// queuePart works on jobs: as a worker with a lease, and, when it leads or all servers are to,
// with lanes.
type queuePart struct {
	finisher *lanes.Finisher
	runner   *lanes.Runner
	orphans  *lanes.Orphans
	worker   *lanes.Worker
	manager  *lanes.Manager
	elector  *lanes.Elector
	rescues  *lanes.Rescues
	policies *lanes.Policies

	times      *lanes.Times
	histograms *telemetry.JobTimes

	lanesOf string // which servers run lanes; see Settings.Lanes
}

// wireQueue connects it.
func (s *server) wireQueue(context.Context) error {
	q := &s.queue
	q.lanesOf = s.settings.Lanes
	q.rescues = &lanes.Rescues{}
	q.finisher = lanes.NewFinisher(s.db.Claims(), s.log)
	q.times, q.histograms = lanes.NewTimes(s.db.Lanes(), s.log), telemetry.NewJobTimes()
	q.finisher.Tell(q.times.Ended, q.histograms.Ended)
	q.runner = lanes.NewRunner(s.types, q.finisher, s.log)
	q.runner.Obey(&q.policies.Policies)
	q.runner.Trace(s.tracer())
	q.orphans = lanes.NewOrphans(q.runner, s.log)
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "unknown"
	}
	q.worker = lanes.NewWorker(lanes.WorkerConfig{
		ID: s.id, Hostname: hostname, PID: os.Getpid(), Version: s.settings.Version, Store: workerStores{s.db.Claims(), s.db.Workers()}, Log: s.log,
		Live:  func() { q.manager.WakeAll() },
		Lease: s.settings.TestLease, Heartbeat: s.settings.TestLease / 5, Margin: s.settings.TestLease / 5,
		Dial: func(ctx context.Context) (lanes.Heartbeat, error) {
			return s.db.DialHeartbeat(ctx, heartbeatLimit)
		},
	}, q.runner)
	q.manager = lanes.NewManager(lanes.ManagerConfig{
		Store: laneStores{s.db.Claims(), s.db.Lanes()}, Worker: q.worker, Runner: q.runner, Ceiling: s.settings.MaxLaneSlots,
		Waiting: s.db.Lanes().WaitingTypes, Log: s.log,
	})
	q.elector = lanes.NewElector(lanes.ElectorConfig{
		ID: q.worker.ID, Log: s.log, Lead: s.lead,
		Dial: func(ctx context.Context) (lanes.Leadership, error) {
			return s.db.DialLeader(ctx, leaderLimit)
		},
	})
	return nil
}

// ofAll reports whether every server runs lanes, and not the leader alone.
func (q *queuePart) ofAll() bool { return q.lanesOf == lanesAll }

// runOfAll runs the lanes whether this server leads or not, if all servers are to.
func (q *queuePart) runOfAll(ctx context.Context) error {
	if q.ofAll() {
		return q.manager.Run(ctx)
	}
	<-ctx.Done()
	return nil
}

// drain waits until ctx ends, and then until running jobs have ended: for a while, or until
// secondSignal.
func (q *queuePart) drain(ctx, secondSignal context.Context, within time.Duration) error {
	<-ctx.Done()
	q.runner.Drain(secondSignal, within)
	return nil
}

// figures is what the lanes of this process have done.
func (q *queuePart) figures() work.Figures {
	takenBack, quarantined := q.rescues.Counts()
	return work.Figures{Term: q.elector.Term(), Lanes: q.finisher.Counts(), TakenBack: takenBack, Quarantined: quarantined, Orphans: len(q.orphans.List())}
}

// checkLanes says whether the lanes poll, which only those of the leader do unless all
// servers run them.
func (q *queuePart) checkLanes() (standby bool, err error) {
	return q.elector.Term() == 0 && !q.ofAll(), q.manager.Check()
}

// tryLocks takes the locks of the lanes, and of what runs in them.
func (q *queuePart) tryLocks() {
	_ = q.worker.Check()
	_ = q.manager.Check()
	q.runner.Running()
	_ = q.orphans.Check()
	q.finisher.Counts()
}
