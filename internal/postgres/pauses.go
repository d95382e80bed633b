package postgres

import (
	"cmp"
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

const (
	heldAtOnce  = 2000 // jobs that are held or released in one statement
	settleParts = 5    // such statements in one sweep of the leader
)

// Pauses returns what is paused, the oldest first.
func (s LaneStore) Pauses(ctx context.Context) ([]work.Pause, error) {
	rows, err := s.q().PauseList(ctx)
	list := make([]work.Pause, 0, len(rows))
	for _, r := range rows {
		p := toPause(r.KgApiPause)
		p.Jobs = int(r.Jobs)
		list = append(list, p)
	}
	return list, translate(err, "list what is paused")
}

// Pause has nothing claimed that p is about before Resume, and holds what waits already. It
// returns CodeConflict when that is paused, and CodeNotFound for a user who does not exist.
func (s LaneStore) Pause(ctx context.Context, p work.PauseRequest, by string) (work.Pause, error) {
	var paused work.Pause
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		insert := db.PauseInsertParams{Scope: string(p.Scope), Value: p.Value, Reason: p.Reason, PausedBy: by}
		if p.Scope == work.PauseUser {
			u, err := q.UserByName(ctx, p.Value)
			if isNoRows(err) {
				return notFound("User not found: %s", p.Value)
			}
			if err != nil {
				return err
			}
			insert.UserID, insert.Value = &u.ID, u.Username
		}
		if err := q.PauseLock(ctx); err != nil {
			return err
		}
		row, err := q.PauseInsert(ctx, insert)
		if isNoRows(err) {
			return conflict("It is paused already; resume it first")
		}
		if err != nil {
			return err
		}
		paused = toPause(row)
		return record(ctx, q, act{action: "pause", object: string(p.Scope), id: cmp.Or(insert.Value, string(p.Scope)), after: map[string]any{"reason": p.Reason}})
	})
	if err != nil {
		return work.Pause{}, translate(err, "pause "+string(p.Scope)+" "+p.Value)
	}
	if paused.Jobs, err = s.hold(ctx, int32(paused.ID), -1); err != nil { // the leader goes on with it
		return work.Pause{}, translate(err, "hold the jobs of "+paused.What())
	}
	return s.pause(ctx, paused)
}

// pause returns a pause with how many jobs wait for its end.
func (s LaneStore) pause(ctx context.Context, p work.Pause) (work.Pause, error) {
	list, err := s.Pauses(ctx)
	for _, now := range list {
		if now.ID == p.ID {
			return now, err
		}
	}
	return p, err // somebody has resumed it
}

// Resume ends a pause, and has what it has held claimed. It returns the pause with how many
// jobs that are, and CodeNotFound when there is none.
func (s LaneStore) Resume(ctx context.Context, id int) (work.Pause, error) {
	var p work.Pause
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.PauseDelete(ctx, rowID(id))
		if isNoRows(err) {
			return noPause(id)
		}
		if err != nil {
			return err
		}
		p = toPause(row)
		if p.Scope == work.PauseAll || p.Scope == work.PauseType {
			if err := q.PauseWake(ctx); err != nil {
				return err
			}
		}
		return record(ctx, q, act{action: "resume", object: row.Scope, id: cmp.Or(row.Value, row.Scope), before: map[string]any{"reason": row.Reason}})
	})
	if err != nil {
		return work.Pause{}, translate(err, "resume what is paused")
	}
	p.Jobs, err = s.release(ctx, rowID(id), -1)
	return p, translate(err, "release the jobs of "+p.What())
}

func noPause(id int) error { return notFound("Nothing is paused under the number %d", id) }

// hold holds what waits of a paused user, ontology or queue, in so many statements at most, -1
// for all, and returns how many jobs that were.
func (s LaneStore) hold(ctx context.Context, pause int32, parts int) (int, error) {
	jobs, whole, err := inParts(parts, func() (int32, error) { return s.q().JobsHold(ctx, pause, heldAtOnce) })
	if err == nil && whole {
		err = s.q().PauseApplied(ctx, pause)
	}
	return jobs, err
}

// release is hold for the jobs that a pause has held which is over.
func (s LaneStore) release(ctx context.Context, pause int32, parts int) (int, error) {
	jobs, _, err := inParts(parts, func() (int32, error) { return s.q().JobsRelease(ctx, pause, heldAtOnce) })
	return jobs, err
}

// inParts does what changes heldAtOnce rows at most until it changes fewer.
func inParts(parts int, do func() (int32, error)) (rows int, whole bool, err error) {
	for ; parts != 0; parts-- {
		n, err := do()
		rows += int(n)
		if err != nil || n < heldAtOnce {
			return rows, err == nil, err
		}
	}
	return rows, false, nil
}

// settlePauses goes on with pauses that a server has begun, or ended, and not carried through.
func (s LaneStore) settlePauses(ctx context.Context, unsettled []db.PausesUnsettledRow) error {
	for _, u := range unsettled {
		carry := s.hold
		if u.Over {
			carry = s.release
		}
		if _, err := carry(ctx, u.PauseID, settleParts); err != nil {
			return translate(err, "carry through what is paused")
		}
	}
	return nil
}

func toPause(r db.KgApiPause) work.Pause {
	return work.Pause{
		ID: int(r.PauseID), By: r.PausedBy, At: kappa.At(r.PausedAt),
		PauseRequest: work.PauseRequest{Scope: work.PauseScope(r.Scope), Value: r.Value, Reason: r.Reason},
	}
}
