package postgres

import (
	"context"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// mostHeld is how many of the jobs that limits hold are counted.
const mostHeld = 10_000

// Limits returns what is limited, in the order in which it was set.
func (s LaneStore) Limits(ctx context.Context) ([]work.Limit, error) {
	rows, err := s.q().LimitList(ctx, mostHeld)
	list := make([]work.Limit, 0, len(rows))
	for _, r := range rows {
		l := toLimit(r.KgApiLimit)
		l.Running, l.Fullest, l.FullValues, l.Held = int(r.Running), int(r.Fullest), int(r.FullValues), int(r.Held)
		list = append(list, l)
	}
	return list, translate(err, "list what is limited")
}

// SetLimit limits jobs: from its return on none is claimed that the limit has no room for. What
// runs goes on. It returns CodeConflict when these are limited already, or too many are, and
// CodeNotFound for a user who does not exist.
func (s LaneStore) SetLimit(ctx context.Context, l work.LimitRequest, by string) (work.Limit, error) {
	var id int
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		insert := db.LimitInsertParams{Scope: string(l.Scope), MaxRunning: toInt32(l.MaxRunning), PerSecond: l.PerSecond, Reason: l.Reason, SetBy: by}
		if l.Scope == work.LimitData {
			insert.Key = &l.Key
		}
		if !l.Each {
			insert.Value = &l.Value
		}
		if l.Scope == work.LimitUser && !l.Each {
			u, err := q.UserByName(ctx, l.Value)
			if isNoRows(err) {
				return notFound("User not found: %s", l.Value)
			}
			if err != nil {
				return err
			}
			insert.UserID, insert.Value = &u.ID, &u.Username
		}
		if err := q.PauseLock(ctx); err != nil {
			return err
		}
		switch n, err := q.LimitCount(ctx); {
		case err != nil:
			return err
		case n >= work.MaxLimits:
			return conflict("There are %d limits, which is as many as there can be; remove one first", n)
		}
		row, err := q.LimitInsert(ctx, insert)
		if isNoRows(err) {
			return conflict("These jobs are limited already; change that limit, or remove it first")
		}
		if err != nil {
			return err
		}
		id = int(row.LimitID)
		return record(ctx, q, limitAct("limit.set", id, nil, map[string]any{"what": l.What(), "allows": l.Allows(), "reason": l.Reason}))
	})
	if err != nil {
		return work.Limit{}, translate(err, "limit "+l.What())
	}
	return s.settled(ctx, id)
}

// ChangeLimit replaces the numbers and the reason of a limit; the next claim goes by them. It
// returns CodeNotFound when there is none.
func (s LaneStore) ChangeLimit(ctx context.Context, id int, u work.LimitUpdate, by string) (work.Limit, error) {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.LimitForUpdate(ctx, rowID(id))
		if isNoRows(err) {
			return noLimit(id)
		}
		if err != nil {
			return err
		}
		before := toLimit(row)
		if _, err := q.LimitUpdate(ctx, db.LimitUpdateParams{
			LimitID: rowID(id), MaxRunning: toInt32(u.MaxRunning), PerSecond: u.PerSecond, Reason: u.Reason, SetBy: by,
		}); err != nil {
			return err
		}
		return record(ctx, q, limitAct("limit.change", id, map[string]any{"what": before.What(), "allows": before.Allows(), "reason": before.Reason},
			map[string]any{"what": before.What(), "allows": u.Allows(), "reason": u.Reason}))
	})
	if err != nil {
		return work.Limit{}, translate(err, "change a limit")
	}
	return s.limit(ctx, id)
}

// RemoveLimit has jobs be limited no more, and claimed unless another limit or a pause is about
// them too. It returns the limit as it was, and CodeNotFound when there is none.
func (s LaneStore) RemoveLimit(ctx context.Context, id int) (work.Limit, error) {
	was, err := s.limit(ctx, id)
	if err != nil {
		return was, err
	}
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.PauseLock(ctx); err != nil {
			return err
		}
		row, err := q.LimitForUpdate(ctx, rowID(id))
		if isNoRows(err) {
			return noLimit(id)
		}
		if err != nil {
			return err
		}
		if err := q.LimitEnd(ctx, rowID(id)); err != nil {
			return err
		}
		l := toLimit(row)
		return record(ctx, q, limitAct("limit.remove", id, map[string]any{"what": l.What(), "allows": l.Allows(), "reason": l.Reason}, nil))
	})
	if err != nil {
		return was, translate(err, "remove a limit")
	}
	return was, s.settleLimits(ctx)
}

// limit returns a limit, and CodeNotFound when there is none.
func (s LaneStore) limit(ctx context.Context, id int) (work.Limit, error) {
	list, err := s.Limits(ctx)
	if err != nil {
		return work.Limit{}, err
	}
	for _, l := range list {
		if l.ID == id {
			return l, nil
		}
	}
	return work.Limit{}, noLimit(id)
}

// settled returns a limit of which all jobs know.
func (s LaneStore) settled(ctx context.Context, id int) (work.Limit, error) {
	if err := s.settleLimits(ctx); err != nil { // the leader goes on with it
		return work.Limit{}, err
	}
	return s.limit(ctx, id)
}

// settleLimits tells the jobs of limits that have come, changed or gone. A server that dies
// meanwhile leaves that to the leader, see Sweep.
func (s LaneStore) settleLimits(ctx context.Context) error {
	rows, err := s.q().LimitsUnsettled(ctx)
	if err != nil {
		return translate(err, "read which limits are to be told")
	}
	return s.tellLimits(ctx, rows)
}

// tellLimits is settleLimits for these ones. First come those that wait: what is claimed
// meanwhile without knowing of a limit is found among those that run.
func (s LaneStore) tellLimits(ctx context.Context, unsettled []db.LimitsUnsettledRow) error {
	if len(unsettled) == 0 {
		return nil
	}
	at, id := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), ""
	for {
		told, err := s.q().JobsLimit(ctx, at, id, heldAtOnce)
		if err != nil {
			return translate(err, "tell jobs of limits")
		}
		if told.LookedAt < heldAtOnce {
			break
		}
		at, id = told.LastAt, told.LastID
	}
	running, err := s.q().JobsRunningUntold(ctx)
	for _, job := range running { // one by one: whoever waits for several may be waited for
		if err = s.q().JobLimitRunning(ctx, job); err != nil {
			break
		}
	}
	if err != nil {
		return translate(err, "tell running jobs of limits")
	}
	ids, versions := make([]int32, len(unsettled)), make([]int32, len(unsettled))
	for i, u := range unsettled {
		ids[i], versions[i] = u.LimitID, u.Version
	}
	return translate(s.q().LimitsSettled(ctx, ids, versions), "settle limits")
}

func noLimit(id int) error { return notFound("Nothing is limited under the number %d", id) }

func toInt(n *int32) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}

func limitAct(action string, id int, before, after map[string]any) act {
	a := act{action: action, object: "limit", id: strconv.Itoa(id)}
	if before != nil {
		a.before = before
	}
	if after != nil {
		a.after = after
	}
	return a
}

func toLimit(r db.KgApiLimit) work.Limit {
	return work.Limit{
		ID: int(r.LimitID), By: r.SetBy, At: kappa.At(r.SetAt),
		LimitRequest: work.LimitRequest{
			LimitSubject: work.LimitSubject{Scope: work.LimitScope(r.Scope), Key: or(r.Key, ""), Value: or(r.Value, ""), Each: r.Value == nil},
			LimitNumbers: work.LimitNumbers{MaxRunning: toInt(r.MaxRunning), PerSecond: r.PerSecond}, Reason: r.Reason,
		},
	}
}
