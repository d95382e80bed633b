package pgembed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copied counts what was copied.
type copied struct{ tables, rows int64 }

// table is one to copy, its names quoted. Columns that are made of others are not copied.
type table struct{ Name, Columns string }

const tablesQuery = `SELECT format('%I.%I', n.nspname, c.relname) AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
GROUP BY n.nspname, c.relname ORDER BY 1`

// copyDatabase copies every row of a database into another one with the same tables, whose
// own rows it removes, and the state of the sequences. It then compares both sides. The new
// one has all of it or, after an error, nothing.
func copyDatabase(ctx context.Context, from, to *pgx.Conn) (counts copied, err error) {
	old, err := from.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return counts, fmt.Errorf("read the old cluster: %w", err)
	}
	defer func() { _ = old.Rollback(context.WithoutCancel(ctx)) }()
	next, err := to.Begin(ctx)
	if err != nil {
		return counts, fmt.Errorf("write the new cluster: %w", err)
	}
	defer func() { _ = next.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	if err := sameShape(ctx, old, next); err != nil {
		return counts, err
	}
	rows, err := old.Query(ctx, tablesQuery)
	if err != nil {
		return counts, fmt.Errorf("list the tables: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		return counts, fmt.Errorf("list the tables: %w", err)
	}
	// References are right already, and what triggers do has been done.
	if _, err := next.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return counts, fmt.Errorf("write the new cluster: %w", err)
	}
	if err := truncate(ctx, next, tables); err != nil {
		return counts, err
	}
	for _, t := range tables {
		n, err := t.copy(ctx, old, next)
		if err != nil {
			return counts, fmt.Errorf("copy the table %s: %w", t.Name, err)
		}
		counts.tables, counts.rows = counts.tables+1, counts.rows+n
	}
	if err := copySequences(ctx, old, next); err != nil {
		return counts, err
	}
	for _, t := range tables {
		if err := t.compare(ctx, old, next); err != nil {
			return counts, err
		}
	}
	if err := next.Commit(ctx); err != nil {
		return counts, fmt.Errorf("write the new cluster: %w", err)
	}
	if _, err := to.Exec(ctx, "ANALYZE"); err != nil {
		return counts, fmt.Errorf("measure the new cluster: %w", err)
	}
	return counts, nil
}

// truncate removes what making the tables has put into them.
func truncate(ctx context.Context, tx pgx.Tx, tables []table) error {
	if len(tables) == 0 {
		return errors.New("the cluster holds no tables")
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	if _, err := tx.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return fmt.Errorf("empty the new tables: %w", err)
	}
	return nil
}

// copy copies the rows of a table, as they come.
func (t table) copy(ctx context.Context, from, to pgx.Tx) (rows int64, err error) {
	r, w := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := from.Conn().PgConn().CopyTo(ctx, w, "COPY "+t.Name+" ("+t.Columns+") TO STDOUT")
		w.CloseWithError(err)
		sent <- err
	}()
	tag, err := to.Conn().PgConn().CopyFrom(ctx, r, "COPY "+t.Name+" ("+t.Columns+") FROM STDIN")
	r.CloseWithError(err)
	if failed := <-sent; err == nil {
		err = failed
	}
	return tag.RowsAffected(), err
}

// copySequences has the sequences of the new database go on where those of the old one are.
func copySequences(ctx context.Context, from, to pgx.Tx) error {
	rows, err := from.Query(ctx, "SELECT format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value IS NOT NULL FROM pg_sequences")
	if err != nil {
		return fmt.Errorf("list the sequences: %w", err)
	}
	type sequence struct {
		Name  string
		Value int64
		Used  bool
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[sequence])
	if err != nil {
		return fmt.Errorf("list the sequences: %w", err)
	}
	for _, s := range all {
		if _, err := to.Exec(ctx, "SELECT setval($1::text::regclass, $2, $3)", s.Name, s.Value, s.Used); err != nil {
			return fmt.Errorf("set the sequence %s: %w", s.Name, err)
		}
	}
	return nil
}

// compare makes sure that both databases have the same rows in a table: as many, of which
// the sums of what stands for each are the same.
func (t table) compare(ctx context.Context, from, to pgx.Tx) error {
	sum := "SELECT count(*) || ' rows, ' || coalesce(sum(hashtextextended(ROW(" + t.Columns + ")::text, 0)::numeric), 0) FROM " + t.Name
	var here, there string
	if err := from.QueryRow(ctx, sum).Scan(&here); err != nil {
		return fmt.Errorf("read the table %s of the old cluster: %w", t.Name, err)
	}
	if err := to.QueryRow(ctx, sum).Scan(&there); err != nil {
		return fmt.Errorf("read the table %s of the new cluster: %w", t.Name, err)
	}
	if here != there {
		return fmt.Errorf("the table %s was not copied as it is: %s, then %s; the cluster was left as it was", t.Name, here, there)
	}
	return nil
}
