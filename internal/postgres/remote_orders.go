package postgres

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

func remoteOrders(number int64, draining bool, groups json.RawMessage) (work.RemoteOrders, error) {
	o := work.RemoteOrders{Number: number, Draining: draining}
	if len(groups) == 0 {
		return o, nil
	}
	return o, json.Unmarshal(groups, &o.Groups)
}

// Orders returns what an operator wants of a worker, or CodeNotFound.
func (s RemoteStore) Orders(ctx context.Context, workerID string) (work.RemoteOrders, error) {
	row, err := s.q().RemoteOrders(ctx, workerID)
	if isNoRows(err) {
		return work.RemoteOrders{}, notFound("Worker not found: %s", workerID)
	}
	if err != nil {
		return work.RemoteOrders{}, translate(err, "read what is wanted of a remote worker")
	}
	return remoteOrders(row.Orders, row.Draining, row.AskedGroups)
}

// drainState is what is recorded of a drain.
type drainState struct {
	Draining bool `json:"draining"`
}

// Operate has the server that a worker is connected to drain, undrain, disconnect or block
// it, and records who asked for it. It returns CodeNotFound for a worker that is not known.
// The server hears of it when it is stored: a worker that connects again is refused then.
func (s RemoteStore) Operate(ctx context.Context, workerID, what string, by int) error {
	return s.order(ctx, workerID, what, func(q *db.Queries, was db.RemoteAskRow) (before, after any, err error) {
		switch what {
		case "drain", "undrain":
			to := what == "drain"
			return drainState{was.Draining}, drainState{to}, q.RemoteDrain(ctx, to, workerID)
		case "block":
			return nil, nil, q.RemoteBlock(ctx, was.Identity, int32(by))
		}
		return nil, nil, nil
	})
}

// Regroup gives a worker slot groups in place of its own, or those back when there are none.
// It returns CodeNotFound for a worker that is not known, and CodeConflict for one that takes
// none.
func (s RemoteStore) Regroup(ctx context.Context, workerID string, groups []work.SlotGroup) error {
	return s.order(ctx, workerID, "groups", func(q *db.Queries, was db.RemoteAskRow) (before, after any, err error) {
		if was.Profile != work.ProfileExtended {
			return nil, nil, kappa.NewError(kappa.CodeConflict, "This worker says itself what it takes: only kg worker takes slot groups from an operator")
		}
		var text json.RawMessage
		if len(groups) > 0 {
			if text, err = json.Marshal(groups); err != nil {
				return nil, nil, err
			}
			after = text
		}
		if len(was.AskedGroups) > 0 {
			before = was.AskedGroups
		}
		return before, after, q.RemoteRegroup(ctx, text, workerID)
	})
}

// order stores an order, and has the server of the worker hear of it.
func (s RemoteStore) order(ctx context.Context, workerID, what string, store func(q *db.Queries, was db.RemoteAskRow) (before, after any, err error)) error {
	err := inTx(ctx, s.jobs, func(q *db.Queries) error {
		was, err := q.RemoteAsk(ctx, what, workerID)
		if isNoRows(err) {
			return notFound("Worker not found: %s", workerID)
		}
		if err != nil {
			return err
		}
		before, after, err := store(q, was)
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "worker." + what, object: "worker", id: workerID, before: before, after: after})
	})
	return translate(err, "act on a remote worker")
}
