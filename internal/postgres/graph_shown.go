package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// ShownConcepts returns what lists show of concepts, with up to quotes of each, as of
// one moment and in one round trip. Like a view it ends with the deadline of ctx, on the
// server too; it is for a page of concepts, and not for thousands.
func (s GraphStore) ShownConcepts(ctx context.Context, ids []int, quotes int) (questions.ShownConcepts, error) {
	shown, err := s.shownConcepts(ctx, ids, quotes)
	if sqlState(err) == stateQueryCanceled {
		err = errors.Join(err, context.DeadlineExceeded)
	}
	return shown, translate(err, "read concepts")
}

func (s GraphStore) shownConcepts(ctx context.Context, ids []int, quotes int) (shown questions.ShownConcepts, err error) {
	numbers := toInt32s(ids)
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
	batch.Queue(db.ShownBegin, statementTimeout(ctx))
	batch.Queue(db.ConceptSummaries, numbers)
	batch.Queue(db.ConceptOntologies, numbers)
	if quotes > 0 {
		batch.Queue(db.ConceptEvidence, numbers, int32(quotes))
	}
	batch.Queue("COMMIT")
	results := s.graph.SendBatch(ctx, &batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	for range 2 {
		if _, err := results.Exec(); err != nil {
			return shown, err
		}
	}
	answers := GraphSnapshot{q: db.New(inOrder{results: results})}
	if shown.Summaries, err = answers.ConceptSummaries(ctx, ids); err != nil {
		return shown, err
	}
	if shown.Ontologies, err = answers.ConceptOntologies(ctx, ids); err != nil {
		return shown, err
	}
	if quotes > 0 {
		shown.Evidence, err = answers.ConceptEvidence(ctx, ids, quotes)
	}
	return shown, err
}

// statementTimeout is the deadline of ctx as PostgreSQL takes it: in milliseconds.
func statementTimeout(ctx context.Context) string {
	deadline, ok := ctx.Deadline()
	if !ok {
		return "0" // none
	}
	return milliseconds(max(time.Millisecond, time.Until(deadline)))
}

// inOrder answers queries with the results of a batch of the same queries, in their
// order.
type inOrder struct {
	db.DBTX

	results pgx.BatchResults
}

// Exec takes the next result.
func (o inOrder) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return o.results.Exec()
}

// Query takes the next result.
func (o inOrder) Query(context.Context, string, ...any) (pgx.Rows, error) { return o.results.Query() }

// QueryRow takes the next result.
func (o inOrder) QueryRow(context.Context, string, ...any) pgx.Row { return o.results.QueryRow() }
