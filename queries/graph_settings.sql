-- name: GraphSettings :one
SELECT g.* FROM kg_api.graph_settings g;

-- name: GraphSettingsForUpdate :one
SELECT g.* FROM kg_api.graph_settings g FOR UPDATE;

-- name: GraphSettingsUpdate :one
-- Changes settings and has every server read them.
WITH changed AS (
    UPDATE kg_api.graph_settings g
    SET max_workers = @max_workers, timeout_seconds = @timeout_seconds, parallel_from = @parallel_from, chunk_size = @chunk_size,
        chunk_timeout_seconds = @chunk_timeout_seconds, max_results_per_chunk = @max_results_per_chunk, updated_at = clock_timestamp()
    RETURNING g.updated_at
), woken AS (
    SELECT pg_notify('kg_graph_settings', '') FROM changed
)
SELECT c.updated_at, (SELECT count(*) FROM woken) AS notified FROM changed c;
