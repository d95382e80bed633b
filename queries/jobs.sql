-- name: JobInsert :one
-- Stores a new job with its first event. A job that starts as approved wakes
-- the lanes that claim its type, in the same transaction.
WITH added AS (
    INSERT INTO kg_api.jobs (
        job_id, job_type, status, queue, priority, user_id, is_system, run_at, due, approved_at, approved_by, expires_at,
        max_retries, event_seq, data, ontology, content_hash, forced, processing_mode, filename,
        source_type, source_path, source_hostname)
    SELECT @job_id, @job_type, @status, @queue, @priority, @user_id, @is_system,
        r.at, r.at <= clock_timestamp(),
        CASE WHEN @status::text = 'approved' THEN clock_timestamp() END,
        sqlc.narg(approved_by),
        CASE WHEN @status::text = 'awaiting_approval' THEN clock_timestamp() + @approval_expires::interval END,
        @max_retries, 1, sqlc.narg(data), sqlc.narg(ontology), sqlc.narg(content_hash), @forced,
        sqlc.narg(processing_mode), sqlc.narg(filename),
        sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname)
    FROM (SELECT coalesce(sqlc.narg(run_at)::timestamptz, clock_timestamp()) AS at) r
    RETURNING jobs.job_id, jobs.job_type, jobs.status, jobs.approved_by, jobs.due
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, 1, 'status', jsonb_strip_nulls(jsonb_build_object('status', a.status, 'approved_by', a.approved_by))
    FROM added a
), woken AS (
    SELECT pg_notify('kg_lanes', l.name)
    FROM added a JOIN kg_api.worker_lanes l ON a.job_type = ANY (l.job_types) AND l.enabled
    WHERE a.status = 'approved' AND a.due
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM added a;

-- name: JobByID :one
SELECT sqlc.embed(j), u.username,
    coalesce(CASE WHEN j.status = 'approved' AND j.due THEN (
        SELECT count(*) FROM (
            SELECT 1 FROM kg_api.jobs o
            WHERE o.status = 'approved' AND o.due AND o.job_type = j.job_type
                AND (o.priority > j.priority OR (o.priority = j.priority AND (o.created_at, o.job_id) <= (j.created_at, j.job_id)))
            LIMIT 10000) ahead)
    END, 0)::int AS queue_position
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id
WHERE j.job_id = @job_id;

-- name: JobsByIDs :many
SELECT sqlc.embed(j), u.username
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id
WHERE j.job_id = ANY (@job_ids::text[]);

-- name: JobList :many
-- Newest first. Empty strings filter nothing. What runs is not in the index of
-- the list, and is sorted in.
WITH owner AS MATERIALIZED (
    SELECT u.id FROM kg_api.users u WHERE lower(u.username) = lower(@username::text) OR u.id::text = @username
), listed AS (
    SELECT j.job_id, j.created_at FROM kg_api.jobs j
    WHERE j.status <> 'processing' AND @status::text <> 'processing' AND (@status::text = '' OR j.status = @status)
        AND (@ontology::text = '' OR j.ontology = @ontology) AND (@job_type::text = '' OR j.job_type = @job_type)
        AND (@username::text = '' OR j.user_id IN (SELECT o.id FROM owner o))
    ORDER BY j.created_at DESC, j.job_id DESC LIMIT sqlc.arg(max_jobs)::bigint + sqlc.arg(skip)::bigint
), chosen AS (
    SELECT l.job_id, l.created_at FROM listed l
    UNION ALL
    SELECT r.job_id, r.created_at FROM kg_api.jobs r
    WHERE r.status = 'processing' AND @status::text IN ('', 'processing')
        AND (@ontology::text = '' OR r.ontology = @ontology) AND (@job_type::text = '' OR r.job_type = @job_type)
        AND (@username::text = '' OR r.user_id IN (SELECT o.id FROM owner o))
)
SELECT sqlc.embed(j), u.username
FROM (SELECT c.job_id FROM chosen c ORDER BY c.created_at DESC, c.job_id DESC LIMIT sqlc.arg(max_jobs) OFFSET sqlc.arg(skip)) page
JOIN kg_api.jobs j ON j.job_id = page.job_id JOIN kg_api.users u ON u.id = j.user_id
ORDER BY j.created_at DESC, j.job_id DESC;

-- name: JobCounts :many
SELECT j.status, count(*) AS jobs FROM kg_api.jobs j GROUP BY j.status;

-- name: JobOpenCounts :many
-- The counts of what is not over, from the partial indexes.
SELECT 'pending' AS status, count(*) AS jobs FROM kg_api.jobs j WHERE j.status = 'pending'
UNION ALL SELECT 'awaiting_approval', count(*) FROM kg_api.jobs j WHERE j.status = 'awaiting_approval'
UNION ALL SELECT 'approved', count(*) FROM kg_api.jobs j WHERE j.status = 'approved'
UNION ALL SELECT 'processing', count(*) FROM kg_api.jobs j WHERE j.status = 'processing';

-- name: JobApprove :one
-- Approves a job that waits for it, and wakes the lanes that claim its type:
-- one statement, one transaction. No row: the job is not awaiting approval.
WITH approved AS (
    UPDATE kg_api.jobs j
    SET status = 'approved', approved_at = clock_timestamp(), approved_by = @approved_by::text, expires_at = NULL,
        due = j.run_at <= clock_timestamp(), event_seq = j.event_seq + 1
    WHERE j.job_id = @job_id AND j.status = 'awaiting_approval'
    RETURNING j.job_id, j.job_type, j.event_seq, j.approved_by, j.due
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, a.event_seq, 'status',
        jsonb_build_object('status', 'approved', 'previous', 'awaiting_approval', 'approved_by', a.approved_by)
    FROM approved a
), woken AS (
    SELECT pg_notify('kg_lanes', l.name)
    FROM approved a JOIN kg_api.worker_lanes l ON a.job_type = ANY (l.job_types) AND l.enabled
    WHERE a.due
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM approved a;

-- name: JobCancel :one
-- Cancels a job that no worker has, and asks the worker of a running one to
-- stop. No row: the job is over, or unknown. What was found counts, for it is
-- locked: the statement's snapshot may show an older status, from before the
-- wait for the lock, and a comparison with it would change nothing.
WITH found AS MATERIALIZED (
    SELECT j.job_id, j.status AS previous, j.cancel_requested FROM kg_api.jobs j
    WHERE j.job_id = @job_id AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
    FOR UPDATE
), cancelled AS (
    UPDATE kg_api.jobs j
    SET status = 'cancelled', completed_at = clock_timestamp(), expires_at = NULL, cancel_requested = true, event_seq = j.event_seq + 2,
        error = sqlc.narg(reason)::text
    FROM found f
    WHERE j.job_id = f.job_id AND f.previous <> 'processing'
    RETURNING j.job_id, j.event_seq, f.previous, j.error
), asked AS (
    UPDATE kg_api.jobs j
    SET cancel_requested = true
    FROM found f
    WHERE j.job_id = f.job_id AND f.previous = 'processing'
    RETURNING j.job_id
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT c.job_id, c.event_seq - 1, 'status',
        jsonb_strip_nulls(jsonb_build_object('status', 'cancelled', 'previous', c.previous, 'error', c.error))
    FROM cancelled c
    UNION ALL
    SELECT c.job_id, c.event_seq, 'cancelled', jsonb_build_object('message', coalesce(c.error, 'Job was cancelled'))
    FROM cancelled c
), told AS (
    SELECT pg_notify('kg_cancel', a.job_id) FROM asked a
)
SELECT f.job_id, (SELECT count(*) FROM cancelled) AS cancelled, (SELECT count(*) FROM told) AS asked FROM found f;

-- name: JobDue :many
-- Makes approved jobs due whose time has come. Returns their types.
UPDATE kg_api.jobs j
SET due = true
FROM (SELECT o.job_id FROM kg_api.jobs o
    WHERE o.status = 'approved' AND NOT o.due AND o.run_at <= clock_timestamp()
    ORDER BY o.run_at LIMIT 1000 FOR UPDATE SKIP LOCKED) ready
WHERE j.job_id = ready.job_id AND j.status = 'approved'
RETURNING j.job_type;

-- name: JobNextRun :one
-- When the next approved job becomes due; no row when none waits.
SELECT (extract(epoch FROM j.run_at - clock_timestamp()) * 1000)::bigint AS wait_ms
FROM kg_api.jobs j
WHERE j.status = 'approved' AND NOT j.due
ORDER BY j.run_at LIMIT 1;

-- name: JobExpired :many
-- Jobs that nobody approved in time.
SELECT j.job_id FROM kg_api.jobs j
WHERE j.status = 'awaiting_approval' AND j.expires_at <= clock_timestamp()
ORDER BY j.expires_at LIMIT 1000;
