package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// WorkerStore keeps the workers and their leases.
type WorkerStore struct{ *base }

// Workers returns the store of workers.
func (d *DB) Workers() WorkerStore { return WorkerStore{&d.base} }

// WorkerStatus returns who runs what, what waits, and what nobody claims.
func (s LaneStore) WorkerStatus(ctx context.Context) (work.WorkerStatus, error) {
	st := work.WorkerStatus{RunningJobs: []work.RunningJob{}, QueuedByType: []work.QueuedType{}, Unclaimed: []string{}, Workers: []work.Worker{}}
	lanes, err := s.Lanes(ctx)
	if err != nil {
		return st, err
	}
	st.Lanes = make([]work.LaneSummary, len(lanes))
	claimed := map[string]bool{}
	for i, l := range lanes {
		st.Lanes[i] = work.LaneSummary{Name: l.Name, MaxSlots: l.MaxSlots, Enabled: l.Enabled}
		if l.Enabled {
			st.TotalSlots += l.MaxSlots
		}
		if l.Claims() {
			for _, t := range l.JobTypes {
				claimed[t] = true
			}
		}
	}
	remote, err := RemoteStore(s).addRemote(ctx, &st)
	if err != nil {
		return st, err
	}
	if err := s.addRunning(ctx, &st); err != nil {
		return st, err
	}
	for t := range remote { // connected workers are their lane
		claimed[t] = true
	}
	if err := s.addQueued(ctx, &st, claimed); err != nil {
		return st, err
	}
	if err := s.addWorkers(ctx, &st); err != nil {
		return st, err
	}
	st.Processes = work.ListProcesses(st)
	st.Unhandled = slices.DeleteFunc(unhandled(st), func(t string) bool { return remote[t] })
	return st, nil
}

// unhandled returns the job types with work that the leader has no handler for, as
// far as it says which ones it has.
func unhandled(st work.WorkerStatus) []string {
	types := []string{}
	if st.Leader == nil {
		return types
	}
	leader := slices.IndexFunc(st.Workers, func(w work.Worker) bool { return w.ID == st.Leader.WorkerID })
	if leader < 0 || st.Workers[leader].JobTypes == nil {
		return types
	}
	for _, queued := range st.QueuedByType {
		if !slices.Contains(st.Workers[leader].JobTypes, queued.JobType) {
			types = append(types, queued.JobType)
		}
	}
	return types
}

func (s LaneStore) addRunning(ctx context.Context, st *work.WorkerStatus) error {
	rows, err := s.q().RunningJobs(ctx)
	if err != nil {
		return translate(err, "list running jobs")
	}
	for _, r := range rows {
		job := work.RunningJob{
			JobID: r.JobID, JobType: r.JobType, Lane: r.Lane, ClaimedBy: r.ClaimedBy, ClaimedAt: kappa.AtPtr(r.ClaimedAt),
			StartedAt: kappa.AtPtr(r.StartedAt), Priority: int(r.Priority),
		}
		if r.HeartbeatAge >= 0 {
			job.HeartbeatAge = &r.HeartbeatAge
		}
		st.RunningJobs = append(st.RunningJobs, job)
		st.RunningCount = int(r.Running) // there may be more than are listed
	}
	st.SlotsInUse = st.RunningCount
	return nil
}

func (s LaneStore) addQueued(ctx context.Context, st *work.WorkerStatus, claimed map[string]bool) error {
	types, err := waitingTypes(ctx, s.q(), s.clock.now())
	if err != nil {
		return translate(err, "count queued jobs")
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		w := types[name]
		queued := work.QueuedType{JobType: name, Count: w.jobs}
		if w.due {
			queued.Oldest = new(kappa.At(w.oldest))
		}
		st.QueuedByType = append(st.QueuedByType, queued)
		st.TotalQueued += w.jobs
		if !claimed[name] {
			st.Unclaimed = append(st.Unclaimed, name)
		}
	}
	return nil
}

func (s LaneStore) addWorkers(ctx context.Context, st *work.WorkerStatus) error {
	rows, err := s.q().WorkerList(ctx)
	if err != nil {
		return translate(err, "list workers")
	}
	for _, r := range rows {
		st.Workers = append(st.Workers, work.Worker{
			ID: r.WorkerID, Hostname: r.Hostname, PID: int(r.Pid), JobTypes: r.JobTypes, Version: r.Version, StartedAt: kappa.At(r.StartedAt), HeartbeatAge: r.HeartbeatAge, Running: int(r.Running),
		})
	}
	leader, err := s.q().LeaderNow(ctx)
	if isNoRows(err) {
		return nil // nobody leads at the moment
	}
	if err != nil {
		return translate(err, "read the leader")
	}
	if leader.WorkerID != nil && leader.Since != nil {
		st.Leader = &work.Leader{WorkerID: *leader.WorkerID, Term: leader.Term, Since: kappa.At(*leader.Since)}
	}
	return nil
}

// Register stores a worker with its first lease.
func (s WorkerStore) Register(ctx context.Context, w work.Worker, version string, lease time.Duration) error {
	s.primary.register()
	return translate(s.q().WorkerRegister(ctx, db.WorkerRegisterParams{
		WorkerID: w.ID, Hostname: w.Hostname, Pid: int32(w.PID), Version: version, JobTypes: w.JobTypes, Lease: lease,
	}), "register the worker")
}

// Unregister ends a worker's lease: it holds no job any more.
func (s WorkerStore) Unregister(ctx context.Context, workerID string) error {
	return translate(s.q().WorkerStop(ctx, workerID), "unregister the worker")
}

// DeclareDead marks every worker dead, so that their jobs are taken up again at
// once. It is for the start of a server whose database no other process can
// reach.
func (s WorkerStore) DeclareDead(ctx context.Context) error {
	return translate(s.q().WorkerDead(ctx), "mark the last server's worker dead")
}
