package postgres

import (
	"context"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// manyEmbeddings is from how many embeddings on the index of their bands collects entries.
const manyEmbeddings = 1000

// beginBulk finds out whether the graph is empty, or is going to be. Nothing that is
// written then can be there already, so that no row is logged, servers load the graph anew
// at the end, and, where the server's role may switch it off, PostgreSQL does not check
// each reference once more that was just looked up.
func (r *restore) beginBulk(ctx context.Context) error {
	err := r.tx.QueryRow(ctx, `SELECT $1 OR NOT EXISTS (SELECT FROM kg_api.concepts) AND NOT EXISTS (SELECT FROM kg_api.documents),
		has_parameter_privilege('session_replication_role', 'SET')`, r.replace).Scan(&r.bulk, &r.quick)
	if err != nil || !r.bulk {
		return err
	}
	return r.switchLog(ctx, "DISABLE")
}

// endBulk switches the log on again, has it say that all has changed, and counts what the
// ontologies hold.
func (r *restore) endBulk(ctx context.Context) error {
	if !r.bulk {
		return nil
	}
	if err := r.switchLog(ctx, "ENABLE"); err != nil {
		return err
	}
	_, err := r.tx.Exec(ctx, "SELECT kg_api.reload_graph(); INSERT INTO kg_api.graph_log (op) VALUES ('touch concept'); SELECT kg_api.recount_ontologies()")
	return err
}

// switchLog switches the triggers that log and count each row of the graph. Jobs are counted
// as well, and not written here: their table stays free for those who work on them, this
// restore among them, which stores its checkpoints there.
func (r *restore) switchLog(ctx context.Context, verb string) error {
	rows, err := r.tx.Query(ctx, `SELECT format('ALTER TABLE %s ', t.tgrelid::regclass), quote_ident(t.tgname) FROM pg_trigger t
		JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'kg_api' AND c.relname <> 'jobs' AND NOT t.tgisinternal AND (t.tgname LIKE 'log\_%' OR t.tgname LIKE 'count\_%') ORDER BY 1, 2`)
	if err != nil {
		return err
	}
	var alter, name string
	var all []string
	if _, err := pgx.ForEachRow(rows, []any{&alter, &name}, func() error {
		all = append(all, alter+verb+" TRIGGER "+name)
		return nil
	}); err != nil {
		return err
	}
	_, err = r.tx.Exec(ctx, strings.Join(all, ";"))
	return err
}

// bandEntries are the new entries of the index of the bands, 64 for each embedding. While
// many are added the index collects them, and they are sorted in together, on another
// connection while the restore goes on. Otherwise it sorts in each at once, since searches
// have to read what is not sorted in. Either is right. So the index is left as it is where
// somebody holds it, a backup for one; and what an interrupted restore leaves behind is
// removed by autovacuum.
type bandEntries struct {
	graph   *pool
	sorting sync.WaitGroup
}

const bandsIndex = "kg_api.concept_embeddings_bands_idx"

// collect has the index collect entries.
func (b *bandEntries) collect(ctx context.Context) { b.alter(ctx, "on") }

// sort begins to sort in what is collected.
func (b *bandEntries) sort(ctx context.Context) {
	b.sorting.Go(func() {
		_, _ = b.graph.Exec(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL maintenance_work_mem = '128MB'; SELECT gin_clean_pending_list('"+bandsIndex+"')")
	})
}

// end waits for what is sorted in, and has the index collect no more.
func (b *bandEntries) end(ctx context.Context) {
	b.sorting.Wait()
	b.alter(ctx, "off")
}

func (b *bandEntries) alter(ctx context.Context, fast string) {
	// One transaction, as it has no arguments.
	_, _ = b.graph.Exec(ctx, "SET LOCAL lock_timeout = '300ms'; ALTER INDEX "+bandsIndex+" SET (fastupdate = "+fast+")")
}
