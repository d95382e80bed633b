package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// manyFolded is from how many changes on their rows are worth a vacuum: some pages.
const manyFolded = 500

// FoldOntologyCounts folds what the writers of the graph have appended into the counts of
// what the ontologies hold, and returns how many changes that were. Until then readers add
// them up each time: the counts are right without it, and take longer. Another server may
// do so at the same moment; then one of them does nothing.
func (s RetentionStore) FoldOntologyCounts(ctx context.Context) (folded int, err error) {
	err = pgx.BeginTxFunc(ctx, s.graph, pgx.TxOptions{IsoLevel: pgx.RepeatableRead}, func(tx pgx.Tx) error {
		n, err := db.New(tx).OntologyCountsFold(ctx)
		folded = int(n)
		return err
	})
	if sqlState(err) == stateSerialization {
		return 0, nil // another server did so since this transaction's moment
	}
	if err == nil && folded >= manyFolded {
		// Readers would step over what was removed until autovacuum comes. A role that does not
		// own the table is told so, and autovacuum comes.
		_, err = s.graph.Exec(ctx, "VACUUM kg_api.ontology_changes")
	}
	return folded, translate(err, "fold the counts of the ontologies")
}
