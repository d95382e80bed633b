package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// neighborGrace is for how much longer than the server this process waits for an
// answer: the server ends the statement first, and the connection stays good.
const neighborGrace = 100 * time.Millisecond

// neighborSettings bound one query for neighbours: it is to end in time, and to read
// the indexes in their order, from which no table needs to be read.
const neighborSettings = "SET LOCAL statement_timeout = %d; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off"

// Neighbors answers q over this snapshot's own connection. A query that fails does
// not spoil the snapshot, unless the connection is lost.
func (s *GraphSnapshot) Neighbors(ctx context.Context, q questions.NeighborQuery) (ends []int32, err error) {
	err = bounded(ctx, q.Within, func(ctx context.Context) error {
		begin := "SAVEPOINT neighbors; " + fmt.Sprintf(neighborSettings, max(1, q.Within.Milliseconds()))
		if _, err := s.tx.Exec(ctx, begin, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		var failed error
		ends, failed = s.q.Neighbors(ctx, s.neighborParams(q))
		_, err := s.tx.Exec(ctx, "ROLLBACK TO SAVEPOINT neighbors; RELEASE SAVEPOINT neighbors", pgx.QueryExecModeSimpleProtocol)
		return errors.Join(failed, err)
	})
	return ends, err
}

// Bounded runs read, which reads this snapshot, for no longer than within, on the server's
// side too. A read that fails does not spoil the snapshot, unless the connection is lost.
func (s *GraphSnapshot) Bounded(ctx context.Context, within time.Duration, read func(ctx context.Context) error) error {
	return bounded(ctx, within, func(ctx context.Context) error {
		begin := fmt.Sprintf("SAVEPOINT part; SET LOCAL statement_timeout = %d", max(1, within.Milliseconds()))
		if _, err := s.tx.Exec(ctx, begin, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		failed := read(ctx)
		_, err := s.tx.Exec(ctx, "ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part", pgx.QueryExecModeSimpleProtocol)
		return errors.Join(failed, err)
	})
}

// neighborParams asks for the neighbours that the snapshot reads.
func (s *GraphSnapshot) neighborParams(q questions.NeighborQuery) db.NeighborsParams {
	return db.NeighborsParams{
		Concepts: q.Concepts, Types: orEmpty(q.Types), Weakest: vocabulary.TypeRelatedTo, Least: s.least, Floor: s.floor, Outward: s.way.Out(), Inward: s.way.In(), Most: int32(q.Most),
	}
}

// probes is how many relationships are scanned in the time in which one pair of
// concepts is probed.
const probes = 10

// EdgesBetween answers q. From of each edge is one of q.From; the order is any.
func (s *GraphSnapshot) EdgesBetween(ctx context.Context, q questions.BetweenQuery) ([]knowledge.Edge, error) {
	rows, err := s.q.EdgesBetween(ctx, db.EdgesBetweenParams{
		Concepts: q.From, Others: q.To, Types: orEmpty(q.Types), Probe: len(q.From)*len(q.To)*probes < q.Around,
		Weakest: vocabulary.TypeRelatedTo, Least: s.least, Floor: s.floor, Outward: s.way.Out(), Inward: s.way.In(),
	})
	if err != nil {
		return nil, translate(err, "read relationships between concepts")
	}
	edges := make([]knowledge.Edge, len(rows))
	for i, r := range rows {
		edges[i] = knowledge.Edge{
			From: int(r.Near), To: int(r.Far), Type: r.Name, Confidence: knowledge.FromReal(r.Confidence), Forward: r.Forward,
		}
	}
	return edges, nil
}

// Share returns a function that reads the same moment over other connections, as
// long as the snapshot lasts. Unlike Share itself it may be called from many
// goroutines.
func (s *GraphSnapshot) Share(ctx context.Context) (questions.Beside, error) {
	if s.shared == "" {
		name, err := s.q.SnapshotExport(ctx)
		if err != nil {
			return nil, translate(err, "share the snapshot")
		}
		if !snapshotName.MatchString(name) {
			return nil, fmt.Errorf("share the snapshot: its name is %q", name)
		}
		s.shared = name
	}
	name, seen := s.shared, GraphSnapshot{least: s.least, floor: s.floor, way: s.way}
	return func(ctx context.Context, read func(n questions.Neighbors) error) error {
		return s.store.beside(ctx, name, seen, read)
	}, nil
}

// snapshotName is the form of the names of snapshots: one stands in a statement that
// takes no parameters.
var snapshotName = regexp.MustCompile(`^[0-9A-F-]{1,64}$`)

// beside calls read with the neighbours that another transaction sees, of the relationships
// that seen reads. It stops
// waiting for a connection when ctx ends; one that it has is not given up for that.
func (s GraphStore) beside(ctx context.Context, snapshot string, seen GraphSnapshot, read func(n questions.Neighbors) error) error {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return translate(err, "read the graph beside")
	}
	ctx, cancel := withoutCancel(ctx)
	defer cancel()
	tx, err := conn.begin(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return translate(err, "read the graph beside")
	}
	defer endView(ctx, tx)
	if _, err := tx.Exec(ctx, "SET TRANSACTION SNAPSHOT '"+snapshot+"'", pgx.QueryExecModeSimpleProtocol); err != nil {
		return translate(err, "see the moment of the question")
	}
	beside := &GraphSnapshot{q: db.New(tx), tx: tx, store: s, least: seen.least, floor: seen.floor, way: seen.way}
	if err := beside.begin(ctx); err != nil {
		return translate(err, "read the graph beside")
	}
	return read(func(ctx context.Context, q questions.NeighborQuery) (ends []int32, err error) {
		err = bounded(ctx, q.Within, func(ctx context.Context) error {
			if _, err := tx.Exec(ctx, fmt.Sprintf(neighborSettings, max(1, q.Within.Milliseconds())), pgx.QueryExecModeSimpleProtocol); err != nil {
				return err
			}
			ends, err = beside.q.Neighbors(ctx, beside.neighborParams(q))
			return err
		})
		return ends, err
	})
}

// bounded runs ask, which the server ends after limit, and this process a little
// later if the server does not answer.
func bounded(ctx context.Context, limit time.Duration, ask func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit+neighborGrace)
	defer cancel()
	err := ask(ctx)
	if sqlState(err) == stateQueryCanceled {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	return translate(err, "read neighbours")
}

// withoutCancel keeps the deadline of ctx, and not that its caller gives up.
func withoutCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	kept := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(kept, deadline)
	}
	return kept, func() {}
}
