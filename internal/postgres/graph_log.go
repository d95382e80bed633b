package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// GraphChanges returns what has been committed since a moment that LoadGraph or
// GraphChanges has returned. It returns an error that wraps knowledge.ErrGraphReload
// and says why, when the log does not reach back to that moment, the tables are
// not the same any more, or there are more than most changes.
func (s GraphStore) GraphChanges(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.GraphChanges, error) {
	rows, origin, err := s.changes(ctx, since.Snapshot, most+1)
	if err != nil {
		return knowledge.GraphChanges{}, translate(err, "read the changes of the graph")
	}
	first := rows[0] // there is always one
	origin += "/" + first.Database + "/" + first.LogTable
	if err := reachesBack(since, origin, first.Kept); err != nil {
		return knowledge.GraphChanges{}, err
	}
	if len(rows) > most {
		return knowledge.GraphChanges{}, fmt.Errorf("%w: more than %d changes since the last read", knowledge.ErrGraphReload, most)
	}
	changes := knowledge.GraphChanges{Until: knowledge.GraphMark{Epoch: first.Epoch, Snapshot: first.Snapshot, Origin: origin}}
	if first.Op == "" {
		return changes, nil
	}
	transactions := map[string]bool{}
	for _, r := range rows {
		c := toChange(r)
		if c.Op == knowledge.OpReload {
			return knowledge.GraphChanges{}, fmt.Errorf("%w: the tables were changed as a whole", knowledge.ErrGraphReload)
		}
		changes.Changes = append(changes.Changes, c)
		transactions[r.Txid] = true
	}
	changes.Transactions = len(transactions)
	return changes, nil
}

// reachesBack refuses a log that does not reach back to a moment: it is another one, or what
// came next is not kept.
func reachesBack(since knowledge.GraphMark, origin string, kept bool) error {
	switch {
	case origin != since.Origin:
		return fmt.Errorf("%w: another database answers, or its tables were restored", knowledge.ErrGraphReload)
	case !kept:
		return fmt.Errorf("%w: what has changed since the last read is not in the log any more", knowledge.ErrGraphReload)
	}
	return nil
}

// changes reads rows of the log, and the timeline of the server that answers.
func (s GraphStore) changes(ctx context.Context, since string, most int) (list []db.GraphChangesRow, timeline string, err error) {
	conn, err := s.graph.acquire(ctx)
	if err != nil {
		return nil, "", err
	}
	defer conn.Release()
	var both pgx.Batch // one transaction
	both.Queue(db.GraphLogIndexOnly)
	both.Queue(db.GraphChanges, since, most)
	results := trace(conn, s.graph.hook).SendBatch(ctx, &both)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return nil, "", err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, "", err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[db.GraphChangesRow])
	return list, timelineOf(conn.Conn.Conn()), err
}

// timelineOf returns the timeline of the server that a connection leads to.
func timelineOf(conn *pgx.Conn) string {
	timeline, _ := conn.PgConn().CustomData()[timelineKey].(int)
	return strconv.Itoa(timeline)
}

func toChange(r db.GraphChangesRow) knowledge.GraphChange {
	c := knowledge.GraphChange{Op: knowledge.GraphOp(r.Op)}
	switch c.Op {
	case knowledge.OpSetEdge, knowledge.OpRemoveEdge:
		c.Edge = knowledge.GraphEdge{Src: r.Src, Dst: r.Dst, Type: r.Type, Confidence: r.Confidence}
	case questions.OpShowConcept:
		c.Concept, c.Ontology = knowledge.GraphConcept{Number: r.Src}, int(r.Dst)
	case knowledge.OpTouchSource, knowledge.OpEmbedSource:
		c.Source = r.Src
	default:
		c.Concept = knowledge.GraphConcept{Number: r.Src, ID: r.ConceptID}
	}
	return c
}

// GraphBehind returns how many transactions have changed the graph since a moment,
// counted up to most changes.
func (s GraphStore) GraphBehind(ctx context.Context, since knowledge.GraphMark, most int) (int, error) {
	n, err := db.New(s.graph).GraphBehind(ctx, since.Snapshot, int32(most))
	return int(n), translate(err, "count the changes of the graph")
}

// GraphTypes returns every relationship type.
func (s GraphStore) GraphTypes(ctx context.Context) ([]knowledge.GraphType, error) {
	rows, err := db.New(s.graph).GraphLoadTypes(ctx)
	list := make([]knowledge.GraphType, len(rows))
	for i, r := range rows {
		list[i] = knowledge.GraphType{Number: r.ID, Name: r.Name}
	}
	return list, translate(err, "read the relationship types")
}

// AdvanceGraphLog raises the floor of the log of the graph by a step, at most once
// in keep: a reader that has read the log within that time misses nothing. It runs under
// the leader's term and returns ErrDeposed when another server leads.
func (s RetentionStore) AdvanceGraphLog(ctx context.Context, term int64, keep time.Duration) error {
	return translate(s.underTerm(ctx, term, func(q *db.Queries) error { return q.GraphLogAdvance(ctx, keep) }), "advance the log of the graph")
}

// PruneGraphLog deletes up to most changes below the floor. Term and error are as
// in AdvanceGraphLog.
func (s RetentionStore) PruneGraphLog(ctx context.Context, term int64, most int) (deleted int, err error) {
	err = s.underTerm(ctx, term, func(q *db.Queries) error {
		n, err := q.GraphLogPrune(ctx, int32(most))
		deleted = int(n)
		return err
	})
	return deleted, translate(err, "delete old changes of the graph")
}
