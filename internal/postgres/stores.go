package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// base is what the stores share: the pools, one a kind of work, the database's
// clock, and who hears of commits. A store is that of one noun, in whose file it is:
// a small value, which shares the connections of its DB and ends with it.
type base struct {
	jobs, graph, auth *pool
	rights            *pool // open streams, and reads that took long, are examined over it
	probes            *pool
	clock             clock
	primary           *Primary
	onCommit          func(events []work.Event, jobIDs []string)
	deleted           func(jobIDs ...string)
	holdOff           time.Duration
	memory            *graphMemory
}

// graphMemory is what is remembered of the whole graph.
type graphMemory struct {
	rankings  rankings
	tally     *kept[graphTally]
	namesakes *kept[[]db.NamesakesRow]
	degrees   keptOf[[]db.OntologyDegreesRow]
	edges     keptOf[edgeTally]
	labels    *kept[conceptLabels]
}

func newGraphMemory() *graphMemory {
	return &graphMemory{tally: newKept[graphTally](), namesakes: newKept[[]db.NamesakesRow](), labels: newKept[conceptLabels]()}
}

// committed notifies of jobs that have new events.
func (s *base) committed(jobIDs ...string) { s.onCommit(nil, jobIDs) }

// q returns the queries on the pool for jobs.
func (s *base) q() *db.Queries { return db.New(s.jobs) }

// inTx runs f in one transaction on p; an error rolls back.
func inTx(ctx context.Context, p *pool, f func(q *db.Queries) error) error {
	return pgx.BeginFunc(ctx, p, func(tx pgx.Tx) error { return f(db.New(tx)) })
}
