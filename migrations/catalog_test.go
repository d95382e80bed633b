package migrations_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// shape is all that migrations make in a database, a line each, with its definition. The
// version table is goose's.
const shape = `WITH own AS (
	SELECT c.relname AS name, c.* FROM pg_class c WHERE c.relnamespace = 'kg_api'::regnamespace AND c.relname NOT LIKE 'schema\_migrations%'
), options AS (
	SELECT o.oid, string_agg(u, ' ' ORDER BY u) AS list FROM own o, unnest(o.reloptions) AS u GROUP BY o.oid
)
SELECT concat_ws(' ', 'relation', o.name, o.relkind, o.relpersistence, o.relreplident, o.relrowsecurity, o.relispopulated, p.list, obj_description(o.oid, 'pg_class'), o.relacl::text)
	FROM own o LEFT JOIN options p USING (oid)
UNION ALL SELECT concat_ws(' ', 'column', o.name, row_number() OVER (PARTITION BY o.oid ORDER BY a.attnum), a.attname, format_type(a.atttypid, a.atttypmod),
		CASE WHEN a.attnotnull THEN 'NOT NULL' END, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attstattarget,
		a.attoptions::text, a.attcollation::regcollation, col_description(o.oid, a.attnum), a.attacl::text)
	FROM own o JOIN pg_attribute a ON a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN pg_attrdef d ON d.adrelid = o.oid AND d.adnum = a.attnum
UNION ALL SELECT concat_ws(' ', 'constraint', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid), k.convalidated, k.condeferrable)
	FROM pg_constraint k JOIN own o ON o.oid = k.conrelid WHERE k.contype <> 'n'
UNION ALL SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisclustered, i.indisreplident) FROM pg_index i JOIN own o ON o.oid = i.indexrelid
UNION ALL SELECT concat_ws(' ', 'view', o.name, pg_get_viewdef(o.oid)) FROM own o WHERE o.relkind = 'v'
UNION ALL SELECT concat_ws(' ', 'sequence', o.name, format_type(s.seqtypid, NULL), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
	FROM pg_sequence s JOIN own o ON o.oid = s.seqrelid
UNION ALL SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled) FROM pg_trigger t JOIN own o ON o.oid = t.tgrelid WHERE NOT t.tgisinternal
UNION ALL SELECT concat_ws(' ', 'rule', pg_get_ruledef(r.oid)) FROM pg_rewrite r JOIN own o ON o.oid = r.ev_class
UNION ALL SELECT concat_ws(' ', 'policy', p.polname, o.name) FROM pg_policy p JOIN own o ON o.oid = p.polrelid
UNION ALL SELECT concat_ws(' ', 'statistics', pg_get_statisticsobjdef(s.oid)) FROM pg_statistic_ext s WHERE s.stxnamespace = 'kg_api'::regnamespace
UNION ALL SELECT concat_ws(' ', 'function', pg_get_functiondef(p.oid), p.proacl::text, obj_description(p.oid, 'pg_proc')) FROM pg_proc p WHERE p.pronamespace = 'kg_api'::regnamespace
UNION ALL SELECT concat_ws(' ', 'type', t.typname, t.typtype) FROM pg_type t WHERE t.typnamespace = 'kg_api'::regnamespace AND t.typname NOT LIKE '%schema\_migrations'
UNION ALL SELECT concat_ws(' ', 'publication', p.pubname, p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete, p.pubtruncate, p.pubviaroot, t.prrelid::regclass)
	FROM pg_publication p LEFT JOIN pg_publication_rel t ON t.prpubid = p.oid
UNION ALL SELECT concat_ws(' ', 'extension', e.extname, e.extnamespace::regnamespace) FROM pg_extension e`

// seeds is what migrations put into the tables, without times and transactions, which differ,
// nor the job types of lanes, to which servers add.
const seeds = `SELECT concat('lane ', to_jsonb(l) - 'updated_at' - 'job_types') FROM kg_api.worker_lanes l
UNION ALL SELECT concat('role ', to_jsonb(r) - 'created_at') FROM kg_api.roles r WHERE r.is_builtin
UNION ALL SELECT concat('profile ', to_jsonb(p) - 'created_at') FROM kg_api.vocabulary_profiles p WHERE p.is_builtin
UNION ALL SELECT concat('group ', to_jsonb(g) - 'created_at') FROM kg_api.groups g WHERE g.is_system
UNION ALL SELECT concat('user ', to_jsonb(u) - 'created_at') FROM kg_api.users u WHERE u.id = 1
UNION ALL SELECT concat('floor ', to_jsonb(f)) FROM kg_api.schema_floor f
UNION ALL SELECT concat('graph settings ', to_jsonb(s) - 'updated_at') FROM kg_api.graph_settings s
UNION ALL SELECT concat('search settings ', to_jsonb(s)) FROM kg_api.search_settings s
UNION ALL SELECT concat('vocabulary settings ', to_jsonb(s)) FROM kg_api.vocabulary_settings s
UNION ALL SELECT concat('model settings ', to_jsonb(s)) FROM kg_api.model_settings s
UNION ALL SELECT 'rows of ' || t.name || ' ' || t.n FROM (VALUES ('access_epoch', (SELECT count(*) FROM kg_api.access_epoch)), ('leader', (SELECT count(*) FROM kg_api.leader)),
	('graph_epoch', (SELECT count(*) FROM kg_api.graph_epoch)), ('graph_log_floor', (SELECT count(*) FROM kg_api.graph_log_floor)), ('scheduler_state', (SELECT count(*) FROM kg_api.scheduler_state)),
	('annealing_state', (SELECT count(*) FROM kg_api.annealing_state)), ('embedding_space', (SELECT count(*) FROM kg_api.embedding_space))) AS t (name, n)`

// wantSame compares two databases by a query for lines.
func wantSame(t *testing.T, got, want *pgx.Conn, query string) {
	t.Helper()
	is, should := lines(t, got, query), lines(t, want, query)
	if len(should) == 0 {
		t.Fatal("nothing was compared")
	}
	for _, line := range without(is, should) {
		t.Errorf("more than in a new database: %s", line)
	}
	for _, line := range without(should, is) {
		t.Errorf("missing: %s", line)
	}
}

// lines runs a query for lines, and returns them in order.
func lines(t *testing.T, conn *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// without returns the lines that others lacks.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(line string) bool {
		_, found := slices.BinarySearch(others, line)
		return found
	})
}
