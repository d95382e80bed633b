package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	notifyWriters = 4               // of the graph: they take turns, as chunks do
	notifyOthers  = 8               // commit something else, as the claims of jobs do
	notifyFor     = 5 * time.Second // each way
	notifyRounds  = 2               // one after the other, so that other work weighs on both
	notifyMust    = 0.9             // of the others' commits remain, at least
)

// quietTrigger is the trigger of the relationships without its notification.
const quietTrigger = `CREATE OR REPLACE FUNCTION kg_api.log_edges_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src, dst, type, confidence)
    SELECT 'set edge', e.src, e.dst, e.type, e.confidence FROM changed e;
    RETURN NULL;
END $$`

// notifications measures what the notification costs that each transaction sends which
// changes the graph: PostgreSQL lets transactions that notify commit one after the other.
func (b *bench) notifications(ctx context.Context) error {
	var rows [][]string
	var rate [2][2]float64 // with and without: of the graph, of the others
	for range notifyRounds {
		for quiet := range 2 {
			written, others, err := b.notifyRound(ctx, quiet == 1)
			if err != nil {
				return err
			}
			rate[quiet][0] += float64(written) / notifyFor.Seconds() / notifyRounds
			rate[quiet][1] += float64(others) / notifyFor.Seconds() / notifyRounds
		}
	}
	for i, name := range []string{fmt.Sprintf("%d writers of the graph", notifyWriters), fmt.Sprintf("%d others", notifyOthers)} {
		with, without := rate[0][i], rate[1][i]
		row := []string{name, fmt.Sprintf("%.0f/s", with), fmt.Sprintf("%.0f/s", without), fmt.Sprintf("%.0f %%", 100*with/without), "", ""}
		if i == 1 {
			row[4], row[5] = fmt.Sprintf("≥ %.0f %%", 100*notifyMust), b.report.verdict(with/without >= notifyMust)
		}
		rows = append(rows, row)
	}
	b.report.table("commits at the same time", []string{"", "as it is", "without notifications", "", "must", ""}, rows)
	return nil
}

// notifyRound counts the commits of some time.
func (b *bench) notifyRound(ctx context.Context, quiet bool) (written, others int, err error) {
	dsn, err := b.newDatabase(ctx, fmt.Sprintf("notify_%d", time.Now().UnixNano()))
	if err != nil {
		return 0, 0, err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close(ctx)
	if quiet {
		if _, err := conn.Exec(ctx, quietTrigger); err != nil {
			return 0, 0, err
		}
	}
	if err := execAll(ctx, conn, "CREATE TABLE other (n int)", "LISTEN kg_graph",
		"INSERT INTO kg_api.relationship_types (name, category) VALUES ('BENCH', 'bench')",
		`INSERT INTO kg_api.concepts (id, concept_id, label, term_keys) OVERRIDING SYSTEM VALUE
			SELECT n, 'c_' || n, 'Concept ' || n, '{}' FROM generate_series(1, 3000) n`); err != nil {
		return 0, 0, err
	}
	until := time.Now().Add(notifyFor)
	var all sync.WaitGroup
	counts, errs := make([]int, notifyWriters+notifyOthers), make([]error, notifyWriters+notifyOthers)
	for i := range counts {
		all.Go(func() { counts[i], errs[i] = commitUntil(ctx, dsn, i, until) })
	}
	all.Wait()
	for i, n := range counts {
		if i < notifyWriters {
			written += n
		} else {
			others += n
		}
	}
	return written, others, errors.Join(errs...)
}

// commitUntil commits again and again, the first ones relationships under the lock of
// the graph.
func commitUntil(ctx context.Context, dsn string, who int, until time.Time) (n int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	for ; time.Now().Before(until); n++ {
		if who >= notifyWriters {
			_, err = conn.Exec(ctx, "INSERT INTO other VALUES ($1)", n)
		} else {
			_, err = conn.Exec(ctx, `WITH one AS MATERIALIZED (SELECT pg_advisory_xact_lock(100000002))
				INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT $1::int + 1, $1::int + 2 + $2::int % 2900, t.id, 0.5 FROM one, kg_api.relationship_types t WHERE t.name = 'BENCH'
				ON CONFLICT (src, dst, type) DO UPDATE SET confidence = 1 - edges.confidence`, who, n)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
