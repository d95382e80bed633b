-- name: PolicyList :many
SELECT p.* FROM kg_api.job_type_policies p ORDER BY p.job_type;

-- name: PolicyLock :exec
-- Has one transaction at a time change the policy of a type, which may have no row yet.
SELECT pg_advisory_xact_lock(100000009, hashtext(@job_type::text));

-- name: PolicyOf :one
SELECT p.* FROM kg_api.job_type_policies p WHERE p.job_type = @job_type;

-- name: PolicyStore :one
-- Stores the policy of a type, and has every server read it.
WITH stored AS (
    INSERT INTO kg_api.job_type_policies (job_type, max_retries, backoff_first_ms, backoff_most_ms, backoff_factor, jitter, deadline_ms)
    VALUES (@job_type, sqlc.narg(max_retries), sqlc.narg(backoff_first_ms), sqlc.narg(backoff_most_ms), sqlc.narg(backoff_factor), sqlc.narg(jitter), sqlc.narg(deadline_ms))
    ON CONFLICT (job_type) DO UPDATE
    SET max_retries = excluded.max_retries, backoff_first_ms = excluded.backoff_first_ms, backoff_most_ms = excluded.backoff_most_ms,
        backoff_factor = excluded.backoff_factor, jitter = excluded.jitter, deadline_ms = excluded.deadline_ms, updated_at = clock_timestamp()
    RETURNING job_type
)
SELECT s.job_type::text, pg_notify('kg_job_types', s.job_type)::text AS notified FROM stored s;
