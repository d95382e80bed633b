package postgres

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// CreateLane makes a lane, and moves its job types into it; every server begins to claim for
// it. The caller has validated n. It returns CodeConflict for a name that is taken and beyond
// work.MaxLanes, and CodeInvalid for job types that nobody knows.
func (s LaneStore) CreateLane(ctx context.Context, n work.NewLane) (work.LaneMoved, error) {
	moved := work.LaneMoved{Moved: map[string][]string{}}
	err := s.changeRows(ctx, func(q *db.Queries, lanes []work.Lane) error {
		if slices.ContainsFunc(lanes, func(l work.Lane) bool { return l.Name == n.Name }) {
			return conflict("There is a lane %s already", n.Name)
		}
		if len(lanes) >= work.MaxLanes {
			return conflict("There are %d lanes, which is the most that there may be; delete one that is not needed", len(lanes))
		}
		if err := work.CheckTypes(n.JobTypes, n.Known, lanes); err != nil {
			return err
		}
		l := n.Lane()
		row, err := q.LaneInsert(ctx, db.LaneInsertParams{
			Name: l.Name, JobTypes: l.JobTypes, MaxSlots: int32(l.MaxSlots), PollIntervalMs: int32(l.PollIntervalMS),
			StaleTimeoutMinutes: int32(l.StaleTimeoutMinutes), Enabled: l.Enabled,
		})
		if err != nil {
			return err
		}
		changed, from := work.TakeTypes(append(lanes, toLane(row)), n.Name, n.JobTypes)
		moved.Moved = from
		if moved.Lane, err = storeTypes(ctx, q, changed, toLane(row)); err != nil {
			return err
		}
		return record(ctx, q, act{action: "lane.create", object: "lane", id: n.Name, after: map[string]any{
			"job_types": moved.Lane.JobTypes, "max_slots": l.MaxSlots, "poll_interval_ms": l.PollIntervalMS,
			"stale_timeout_minutes": l.StaleTimeoutMinutes, "enabled": l.Enabled, "moved": from,
		}})
	})
	return moved, translate(err, "create lane "+n.Name)
}

// MoveTypes moves job types into a lane, at once on every server; what runs of them goes on.
// The caller has validated m. It returns CodeNotFound for an unknown lane, and CodeInvalid for
// job types that nobody knows.
func (s LaneStore) MoveTypes(ctx context.Context, m work.TypeMove) (work.LaneMoved, error) {
	var moved work.LaneMoved
	err := s.changeRows(ctx, func(q *db.Queries, lanes []work.Lane) error {
		at := slices.IndexFunc(lanes, func(l work.Lane) bool { return l.Name == m.Lane })
		if at < 0 {
			return notFound("Lane not found: %s", m.Lane)
		}
		if err := work.CheckTypes(m.JobTypes, m.Known, lanes); err != nil {
			return err
		}
		changed, from := work.TakeTypes(lanes, m.Lane, m.JobTypes)
		moved.Moved = from
		var err error
		if moved.Lane, err = storeTypes(ctx, q, changed, lanes[at]); err != nil || len(from) == 0 {
			return err
		}
		return record(ctx, q, act{action: "lane.move-types", object: "lane", id: m.Lane, after: map[string]any{"job_types": moved.Lane.JobTypes, "moved": from}})
	})
	return moved, translate(err, "move job types to lane "+m.Lane)
}

// DeleteLane deletes a lane: no server claims for it from then on, and what runs in it goes on.
// See work.LaneDeletion for what becomes of its job types, and for the errors.
func (s LaneStore) DeleteLane(ctx context.Context, d work.LaneDeletion) (work.LaneDeleted, error) {
	var deleted work.LaneDeleted
	err := s.changeRows(ctx, func(q *db.Queries, lanes []work.Lane) error {
		types, err := waitingTypes(ctx, q, s.clock.now())
		if err != nil {
			return err
		}
		waiting := map[string]int{}
		for t, w := range types {
			waiting[t] = w.jobs
		}
		if deleted, err = d.Deleted(lanes, waiting); err != nil {
			return err
		}
		for t, to := range deleted.Moved {
			changed, _ := work.TakeTypes(lanes, to, []string{t})
			for _, l := range changed {
				lanes[slices.IndexFunc(lanes, func(old work.Lane) bool { return old.Name == l.Name })] = l
			}
			if _, err := storeTypes(ctx, q, changed, work.Lane{}); err != nil {
				return err
			}
		}
		if err := lockAndWake(ctx, q, d.Name); err != nil {
			return err
		}
		if err := q.LaneDelete(ctx, d.Name); err != nil {
			return err
		}
		l := deleted.Lane
		return record(ctx, q, act{action: "lane.delete", object: "lane", id: d.Name, before: map[string]any{
			"job_types": l.JobTypes, "max_slots": l.MaxSlots, "poll_interval_ms": l.PollIntervalMS,
			"stale_timeout_minutes": l.StaleTimeoutMinutes, "enabled": l.Enabled,
		}, after: map[string]any{"moved": deleted.Moved, "unclaimed_types": deleted.Unclaimed}})
	})
	return deleted, translate(err, "delete lane "+d.Name)
}

// changeRows has do change which lanes there are and which types they have: one at a time.
func (s LaneStore) changeRows(ctx context.Context, do func(q *db.Queries, lanes []work.Lane) error) error {
	return inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.LanesLock(ctx); err != nil {
			return err
		}
		rows, err := q.LanesForUpdate(ctx)
		if err != nil {
			return err
		}
		lanes := make([]work.Lane, len(rows))
		for i, r := range rows {
			lanes[i] = toLane(r)
		}
		return do(q, lanes)
	})
}

// storeTypes stores the job types of lanes that have changed, and returns the lane of so as it
// is then, which may be among them.
func storeTypes(ctx context.Context, q *db.Queries, changed []work.Lane, of work.Lane) (work.Lane, error) {
	for _, l := range changed { // by name, as everybody locks them who locks several
		if err := lockAndWake(ctx, q, l.Name); err != nil {
			return of, err
		}
		row, err := q.LaneSetTypes(ctx, l.JobTypes, l.Name)
		if err != nil {
			return of, err
		}
		if l.Name == of.Name {
			of = toLane(row)
		}
	}
	return of, nil
}

// lockAndWake waits until no claim is under way for a lane, and has every server claim for it as
// it is after this transaction.
func lockAndWake(ctx context.Context, q *db.Queries, lane string) error {
	if err := q.LaneLock(ctx, lane); err != nil {
		return err
	}
	return q.LanesWake(ctx, []string{lane})
}
