package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// PassagesTouched returns the chunks of which other passages are there than at a moment, or
// whose document is named otherwise. It returns an error that wraps knowledge.ErrGraphReload
// and says why when nobody can say which, or they are so many as most.
func (s LibraryStore) PassagesTouched(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.PassagesTouched, error) {
	row, timeline, err := oneOfLog[db.PassagesTouchedRow](ctx, s.graph, db.PassagesTouched, since.Snapshot, int32(most))
	if err != nil {
		return knowledge.PassagesTouched{}, translate(err, "read which passages have changed")
	}
	mark := knowledge.GraphMark{Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: timeline + "/" + row.Database + "/" + row.LogTable}
	if err := listed(since, mark.Origin, row.Kept, row.Whole, most); err != nil {
		return knowledge.PassagesTouched{}, err
	}
	return knowledge.PassagesTouched{Until: mark, Sources: row.Sources, Ontologies: row.Ontologies}, nil
}

// PassagesEmbedded returns the chunks of which there are other passages, or other embeddings of
// them, than at a moment; the errors are those of LibraryStore.PassagesTouched.
func (s PassageEmbeddingStore) PassagesEmbedded(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.PassagesTouched, error) {
	row, timeline, err := oneOfLog[db.PassagesEmbeddedRow](ctx, s.graph, db.PassagesEmbedded, since.Snapshot, int32(most))
	if err != nil {
		return knowledge.PassagesTouched{}, translate(err, "read which passages were embedded")
	}
	mark := knowledge.GraphMark{Epoch: row.Epoch, Snapshot: row.Snapshot, Origin: timeline + "/" + row.Database + "/" + row.LogTable}
	if err := listed(since, mark.Origin, row.Kept, row.Whole, most); err != nil {
		return knowledge.PassagesTouched{}, err
	}
	return knowledge.PassagesTouched{Until: mark, Sources: row.Sources}, nil
}

// oneOfLog reads one row of the log, and the timeline of the server that answers, in one round
// trip.
func oneOfLog[T any](ctx context.Context, graph *pool, sql string, args ...any) (row T, timeline string, err error) {
	conn, err := graph.acquire(ctx)
	if err != nil {
		return row, "", err
	}
	defer conn.Release()
	var both pgx.Batch // one transaction
	both.Queue(db.AskPlanOnce)
	both.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		row, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[T])
		return err
	})
	err = trace(conn, graph.hook).SendBatch(ctx, &both).Close()
	return row, timelineOf(conn.Conn.Conn()), err
}

// listed refuses what was read of the log when that does not list what has changed since a
// moment.
func listed(since knowledge.GraphMark, origin string, kept, whole bool, most int) error {
	if err := reachesBack(since, origin, kept); err != nil {
		return err
	}
	if whole {
		return fmt.Errorf("%w: more than %d chunks have changed since the last read, or tables as a whole", knowledge.ErrGraphReload, most)
	}
	return nil
}
