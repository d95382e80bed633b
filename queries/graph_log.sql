-- name: GraphReadBegin :exec
-- Has a transaction that reads the whole graph take as long as its caller's
-- context allows.
SELECT set_config('statement_timeout', '0', true), set_config('jit', 'off', true);

-- name: GraphMark :one
-- The moment of a snapshot, and whose transactions the log has.
SELECT pg_current_snapshot()::text AS snapshot, e.epoch, f.cluster,
    (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table
FROM kg_api.graph_epoch e CROSS JOIN kg_api.graph_log_floor f;

-- name: GraphLogAdopt :execrows
-- Empties a log that was restored from another cluster: the numbers of its
-- transactions mean nothing here.
WITH adopted AS (
    UPDATE kg_api.graph_log_floor f
    SET cluster = @cluster::text, floor = '0', next_floor = pg_snapshot_xmin(pg_current_snapshot()), since = clock_timestamp()
    WHERE f.cluster <> @cluster::text
    RETURNING f.one
)
DELETE FROM kg_api.graph_log l USING adopted a WHERE a.one;

-- name: GraphLoadTypes :many
SELECT t.id, t.name FROM kg_api.relationship_types t;

-- name: GraphLoadConcepts :many
SELECT c.id, c.concept_id FROM kg_api.concepts c;

-- name: GraphLoadEdges :many
SELECT e.src, e.dst, e.type, e.confidence FROM kg_api.edges e;

-- name: GraphLogIndexOnly :exec
-- Keeps GraphChanges to the index of the log, whatever the statistics say: they
-- are seldom current, and nearly all that the log holds is known to the reader.
SELECT set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true);

-- name: GraphChanges :many
-- What has been committed since a snapshot, in the order in which it applies, up
-- to a limit; one row without an op when nothing has. All of it, the epoch and
-- the new snapshot are as of one moment. kept is false when the log does not reach
-- back to the snapshot. A transaction that was not visible in the snapshot was
-- either under way then, or had not begun.
SELECT pg_current_snapshot()::text AS snapshot, e.epoch,
    (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table,
    (f.floor <= pg_snapshot_xmin(CAST(@since::text AS pg_snapshot)))::bool AS kept,
    coalesce(l.txid::text, '')::text AS txid, coalesce(l.op, '')::text AS op, coalesce(l.src, 0)::int AS src, coalesce(l.dst, 0)::int AS dst,
    coalesce(l.type, 0) AS type, coalesce(l.confidence, 0)::real AS confidence, coalesce(l.concept_id, '')::text AS concept_id
FROM kg_api.graph_epoch e
CROSS JOIN kg_api.graph_log_floor f
LEFT JOIN (
    SELECT g.id, g.txid, g.op, g.src, g.dst, g.type, g.confidence, g.concept_id
    FROM kg_api.graph_log g
    WHERE g.txid >= pg_snapshot_xmax(CAST(@since::text AS pg_snapshot))
        OR g.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since::text AS pg_snapshot))))
    LIMIT @most::int
) l ON true
ORDER BY l.id;

-- name: GraphBehind :one
-- How many transactions have been committed since a snapshot that a reader does
-- not know, counted up to a limit of rows.
SELECT count(DISTINCT g.txid)::int AS transactions
FROM (
    SELECT l.txid FROM kg_api.graph_log l
    WHERE l.txid >= pg_snapshot_xmax(CAST(@since::text AS pg_snapshot))
        OR l.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since::text AS pg_snapshot))))
    LIMIT @most::int
) g;

-- name: GraphLogAdvance :exec
-- Raises the floor of the log by a step, when the last one was keep ago. A reader that
-- has read since then knows every transaction below the new floor.
UPDATE kg_api.graph_log_floor f
SET floor = greatest(f.floor, f.next_floor), next_floor = pg_snapshot_xmin(pg_current_snapshot()), since = clock_timestamp()
WHERE f.since NOT BETWEEN clock_timestamp() - @keep::interval AND clock_timestamp();

-- name: GraphLogPrune :execrows
-- Deletes some of what lies below the floor.
DELETE FROM kg_api.graph_log l
USING (SELECT g.txid, g.id FROM kg_api.graph_log g, kg_api.graph_log_floor f
    WHERE g.txid < f.floor ORDER BY g.txid, g.id LIMIT @most::int) old
WHERE l.txid = old.txid AND l.id = old.id;

-- name: GraphTouched :one
-- What has been committed since a snapshot in few words, as of this moment: how many
-- changes, counted up to a limit, whether all concepts were changed, and which otherwise.
-- kept is as in GraphChanges. What is only said of chunks, as where their passages are cut, is no
-- change to whoever remembers concepts.
WITH changed AS MATERIALIZED (
    SELECT g.op, g.src FROM kg_api.graph_log g
    WHERE g.op NOT IN ('touch source', 'embed source') AND (g.txid >= pg_snapshot_xmax(CAST(@since::text AS pg_snapshot))
        OR g.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since::text AS pg_snapshot)))))
    LIMIT @most::int
)
SELECT pg_current_snapshot()::text AS snapshot, e.epoch,
    (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table,
    (f.floor <= pg_snapshot_xmin(CAST(@since::text AS pg_snapshot)))::bool AS kept,
    (SELECT count(*) FROM changed c)::int AS changes,
    (SELECT coalesce(bool_or(c.op = 'reload' OR c.src IS NULL), false) FROM changed c)::bool AS whole,
    ARRAY(SELECT DISTINCT c.src FROM changed c WHERE c.op IN ('add concept', 'remove concept', 'touch concept', 'show concept') AND c.src IS NOT NULL)::int[] AS concepts
FROM kg_api.graph_epoch e
CROSS JOIN kg_api.graph_log_floor f;

-- name: GraphLogScans :exec
-- Keeps GraphTouched to the index of the log while scans are off; see GraphLogIndexOnly.
SELECT set_config('enable_seqscan', @scans::text, true);
