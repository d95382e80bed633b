package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// LaneStore keeps the lanes, and shows how busy they are.
type LaneStore struct{ *base }

// Lanes returns the store of lanes.
func (d *DB) Lanes() LaneStore { return LaneStore{&d.base} }

// Lanes returns every lane, by name.
func (s LaneStore) Lanes(ctx context.Context) ([]work.Lane, error) {
	rows, err := s.q().LaneList(ctx)
	if err != nil {
		return nil, translate(err, "list lanes")
	}
	lanes := make([]work.Lane, len(rows))
	for i, r := range rows {
		lanes[i] = toLane(r)
	}
	return lanes, nil
}

// LaneUsage returns every lane with how busy it is, by name.
func (s LaneStore) LaneUsage(ctx context.Context) ([]work.LaneUsage, error) {
	rows, err := s.q().LaneFigures(ctx)
	if err != nil {
		return nil, translate(err, "list lanes")
	}
	types, err := waitingTypes(ctx, s.q(), s.clock.now())
	if err != nil {
		return nil, translate(err, "count queued jobs")
	}
	lanes := make([]work.LaneUsage, len(rows))
	for i, r := range rows {
		lane := work.LaneUsage{
			Lane: toLane(r.KgApiWorkerLane), RunningJobs: int(r.Running), SlotsAvailable: max(0, int(r.KgApiWorkerLane.MaxSlots-r.Running)),
		}
		for _, t := range lane.JobTypes {
			w := types[t]
			lane.QueuedJobs += w.jobs
			if wait := w.wait.Seconds(); w.due && (lane.OldestWait == nil || wait > *lane.OldestWait) {
				lane.OldestWait = &wait
			}
		}
		lanes[i] = lane
	}
	return lanes, nil
}

// UpdateLane changes a lane's settings and wakes it on every server. The caller
// has validated u. It returns CodeNotFound for an unknown lane.
func (s LaneStore) UpdateLane(ctx context.Context, name string, u work.LaneUpdate) (work.LaneChange, error) {
	var change work.LaneChange
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.LaneForUpdate(ctx, name)
		if isNoRows(err) {
			return notFound("Lane not found: %s", name)
		}
		if err != nil {
			return err
		}
		was := toLane(row)
		if !was.Matches(u.Match) {
			return kappa.NewError(kappa.CodePrecondition, "Lane "+name+" has changed since it was read; read it again")
		}
		p := db.LaneUpdateParams{
			Name:     name,
			MaxSlots: int32(or(u.MaxSlots, was.MaxSlots)), PollIntervalMs: int32(or(u.PollIntervalMS, was.PollIntervalMS)),
			StaleTimeoutMinutes: int32(or(u.StaleTimeoutMinutes, was.StaleTimeoutMinutes)), Enabled: or(u.Enabled, was.Enabled),
		}
		is := was
		is.MaxSlots, is.PollIntervalMS, is.StaleTimeoutMinutes, is.Enabled =
			int(p.MaxSlots), int(p.PollIntervalMs), int(p.StaleTimeoutMinutes), p.Enabled
		change = work.LaneChange{Lane: was, Changed: was.Diff(is)}
		if len(change.Changed) == 0 {
			return nil
		}
		if err := q.LaneLock(ctx, name); err != nil { // what is claimed under the old settings, is before the change
			return err
		}
		changed, err := q.LaneUpdate(ctx, p)
		if err != nil {
			return err
		}
		is.UpdatedAt = kappa.At(changed.UpdatedAt)
		change.Lane = is
		return record(ctx, q, settingsAct(laneVerb(change.Changed), "lane", name, change.Changed))
	})
	return change, translate(err, "change lane "+name)
}

// laneVerb names a change of a lane: one that is told to claim no more is drained.
func laneVerb(changed map[string]kappa.SettingDiff) string {
	if d, ok := changed["enabled"]; ok {
		if d.New == false {
			return "lane.drain"
		}
		return "lane.resume"
	}
	return "lane.update"
}

// settingsAct is what is recorded of changed settings.
func settingsAct(action, object, id string, changed map[string]kappa.SettingDiff) act {
	before, after := map[string]any{}, map[string]any{}
	for name, d := range changed {
		before[name], after[name] = d.Old, d.New
	}
	return act{action: action, object: object, id: id, before: before, after: after}
}

// WaitingTypes returns the types of the jobs that could be claimed now, sorted. It
// reads the same few pages however long the queues are.
func (s LaneStore) WaitingTypes(ctx context.Context) ([]string, error) {
	types, err := s.q().TypesWaiting(ctx)
	return types, translate(err, "read which job types wait")
}

// AddLaneTypes puts job types that are in no lane yet into a lane.
func (s LaneStore) AddLaneTypes(ctx context.Context, lane string, types ...string) error {
	return translate(s.q().LaneAddTypes(ctx, lane, types), "add job types to lane "+lane)
}

func toLane(r db.KgApiWorkerLane) work.Lane {
	return work.Lane{
		Name: r.Name, JobTypes: r.JobTypes, MaxSlots: int(r.MaxSlots), PollIntervalMS: int(r.PollIntervalMs),
		StaleTimeoutMinutes: int(r.StaleTimeoutMinutes), Enabled: r.Enabled, UpdatedAt: kappa.At(r.UpdatedAt),
	}
}

// or returns *v, or def when v is nil.
func or[T any](v *T, def T) T {
	if v == nil {
		return def
	}
	return *v
}
