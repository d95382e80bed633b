package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// A restore brings an ontology of the archive back into the one that has its key, however
// that is called by now; else into the one that has its name; else it makes it. An ontology
// that is known to be another one keeps its name, and the restored one gets "(restored)"
// after it. A chunk is brought back unless its document has one of the same place, which
// then stands for it; where a chunk of another document has its id, it gets a new one. Such a
// chunk keeps the passages that it has: another version may have cut them otherwise.

// placeTables hold where what the archive has goes: its ontologies by their names, and its
// chunks by their ids there.
const placeTables = `CREATE TEMPORARY TABLE restored_into (name text PRIMARY KEY, ontology integer NOT NULL) ON COMMIT DROP;
	CREATE TEMPORARY TABLE restored_at (archived text PRIMARY KEY, document integer NOT NULL, id integer, source_id text NOT NULL,
		keeps_passages boolean NOT NULL) ON COMMIT DROP`

// restoredInto finds the ontology that those of an archive are restored into. The archives
// of earlier versions have no keys.
const restoredInto = `INSERT INTO restored_into SELECT x.name, o.id FROM %[1]s x JOIN kg_api.ontologies o ON o.key = %[2]s;
	INSERT INTO restored_into SELECT x.name, o.id FROM %[1]s x JOIN kg_api.ontologies o ON o.name = x.name
		WHERE NOT EXISTS (SELECT FROM restored_into r WHERE r.name = x.name) AND NOT EXISTS (SELECT FROM restored_into r WHERE r.ontology = o.id)`

// freeName is the name of an ontology that is made: its own, or the first one like it that
// nobody has.
const freeName = `(SELECT n.name FROM generate_series(0, 1000) k
	CROSS JOIN LATERAL (SELECT CASE k WHEN 0 THEN x.name WHEN 1 THEN left(x.name, 180) || ' (restored)' ELSE left(x.name, 180) || ' (restored ' || k || ')' END AS name) n
	WHERE NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.name = n.name) ORDER BY k LIMIT 1)`

// has reports whether the archive has a member in the rows of the table.
func (s *staging) has(field string) bool {
	return slices.ContainsFunc(s.fields, func(f stagedField) bool { return f.name == field })
}

// keyOf is the key of an ontology x of the archive.
func (s *staging) keyOf() string {
	if s.has("key") {
		return "x.key::uuid"
	}
	return "NULL::uuid"
}

// insertOntologies makes the ontologies that are to be made, and finds the others.
func (r *restore) insertOntologies(ctx context.Context, s *staging) error {
	if _, err := r.tx.Exec(ctx, fmt.Sprintf(restoredInto, s.name(), s.keyOf())); err != nil {
		return archiveFault(err, s.table.name)
	}
	var names, values string
	for _, f := range s.fields {
		value := "x." + f.name + f.cast
		if f.name == "name" {
			value = freeName
		}
		names, values = names+", "+f.name, values+", "+value
	}
	// One after another: the name of one may be what the next one would be called.
	sql := "INSERT INTO kg_api.ontologies (" + names[2:] + ") SELECT " + values[2:] + " FROM " + s.name() + " x WHERE x.name = $1 RETURNING id"
	rest, err := r.texts(ctx, "SELECT x.name FROM "+s.name()+" x WHERE NOT EXISTS (SELECT FROM restored_into r WHERE r.name = x.name) ORDER BY x.ctid")
	if err != nil {
		return err
	}
	for _, name := range rest {
		var id int32
		if err := r.tx.QueryRow(ctx, sql, name).Scan(&id); err != nil {
			return archiveFault(err, s.table.name)
		}
		if _, err := r.tx.Exec(ctx, "INSERT INTO restored_into VALUES ($1, $2)", name, id); err != nil {
			return err
		}
	}
	r.done += s.rows
	r.added[s.table.name] += int64(len(rest))
	return r.progress(restoreWrites, r.done, r.rows)
}

// texts returns the texts that a query has.
func (r *restore) texts(ctx context.Context, sql string) ([]string, error) {
	var list []string
	err := r.tx.QueryRow(ctx, "SELECT ARRAY("+sql+")").Scan(&list)
	return list, err
}

// replaced returns the name that the ontology of an archive of one has in the graph.
func (r *restore) replaced(ctx context.Context) (string, error) {
	name := *r.header.Ontology
	s := r.staged["ontologies"]
	if s == nil || !s.has("key") {
		return name, nil
	}
	list, err := r.texts(ctx, "SELECT o.name FROM kg_api.ontologies o JOIN "+s.name()+" x ON o.key = x.key::uuid")
	if err == nil && len(list) > 0 {
		name = list[0]
	}
	return name, err
}

// placeSources decides the ids of the chunks of the archive, which their documents have
// been restored for: restored_at says which chunk stands for each.
func (r *restore) placeSources(ctx context.Context, s *staging) error {
	_, err := r.tx.Exec(ctx, `INSERT INTO restored_at (archived, document, id, source_id, keeps_passages)
		SELECT x.source_id, d.id, found.id, coalesce(found.source_id,
			CASE WHEN EXISTS (SELECT FROM kg_api.sources t WHERE t.source_id = x.source_id)
				THEN 'src_' || left(replace(gen_random_uuid()::text, '-', ''), 24) ELSE x.source_id END) AS source_id,
			EXISTS (SELECT FROM kg_api.passages p WHERE p.source = found.id)
		FROM `+s.name()+` x
		JOIN restored_into o ON o.name = x.document[2]
		JOIN kg_api.documents d ON d.ontology_id = o.ontology AND d.document_id = x.document[1]
		LEFT JOIN LATERAL (SELECT s.id, s.source_id FROM kg_api.sources s
			WHERE s.document = d.id AND s.start_byte = x.start_byte AND s.end_byte = x.end_byte
			ORDER BY s.source_id <> x.source_id, s.id LIMIT 1) found ON true; ANALYZE restored_at`)
	return archiveFault(err, s.table.name)
}

// placedSources finds the chunks that were written.
func (r *restore) placedSources(ctx context.Context) error {
	_, err := r.tx.Exec(ctx, `UPDATE restored_at a SET id = s.id FROM kg_api.sources s WHERE a.id IS NULL AND s.source_id = a.source_id; ANALYZE restored_at`)
	return err
}

// archiveFault says of an error in writing rows of a table what is wrong with the archive,
// if that is why: the same row twice, or one that breaks a rule of the graph.
func archiveFault(err error, table string) error {
	if err == nil {
		return nil
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok:
	case pgErr.Code == stateCardinality:
		return wrongArchive("has the same row of " + table + " twice")
	case strings.HasPrefix(pgErr.Code, classIntegrity), strings.HasPrefix(pgErr.Code, classData):
		return wrongArchive(fmt.Sprintf("has rows of %s that the graph cannot hold (%s)", table, cmp.Or(pgErr.ConstraintName, pgErr.ColumnName, pgErr.Message)))
	}
	return fmt.Errorf("write rows of %s: %w", table, err)
}
