package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// The stages of a restore.
const (
	restoreChecks = "checking"  // the archive is read
	restoreWrites = "restoring" // the graph is written
)

// Restore brings back an archive in one transaction with the checkpoint that in.Done
// makes: all of it or nothing. What in.Next returned last is good until it is called
// again. The archive is read to its end, into temporary tables, before the graph is
// touched. From then on who writes the graph waits; who reads it sees what was there. A
// dry run does all of it, and rolls it back.
//
// It returns ErrStale when the claim is not current at the end, ErrCancelled when the job
// was asked to stop, and a CodeConflict Error for an archive of a later schema.
func (s BackupStore) Restore(ctx context.Context, c work.Claim, in storage.Restoring) (storage.RestoreStats, error) {
	var stats storage.RestoreStats
	tx, err := s.graph.Begin(ctx)
	if err != nil {
		return stats, translate(err, "begin to restore")
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit, it does nothing
	r := restore{tx: tx, header: in.Header, replace: in.Mode == storage.RestoreReplace, staged: map[string]*staging{}, added: map[string]int64{}, progress: in.Progress}
	if err := r.begin(ctx); err != nil {
		return stats, translate(err, "begin to restore")
	}
	if err := r.stage(ctx, in.Next); err != nil {
		return stats, translate(err, "read the archive")
	}
	if r.rowsOf("concept_embeddings") >= manyEmbeddings {
		r.bands = &bandEntries{graph: s.graph}
		r.bands.collect(ctx)
		defer r.bands.end(context.WithoutCancel(ctx))
	}
	if err := r.write(ctx); err != nil {
		return stats, translate(err, "restore the archive")
	}
	stats = storage.RestoreStats{Concepts: r.added["concepts"], Sources: r.added["sources"], Instances: r.added["instances"], Relationships: r.added["edges"]}
	stats.Removed, stats.Outdated = r.removed, r.outdated
	if in.DryRun {
		return stats, nil
	}
	done, err := commitRestored(ctx, tx, c, in.Done(stats))
	if err != nil {
		return stats, translate(err, "restore the archive")
	}
	_ = s.announce(done) // the graph is restored, whether the job was asked to stop meanwhile or not
	return stats, nil
}

// commitRestored stores the checkpoint under the claim, and commits. Only at the end: the
// row of the job is held from here on, and its worker renews its lease there.
func commitRestored(ctx context.Context, tx pgx.Tx, c work.Claim, next work.Checkpoint) (saved, error) {
	q := db.New(tx)
	if err := fence(ctx, q, c); err != nil {
		return saved{}, err
	}
	done, err := checkpoint(ctx, q, c, next)
	if err != nil {
		return done, err
	}
	return done, tx.Commit(ctx)
}

// restore is a transaction that brings back an archive.
type restore struct {
	tx       pgx.Tx
	header   storage.BackupHeader
	replace  bool
	progress func(stage string, done, of int64) error

	staged map[string]*staging // by the name of the table
	rows   int64               // in all of them

	bulk  bool         // the graph is empty: see beginBulk
	quick bool         // references need not be checked row by row
	bands *bandEntries // nil: they are few
	done  int64
	added map[string]int64 // by the name of the table

	otherModel bool  // the archive has embeddings of concepts by another model than the graph's
	outdated   int64 // such embeddings that the graph has then

	removed *storage.RestoreStats // what was replaced; nil: nothing was to be
}

// begin prepares the transaction, and refuses an archive of a later schema.
func (r *restore) begin(ctx context.Context) error {
	if err := unbounded(ctx, r.tx); err != nil {
		return err
	}
	// Large steps: a list of entries for an index, and tables to join by, fit into memory.
	if _, err := r.tx.Exec(ctx, "SET LOCAL work_mem = '64MB'; SET LOCAL gin_pending_list_limit = '256MB'; SET LOCAL jit = off"); err != nil {
		return err
	}
	var schema int64
	if err := r.tx.QueryRow(ctx, "SELECT "+schemaSQL).Scan(&schema); err != nil {
		return err
	}
	if r.header.Format > 1 && r.header.Schema > schema {
		return kappa.NewError(kappa.CodeConflict, fmt.Sprintf("the archive was made by a later version: its schema is %d, and this server has %d; upgrade the server first", r.header.Schema, schema))
	}
	return nil
}

// write brings what is staged into the graph, and has all servers read it again.
func (r *restore) write(ctx context.Context) error {
	// Writers take the lock of the graph first, and then the tables. Readers go on.
	if _, err := r.tx.Exec(ctx, `SELECT pg_advisory_xact_lock(100000002);
		LOCK TABLE kg_api.ontologies, kg_api.documents, kg_api.sources, kg_api.relationship_types, kg_api.concepts, kg_api.concept_embeddings,
			kg_api.instances, kg_api.edges, kg_api.edge_evidence IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		return err
	}
	if _, err := r.tx.Exec(ctx, placeTables); err != nil {
		return err
	}
	if err := r.clearCounted(ctx); err != nil {
		return err
	}
	for i := range backupTables {
		if s := r.staged[backupTables[i].name]; s != nil {
			if err := r.insert(ctx, s); err != nil {
				return err
			}
			if r.bands != nil && s.table.name == "concept_embeddings" {
				r.bands.sort(ctx)
			}
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	if err := r.endBulk(ctx); err != nil {
		return err
	}
	return raiseEpoch(ctx, db.New(r.tx), change{kind: knowledge.EpochEdit, act: "graph.restore"})
}

// clearCounted removes what is to be replaced, and counts it.
func (r *restore) clearCounted(ctx context.Context) error {
	if !r.replace {
		return r.clear(ctx)
	}
	was, err := r.count(ctx)
	if err != nil {
		return err
	}
	if err := r.clear(ctx); err != nil {
		return err
	}
	left, err := r.count(ctx)
	r.removed = &storage.RestoreStats{
		Concepts: was.Concepts - left.Concepts, Sources: was.Sources - left.Sources,
		Instances: was.Instances - left.Instances, Relationships: was.Relationships - left.Relationships,
	}
	return err
}

func (r *restore) count(ctx context.Context) (n storage.RestoreStats, err error) {
	err = r.tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM kg_api.concepts), (SELECT count(*) FROM kg_api.sources),
		(SELECT count(*) FROM kg_api.instances), (SELECT count(*) FROM kg_api.edges)`).Scan(&n.Concepts, &n.Sources, &n.Instances, &n.Relationships)
	return n, err
}

// clear removes what is to be replaced.
func (r *restore) clear(ctx context.Context) error {
	switch {
	case r.header.Ontology == nil:
		if err := r.beginBulk(ctx); err != nil || !r.replace {
			return err
		}
		_, err := r.tx.Exec(ctx, `DELETE FROM kg_api.edge_evidence; DELETE FROM kg_api.edges; DELETE FROM kg_api.instances; DELETE FROM kg_api.mentions;
			DELETE FROM kg_api.concept_embeddings; DELETE FROM kg_api.concepts; DELETE FROM kg_api.sources; DELETE FROM kg_api.documents; DELETE FROM kg_api.ontologies;
			DELETE FROM kg_api.vocabulary_merges; UPDATE kg_api.relationship_types SET merged_into = NULL WHERE merged_into IS NOT NULL;
			DELETE FROM kg_api.relationship_types WHERE NOT is_builtin`)
		return err
	case r.replace:
		name, err := r.replaced(ctx)
		if err != nil {
			return err
		}
		return r.removeOntology(ctx, name)
	}
	return nil
}

// removeOntology removes the documents of an ontology, and what has no evidence without
// them.
func (r *restore) removeOntology(ctx context.Context, name string) error {
	for _, sql := range []string{
		`CREATE TEMPORARY TABLE lost_concepts ON COMMIT DROP AS SELECT DISTINCT i.concept FROM kg_api.instances i
			JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document WHERE ` + inOntology,
		`CREATE TEMPORARY TABLE lost_edges ON COMMIT DROP AS SELECT DISTINCT v.src, v.dst, v.type FROM kg_api.edge_evidence v
			JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document WHERE ` + inOntology,
		`DELETE FROM kg_api.documents d WHERE ` + inOntology,
	} {
		if _, err := r.tx.Exec(ctx, strings.ReplaceAll(sql, "$1", quoteLiteral(name))); err != nil {
			return err
		}
	}
	_, err := r.tx.Exec(ctx, `SELECT kg_api.settle_edges(array_agg(l.src), array_agg(l.dst), array_agg(l.type::integer)) FROM lost_edges l;
		DELETE FROM kg_api.concepts c USING lost_concepts l WHERE c.id = l.concept
			AND NOT EXISTS (SELECT FROM kg_api.instances i WHERE i.concept = c.id)
			AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.src = c.id) AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.dst = c.id)`)
	return err
}

// quoteLiteral writes a text as SQL does. The statements that create tables take no
// arguments.
func quoteLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
