package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/storage"
)

const (
	stagedEvery  = 10_000  // rows, until the next report
	copyBytes    = 1 << 16 // of rows, encoded at a time
	sliceBlocks  = 256     // of 8 kB of a staged table: written with one statement, at least
	slicesOfMany = 10      // of a large one
)

// staging is the temporary table that holds what an archive has of a table, with the
// natural keys of the archive. Its columns are those of the first row.
type staging struct {
	table  *backupTable
	fields []stagedField
	rows   int64
}

// name of the temporary table.
func (s *staging) name() string { return "pg_temp.restored_" + s.table.name }

// stage reads the archive to its end.
func (r *restore) stage(ctx context.Context, next func() (storage.BackupRow, error)) error {
	row, err := next()
	for err == nil {
		var s *staging
		if s, err = r.stagingFor(ctx, row); err == nil {
			row, err = r.copyRows(ctx, s, row, next)
		}
	}
	if errors.Is(err, io.EOF) {
		return r.progress(restoreChecks, r.rows, 0)
	}
	return err
}

// rowsOf returns how many rows the archive has of a table.
func (r *restore) rowsOf(table string) int64 {
	if s := r.staged[table]; s != nil {
		return s.rows
	}
	return 0
}

// stagingFor returns the temporary table for a row, and makes it for the first one.
func (r *restore) stagingFor(ctx context.Context, row storage.BackupRow) (*staging, error) {
	if s := r.staged[row.Table]; s != nil {
		return s, nil
	}
	at := slices.IndexFunc(backupTables, func(t backupTable) bool { return t.name == row.Table })
	if at < 0 {
		return nil, wrongArchive(fmt.Sprintf("has rows of %q, which this server does not know", row.Table))
	}
	s := &staging{table: &backupTables[at]}
	columns, err := columnsOf(ctx, r.tx, *s.table)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	for _, c := range columns {
		kinds[c.name] = c.kind
		if _, ok := s.table.columns[c.name]; ok {
			kinds[c.name] = "text" // a natural key
		}
	}
	maps.Copy(kinds, s.table.types)
	err = members(row.Row, func(name, _ []byte) error {
		if kind, ok := kinds[string(name)]; ok {
			s.fields = append(s.fields, newStagedField(string(name), kind))
		}
		return nil
	})
	if err != nil || len(s.fields) == 0 {
		return nil, wrongArchive("has a row of " + row.Table + " that is no object")
	}
	var list []string
	for _, f := range s.fields {
		list = append(list, f.name+" "+f.kind)
	}
	r.staged[row.Table] = s
	_, err = r.tx.Exec(ctx, "CREATE TEMPORARY TABLE restored_"+s.table.name+" ("+strings.Join(list, ", ")+") ON COMMIT DROP")
	return s, err
}

// wrongArchive is what is wrong with an archive.
func wrongArchive(rule string) error {
	return kappa.Invalid(kappa.FieldError{In: "form", Name: "file", Rule: rule})
}

// copyRows stages a row and those of the same table that follow. It returns the first row
// of another one, or the error of next.
func (r *restore) copyRows(ctx context.Context, s *staging, first storage.BackupRow, next func() (storage.BackupRow, error)) (storage.BackupRow, error) {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	source := &copySource{staging: s, row: first, next: next, encoder: newRowEncoder(s.fields), buffer: append([]byte{}, copyHeader...), staged: func() error {
		if r.rows++; r.rows%stagedEvery == 0 {
			return r.progress(restoreChecks, r.rows, 0)
		}
		return nil
	}}
	_, err := r.tx.Conn().PgConn().CopyFrom(ctx, source, "COPY "+s.name()+" ("+strings.Join(names, ", ")+") FROM STDIN (FORMAT binary)")
	switch {
	case source.failed != nil:
		return storage.BackupRow{}, source.failed
	case err != nil:
		return storage.BackupRow{}, fmt.Errorf("stage rows of %s: %w", s.table.name, err)
	}
	return source.row, source.after
}

// copySource is what COPY reads: the rows of a table in its binary format.
type copySource struct {
	staging *staging
	encoder rowEncoder
	staged  func() error // is called after each row
	next    func() (storage.BackupRow, error)

	row    storage.BackupRow // the next one; after the end, one of another table
	after  error             // of next, at the end: io.EOF, or what is wrong with the archive
	ended  bool
	failed error // of a row, or of staged

	buffer []byte
	at     int // what was read of it
}

// Read returns the next bytes.
func (c *copySource) Read(p []byte) (int, error) {
	if c.at == len(c.buffer) {
		if c.ended {
			return 0, io.EOF
		}
		c.buffer, c.at = c.buffer[:0], 0
		if c.failed = c.fill(); c.failed != nil {
			return 0, c.failed
		}
	}
	n := copy(p, c.buffer[c.at:])
	c.at += n
	return n, nil
}

// fill encodes some rows, and after the last one the end.
func (c *copySource) fill() (err error) {
	for len(c.buffer) < copyBytes {
		if c.after != nil || c.row.Table != c.staging.table.name {
			c.ended = true
			c.buffer = append(c.buffer, copyEnd...)
			return nil //nolint:nilerr // the next table's turn, or the archive's end, sees to c.after
		}
		if c.buffer, err = c.encoder.appendRow(c.buffer, c.row.Row); err != nil {
			return wrongArchive(fmt.Sprintf("has a row of %s that cannot be read: %v", c.staging.table.name, err))
		}
		c.staging.rows++
		if err := c.staged(); err != nil {
			return err
		}
		c.row, c.after = c.next()
	}
	return nil
}

// insert writes what is staged of a table, a slice of it with each statement.
func (r *restore) insert(ctx context.Context, s *staging) error {
	switch s.table.name {
	case "ontologies":
		return r.insertOntologies(ctx, s)
	case "contents":
		return r.insertContents(ctx, s)
	case "sources":
		if err := r.placeSources(ctx, s); err != nil {
			return err
		}
	case "concept_embeddings":
		if err := r.beginEmbeddings(ctx, s); err != nil {
			return err
		}
	}
	var blocks int64
	if err := r.tx.QueryRow(ctx, "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint", s.name()).Scan(&blocks); err != nil {
		return err
	}
	quick := r.bulk && r.quick && s.table.looksUp
	if err := r.checkReferences(ctx, !quick); err != nil {
		return err
	}
	sql := s.insertSQL(r.bulk)
	slice := max(sliceBlocks, (blocks+slicesOfMany-1)/slicesOfMany)
	var added int64
	for from := int64(0); from < blocks; from += slice {
		done, err := r.tx.Exec(ctx, fmt.Sprintf(sql, from, from+slice))
		if err != nil {
			return archiveFault(err, s.table.name)
		}
		added += done.RowsAffected()
		if err := r.progress(restoreWrites, r.done+s.rows*min(from+slice, blocks)/blocks, r.rows); err != nil {
			return err
		}
	}
	r.done += s.rows
	r.added[s.table.name] += added
	if err := r.inserted(ctx, s); err != nil {
		return err
	}
	if quick && added != s.rows {
		if err := r.lost(ctx, s, added); err != nil {
			return err
		}
	}
	return r.checkReferences(ctx, true)
}

// inserted does what follows when a table is written.
func (r *restore) inserted(ctx context.Context, s *staging) error {
	switch s.table.name {
	case "sources":
		return r.placedSources(ctx)
	case "concept_embeddings":
		return r.endEmbeddings(ctx)
	}
	return nil
}

// lost returns an error when rows refer to what is not there, of a table of which fewer
// were written than the archive has.
func (r *restore) lost(ctx context.Context, s *staging, written int64) error {
	if s.table.becomeOne {
		if err := r.tx.QueryRow(ctx, "SELECT count(*) FROM "+s.name()+" x "+s.table.find).Scan(&written); err != nil {
			return err
		}
	}
	if written == s.rows {
		return nil
	}
	return wrongArchive(fmt.Sprintf("has %d rows of %s that refer to what it does not hold", s.rows-written, s.table.name))
}

// settle gives the relationships of the archive the confidence of their best evidence here.
func (r *restore) settle(ctx context.Context) error {
	s := r.staged["edges"]
	if s == nil {
		return nil
	}
	only := ""
	if !r.bulk {
		only = " WHERE (v.src, v.dst, v.type) IN (SELECT p.src, p.dst, r.id FROM " + s.name() + " x " + s.table.find + ")"
	}
	_, err := r.tx.Exec(ctx, `UPDATE kg_api.edges e SET confidence = b.best
		FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best FROM kg_api.edge_evidence v`+only+` GROUP BY v.src, v.dst, v.type) b
		WHERE e.src = b.src AND e.dst = b.dst AND e.type = b.type AND e.confidence <> b.best`)
	return err
}

// checkReferences has PostgreSQL check each reference of the rows that follow, or not.
func (r *restore) checkReferences(ctx context.Context, on bool) error {
	if !r.bulk || !r.quick {
		return nil
	}
	role := "replica"
	if on {
		role = "origin"
	}
	_, err := r.tx.Exec(ctx, "SET LOCAL session_replication_role = "+role)
	return err
}

// insertSQL writes the rows of the blocks from %d to before %d. Into an empty graph, no
// row is written that is there.
func (s *staging) insertSQL(empty bool) string {
	var names, values []string
	for _, f := range s.fields {
		value, ok := s.table.columns[f.name]
		if !ok {
			value = "x." + f.name + f.cast
		}
		names, values = append(names, f.name), append(values, value)
	}
	sql := "INSERT INTO kg_api." + s.table.name + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(values, ", ") +
		" FROM " + s.name() + " x " + s.table.find + " WHERE x.ctid >= '(%d,0)' AND x.ctid < '(%d,0)'"
	if s.table.order != "" {
		sql += " ORDER BY x.ctid" // their numbers are given in this order
	}
	if !empty || !s.table.looksUp || s.table.becomeOne {
		sql += " ON CONFLICT " + s.table.conflict
	}
	return sql
}

// insertContents puts the pieces of documents together that are not there yet.
func (r *restore) insertContents(ctx context.Context, s *staging) error {
	var damaged *string
	if err := r.tx.QueryRow(ctx, `WITH added AS (
			INSERT INTO kg_api.contents (content_hash, created_at, body)
			SELECT x.content_hash, min(x.created_at::timestamptz), string_agg(x.bytes, '' ORDER BY x.piece) FROM `+s.name()+` x
			WHERE NOT EXISTS (SELECT FROM kg_api.contents c WHERE c.content_hash = x.content_hash) GROUP BY x.content_hash
			ON CONFLICT (content_hash) DO NOTHING RETURNING content_hash, body)
		SELECT min(a.content_hash) FROM added a WHERE a.content_hash <> 'sha256:' || encode(sha256(a.body), 'hex')`).Scan(&damaged); err != nil {
		return fmt.Errorf("write documents: %w", err)
	}
	if damaged != nil {
		return wrongArchive("has the document " + *damaged + " with other bytes than its hash says")
	}
	r.done += s.rows
	return r.progress(restoreWrites, r.done, r.rows)
}
