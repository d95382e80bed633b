-- name: JobCancelRunning :one
-- Asks the worker of a running job to stop. No row: it does not run.
WITH asked AS (
    UPDATE kg_api.jobs j SET cancel_requested = true
    WHERE j.job_id = @job_id AND j.status = 'processing'
    RETURNING j.job_id
), notified AS (
    SELECT pg_notify('kg_cancel', a.job_id) FROM asked a
)
SELECT a.job_id, (SELECT count(*) FROM notified) AS notified FROM asked a;

-- name: JobsReprioritize :many
-- Changes the priority of jobs that wait in a queue, and returns the old ones.
-- It wakes the lanes, for a claim that met the change has passed the job over. A job that has
-- no row does not wait there.
WITH found AS MATERIALIZED (
    SELECT j.job_id, j.priority FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND j.status = 'approved'
    ORDER BY j.job_id FOR UPDATE
), changed AS (
    UPDATE kg_api.jobs j SET priority = @priority FROM found f WHERE j.job_id = f.job_id AND j.status = 'approved'
    RETURNING j.job_type, j.due, j.queue, j.remote
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT c.job_type, c.queue, c.remote FROM changed c WHERE c.due) d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
)
SELECT f.job_id, f.priority, (SELECT count(*) FROM woken) AS lanes FROM found f;

-- name: JobsPurge :many
-- Deletes jobs; EventsDelete must follow. Those that run only by force; their workers
-- are asked to stop, and what they write after this finds no job.
WITH found AS MATERIALIZED (
    SELECT j.job_id, j.status FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND (j.status <> 'processing' OR @force::bool)
    ORDER BY j.job_id FOR UPDATE
), gone AS (
    DELETE FROM kg_api.jobs j USING found f WHERE j.job_id = f.job_id
    RETURNING j.job_id, j.status
), notified AS (
    SELECT pg_notify('kg_cancel', g.job_id) FROM gone g WHERE g.status = 'processing'
)
SELECT g.job_id, g.status, (SELECT count(*) FROM notified) AS notified FROM gone g;

-- name: EventsDelete :exec
-- Deletes the events of jobs, and what their runs left behind, that the transaction has deleted: a statement of its
-- own, so that it sees those that came while the first one waited for a job.
WITH logs AS (
    DELETE FROM kg_api.run_logs l WHERE l.job_id = ANY (@job_ids::text[])
), steps AS (
    DELETE FROM kg_api.run_steps s WHERE s.job_id = ANY (@job_ids::text[])
), dataclips AS (
    DELETE FROM kg_api.run_dataclips d WHERE d.job_id = ANY (@job_ids::text[])
)
DELETE FROM kg_api.job_events e WHERE e.job_id = ANY (@job_ids::text[]);

-- name: JobsCountSelected :one
-- How many jobs a bulk delete would take, how many it leaves because they run,
-- and the instant after which it takes none: what comes later stays.
SELECT count(*) FILTER (WHERE j.status <> 'processing') AS jobs, count(*) FILTER (WHERE j.status = 'processing') AS running,
    (statement_timestamp() - @older_than::interval)::timestamptz AS before
FROM kg_api.jobs j
WHERE (@status::text = '' OR j.status = @status) AND (@job_type::text = '' OR j.job_type = @job_type)
    AND (NOT @only_system::bool OR j.is_system) AND j.created_at <= statement_timestamp() - @older_than;

-- name: JobsSelected :many
-- The first jobs that a bulk delete would take, newest first.
SELECT j.job_id, j.job_type, j.status, j.ontology, j.created_at
FROM kg_api.jobs j
WHERE (@status::text = '' OR j.status = @status) AND (@job_type::text = '' OR j.job_type = @job_type)
    AND (NOT @only_system::bool OR j.is_system) AND j.created_at <= @before::timestamptz AND j.status <> 'processing'
ORDER BY j.created_at DESC, j.job_id DESC LIMIT @max_jobs;

-- name: JobsDeleteSelected :one
-- Deletes the next jobs after a key, oldest first, never one that runs;
-- EventsDelete must follow. Returns what is gone and the last key.
WITH part AS MATERIALIZED (
    SELECT j.job_id, j.created_at FROM kg_api.jobs j
    WHERE (j.created_at, j.job_id) > (@after_at::timestamptz, @after_id::text)
        AND (@status::text = '' OR j.status = @status) AND (@job_type::text = '' OR j.job_type = @job_type)
        AND (NOT @only_system::bool OR j.is_system) AND j.created_at <= @before::timestamptz AND j.status <> 'processing'
    ORDER BY j.created_at, j.job_id LIMIT @max_jobs
), idle AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id IN (SELECT p.job_id FROM part p) AND j.status <> 'processing' AND (@status = '' OR j.status = @status)
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM kg_api.jobs j USING idle i WHERE j.job_id = i.job_id
    RETURNING j.job_id
), final AS (
    SELECT p.created_at, p.job_id FROM part p ORDER BY p.created_at DESC, p.job_id DESC LIMIT 1
)
SELECT (SELECT coalesce(array_agg(g.job_id), '{}') FROM gone g)::text[] AS deleted, (SELECT count(*) FROM part) AS seen,
    coalesce((SELECT f.created_at FROM final f), @after_at)::timestamptz AS last_at,
    coalesce((SELECT f.job_id FROM final f), @after_id)::text AS last_id;

-- name: JobRetry :one
-- Submits the work of a failed or cancelled job again, as a new job with a
-- history of its own. What had been approved once is approved; the rest starts
-- where approval begins: with the analysis when that is missing. What was read of a
-- document before is not read again, unless from_start asks for it; of other jobs the
-- checkpoint is taken over with from_checkpoint. With data the new job has other data. With
-- gaps, a job that completed with chunks that could not be read is submitted again too. No row: the
-- job is in another status, or unknown, or the key was used already; see JobInsert.
WITH old AS MATERIALIZED (
    SELECT j.* FROM kg_api.jobs j WHERE j.job_id = @old_id
        AND (j.status IN ('failed', 'cancelled') OR @gaps::bool AND j.status = 'completed' AND j.result @> '{"completed_with_gaps": true}')
    FOR UPDATE
), once AS (
    INSERT INTO kg_api.submissions (user_id, key, fingerprint, job_id)
    SELECT @user_id, sqlc.narg(key)::text, sqlc.narg(fingerprint)::bytea, @new_id FROM old WHERE sqlc.narg(key)::text IS NOT NULL
    ON CONFLICT (user_id, key) DO NOTHING
    RETURNING submissions.job_id
), added AS (
    INSERT INTO kg_api.jobs (
        job_id, job_type, status, queue, priority, user_id, is_system, approved_at, approved_by, expires_at,
        max_retries, event_seq, data, ontology, content_hash, forced, processing_mode, filename,
        source_type, source_path, source_hostname, analysis, remote, deadline_ms, budget_usd, budget_tokens, retry_of, checkpoint, traceparent, retries_asked, identity)
    SELECT @new_id, o.job_type,
        CASE WHEN o.approved_at IS NOT NULL THEN 'approved'
            WHEN o.content_hash IS NOT NULL AND o.analysis IS NULL THEN 'pending' ELSE 'awaiting_approval' END,
        o.queue, o.priority, u.id, u.id = 1,
        CASE WHEN o.approved_at IS NOT NULL THEN clock_timestamp() END,
        CASE WHEN o.approved_at IS NOT NULL THEN u.username END,
        CASE WHEN o.approved_at IS NULL AND (o.content_hash IS NULL OR o.analysis IS NOT NULL)
            THEN clock_timestamp() + @approval_expires::interval END,
        o.max_retries, 1, CASE WHEN o.content_hash IS NULL THEN coalesce(sqlc.narg(data)::jsonb, o.data)
            WHEN @from_start::bool THEN o.data - 'reuse' ELSE o.data || '{"reuse": true}' END, o.ontology, o.content_hash, o.forced, o.processing_mode, o.filename,
        o.source_type, o.source_path, o.source_hostname, o.analysis, o.remote, o.deadline_ms, o.budget_usd, o.budget_tokens,
        o.job_id, CASE WHEN @from_checkpoint::bool AND o.content_hash IS NULL THEN o.checkpoint END, sqlc.narg(traceparent), o.retries_asked, o.identity
    FROM old o CROSS JOIN kg_api.users u
    WHERE u.id = @user_id AND (sqlc.narg(key)::text IS NULL OR EXISTS (SELECT 1 FROM once))
    RETURNING jobs.job_id, jobs.job_type, jobs.status, jobs.approved_by, jobs.queue, jobs.remote
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, 1, 'status', kg_api.status_event(a.status, NULL, a.approved_by, NULL, NULL)
    FROM added a
), woken AS (
    SELECT w.lane FROM added a CROSS JOIN LATERAL kg_api.wake_workers(a.job_type, a.queue, a.remote) AS w (lane)
    WHERE a.status = 'approved'
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM added a;
