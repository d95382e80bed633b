package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/storage"
)

// BackupStore reads and writes the graph as a whole.
type BackupStore struct{ *base }

// Backups returns the store of whole graphs.
func (d *DB) Backups() BackupStore { return BackupStore{&d.base} }

// schemaSQL is the version of the schema, and epochSQL that of the graph.
const (
	schemaSQL = "(SELECT max(version_id) FROM kg_api.schema_migrations WHERE is_applied)"
	epochSQL  = "(SELECT epoch FROM kg_api.graph_epoch)"
)

// ReadBackup reads an ontology, "" for all of them, as it is at one moment: begin gets
// the header and returns what takes the rows, which are good until it returns. It holds
// one connection, and takes as long as ctx allows. It returns CodeNotFound when there is
// no such ontology; an error of begin or of what it returned ends it.
func (s BackupStore) ReadBackup(ctx context.Context, ontology string, begin func(storage.BackupHeader) (func(storage.BackupRow) error, error)) error {
	if inNoRow(ontology) {
		return ontologyNotFound(ontology)
	}
	err := s.readBackup(ctx, ontology, begin)
	if refused := (*sinkError)(nil); errors.As(err, &refused) {
		return refused.err
	}
	return translate(err, "read the graph for a backup")
}

func (s BackupStore) readBackup(ctx context.Context, ontology string, begin func(storage.BackupHeader) (func(storage.BackupRow) error, error)) error {
	tx, err := s.graph.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer endView(ctx, tx)
	if err := unbounded(ctx, tx); err != nil {
		return err
	}
	h := storage.BackupHeader{Format: storage.BackupFormat}
	var known bool
	err = tx.QueryRow(ctx, "SELECT "+schemaSQL+", "+epochSQL+", now(), $1 = '' OR EXISTS (SELECT FROM kg_api.ontologies WHERE name = $1)", ontology).
		Scan(&h.Schema, &h.Epoch, &h.CreatedAt.Time, &known)
	switch {
	case err != nil:
		return err
	case !known:
		return ontologyNotFound(ontology)
	case ontology != "":
		h.Ontology = &ontology
	}
	add, err := begin(h)
	if err != nil {
		return &sinkError{err}
	}
	for _, t := range backupTables {
		if err := readTable(ctx, tx, t, ontology, add); err != nil {
			return err
		}
	}
	return nil
}

// unbounded lets a transaction take as long as it needs, and shows times in UTC.
func unbounded(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '5min'; SET LOCAL TimeZone = 'UTC'")
	return err
}

func readTable(ctx context.Context, tx pgx.Tx, t backupTable, ontology string, add func(storage.BackupRow) error) error {
	columns, err := columnsOf(ctx, tx, t)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, t.readSQL(columns, ontology), t.arguments(ontology)...)
	if err != nil {
		return err
	}
	var row []byte
	_, err = pgx.ForEachRow(rows, []any{&row}, func() error {
		if err := add(storage.BackupRow{Table: t.name, Row: row}); err != nil {
			return &sinkError{err}
		}
		return nil
	})
	return err
}

// column is a column of a table and its type, as SQL writes it.
type column struct{ name, kind string }

// columnsOf returns the columns of a table that stand in an archive: all but those that
// the database fills in itself.
func columnsOf(ctx context.Context, tx pgx.Tx, t backupTable) ([]column, error) {
	rows, err := tx.Query(ctx, `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = ('kg_api.' || $1)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = '' ORDER BY attnum`, t.name)
	if err != nil {
		return nil, err
	}
	var c column
	var all []column
	_, err = pgx.ForEachRow(rows, []any{&c.name, &c.kind}, func() error {
		if !slices.Contains(t.omit, c.name) {
			all = append(all, c)
		}
		return nil
	})
	return all, err
}

// readSQL selects the rows of a table as JSON.
func (t backupTable) readSQL(columns []column, ontology string) string {
	var list []string
	seen := map[string]bool{}
	for _, c := range columns {
		expression, ok := t.keys[c.name]
		if !ok {
			expression = t.name + "." + c.name
		}
		list, seen[c.name] = append(list, expression+" AS "+c.name), true
	}
	for name, expression := range t.keys { // those of no column
		if !seen[name] {
			list = append(list, expression+" AS "+name)
		}
	}
	slices.Sort(list)
	var conditions []string
	if ontology != "" {
		conditions = append(conditions, "("+t.within+")")
	}
	if t.only != "" {
		conditions = append(conditions, t.only)
	}
	where := ""
	if len(conditions) > 0 {
		where = " WHERE " + strings.Join(conditions, " AND ")
	}
	order := ""
	if t.order != "" {
		order = " ORDER BY " + t.order
	}
	return "SELECT to_json(x)::text FROM (SELECT " + strings.Join(list, ", ") + " FROM kg_api." + t.name + " " + t.joins() + where + order + ") x"
}

// joins is join with the table's name filled in.
func (t backupTable) joins() string {
	if strings.Contains(t.join, "%[1]s") {
		return fmt.Sprintf(t.join, t.name)
	}
	return t.join
}

func (t backupTable) arguments(ontology string) []any {
	if ontology == "" {
		return nil
	}
	return []any{ontology}
}
