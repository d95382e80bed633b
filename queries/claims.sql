-- name: LaneLock :exec
-- Locks a lane until the transaction ends, so that its slots are counted by one
-- claimer at a time, and nobody changes its settings meanwhile. A statement of its
-- own, in the transaction of the claim: the next one then sees what the last holder
-- wrote. The lane's row is not locked: that would be a write, and a commit to wait
-- for, of each claim that finds nothing; and a transaction that somebody leaves open
-- after a change of the row would stop the lane. The setting is for the claim, whose
-- plan is the same for all arguments: PostgreSQL would plan the first claims of each
-- connection one by one, under the lock. Where there are limits, the claim takes their lock too.
SELECT pg_advisory_xact_lock(100000003, hashtext(@name::text)), set_config('plan_cache_mode', 'force_generic_plan', true),
    CASE WHEN EXISTS (SELECT 1 FROM kg_api.limits) THEN kg_api.lock_limits((SELECT l.job_types FROM kg_api.worker_lanes l WHERE l.name = @name)) END;

-- name: RemoteClaimLock :exec
-- LaneLock for a claim of remote workers, which wait for each other only where jobs of their
-- types are limited.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true),
    CASE WHEN EXISTS (SELECT 1 FROM kg_api.limits) THEN kg_api.lock_limits(@job_types::text[]) END;

-- name: PlanOnce :exec
-- Has the statements that follow in the transaction planned once for each connection,
-- for any arguments. PostgreSQL would plan the first ones for their arguments, and all
-- of them if these happened to be cheap; that takes longer than they do.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: JobCheckpoint :one
-- Stores a handler's state and progress, and a progress event when emit is set,
-- only while the claim is current. No row: stale. It returns the event, so that this
-- server need not read it: as it is stored, which is how everybody else gets it.
WITH saved AS (
    UPDATE kg_api.jobs j
    SET checkpoint = coalesce(sqlc.narg(state)::jsonb, j.checkpoint), progress = @progress::jsonb, progress_at = clock_timestamp(),
        event_seq = j.event_seq + @emit::int
    WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
    RETURNING j.job_id, j.event_seq, j.cancel_requested
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT s.job_id, s.event_seq, 'progress', @progress::jsonb FROM saved s WHERE @emit = 1
    RETURNING job_events.payload, job_events.at
)
SELECT s.event_seq, s.cancel_requested, l.payload, l.at FROM saved s LEFT JOIN logged l ON true;

-- name: JobFinish :many
-- Ends attempts, many in one statement, each only while its claim is current.
-- A job that was asked to stop ends as cancelled, whatever its handler says:
-- an acknowledged cancel is never overtaken by a completion or a retry. Its
-- last events have no rows, see job_history; a message in the log informs who
-- reads that. A job that goes back to approved, or pauses and awaits approval, gets rows for its claim, whose
-- place in the job's row the next claim takes, and for going back; it waits
-- delay_ms, and wakes its lanes if it need not wait; a suspect too, for it ran,
-- so no other one does, see JobDue. Returns the jobs that changed. The status is
-- compared with a column, so that the planner goes to each job by its id: it would
-- read all that is processing, once for each outcome. What has ended is counted, see job_changes,
-- and webhooks are told of it.
WITH ended AS MATERIALIZED (
    SELECT 'processing' AS held, unnest(@job_ids::text[]) AS job_id, unnest(@tokens::bigint[]) AS claim_token, unnest(@statuses::text[]) AS status,
        unnest(@results::text[]) AS result, unnest(@errors::text[]) AS error,
        unnest(@delays_ms::bigint[]) AS delay_ms, unnest(@retries::int[]) AS retries
), done AS (
    UPDATE kg_api.jobs j
    SET status = CASE WHEN j.cancel_requested AND e.status IN ('approved', 'awaiting_approval', 'completed') THEN 'cancelled' ELSE e.status END,
        completed_at = CASE WHEN e.status IN ('approved', 'awaiting_approval') AND NOT j.cancel_requested THEN NULL ELSE clock_timestamp() END,
        event_seq = j.event_seq + CASE WHEN e.status IN ('approved', 'awaiting_approval') AND NOT j.cancel_requested THEN 1 ELSE 2 END,
        end_seq = CASE WHEN e.status IN ('approved', 'awaiting_approval') AND NOT j.cancel_requested THEN NULL ELSE j.event_seq + 1 END,
        result = CASE WHEN e.result <> '' THEN e.result::jsonb ELSE j.result END,
        error = CASE WHEN j.cancel_requested AND e.status <> 'failed' THEN NULL ELSE nullif(e.error, '') END,
        error_key = CASE WHEN e.status = 'failed' THEN kg_api.fold_error(e.error) END,
        run_at = CASE WHEN e.status = 'approved' THEN clock_timestamp() + e.delay_ms * interval '1 millisecond' ELSE j.run_at END,
        due = e.delay_ms <= 0 OR e.status <> 'approved',
        retries = j.retries + CASE WHEN j.cancel_requested THEN 0 ELSE e.retries END,
        attempt = CASE WHEN e.status IN ('approved', 'awaiting_approval') AND e.retries = 0 AND NOT j.cancel_requested THEN j.attempt - 1 ELSE j.attempt END
    FROM ended e
    WHERE j.job_id = e.job_id AND j.claim_token = e.claim_token AND j.claimed_by = @worker::uuid AND j.status = e.held
    RETURNING j.job_id, j.job_type, j.queue, j.remote, j.status, j.event_seq, j.error, j.retries, j.due, j.claim_seq, j.claimed_by, j.claimed_at, e.retries AS counted,
        j.lane, j.limited IS NOT NULL AS limited, j.identity, j.content_hash, j.ontology, j.filename, j.user_id, j.is_system
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
    SELECT d.job_id, d.claim_seq, 'status', kg_api.claim_told(d.claimed_by, d.retries - d.counted), d.claimed_at
    FROM done d WHERE d.status IN ('approved', 'awaiting_approval') AND d.claim_seq IS NOT NULL
    UNION ALL
    SELECT d.job_id, d.event_seq, 'status', kg_api.status_event(d.status, 'processing', NULL, d.error, d.retries), clock_timestamp()
    FROM done d WHERE d.status IN ('approved', 'awaiting_approval')
), counted AS (
    INSERT INTO kg_api.job_changes (status, change)
    SELECT d.status, count(*) FROM done d WHERE d.status IN ('completed', 'failed', 'cancelled') GROUP BY d.status
), told AS ( -- see tell_of_job
    INSERT INTO kg_api.webhook_deliveries (webhook_id, event, subject, data)
    SELECT w.webhook_id, 'job.' || d.status, coalesce(d.identity::text, d.content_hash, d.job_id),
        kg_api.job_told(d.job_id, d.job_type, d.status, d.queue, d.ontology, d.content_hash, d.filename, d.error, d.retries, d.user_id, d.is_system)
    FROM kg_api.webhooks w JOIN done d ON kg_api.webhook_wants(w.enabled, w.events, w.ontologies, w.job_types, 'job.' || d.status, d.ontology, d.job_type)
    WHERE d.status IN ('completed', 'failed', 'cancelled')
), woken AS (
    SELECT w.lane
    FROM (SELECT DISTINCT d.job_type, d.queue, d.remote FROM done d WHERE d.status = 'approved' AND d.due) back
    CROSS JOIN LATERAL kg_api.wake_workers(back.job_type, back.queue, back.remote) AS w (lane)
), freed AS ( -- of limits: somebody else may wait for that
    SELECT w.lane FROM (SELECT DISTINCT d.lane FROM done d WHERE d.limited) f CROSS JOIN LATERAL kg_api.wake_limited(f.lane) AS w (lane)
), notified AS (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(d.job_id || ':' || d.event_seq, ',')) AS lsn FROM done d
)
SELECT d.job_id, d.status, (SELECT count(*) FROM woken) + (SELECT count(*) FROM freed) + (SELECT count(t.lsn) FROM notified t) AS notified FROM done d;

-- name: JobsLocked :many
-- Those of the jobs whose rows somebody has locked. It waits for nobody.
WITH free AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j WHERE j.job_id = ANY (sqlc.arg(job_ids)::text[]) FOR NO KEY UPDATE SKIP LOCKED
)
SELECT k.job_id FROM kg_api.jobs k
WHERE k.job_id = ANY (sqlc.arg(job_ids)::text[]) AND NOT EXISTS (SELECT 1 FROM free f WHERE f.job_id = k.job_id);

-- name: JobRescue :many
-- Takes the jobs of workers who are dead, see WorkerReap: back to approved, counted
-- as a crash; quarantined as failed after too many crashes within the window; or
-- cancelled when that was asked for. Only under the leader's term. What is locked
-- must still be the claim that was found: another rescue may have been quicker,
-- and a live worker hold the job by now, whom the search did not see.
--
-- A suspect is a job that its next crash would quarantine. Where a worker held
-- one, only that is counted, for it is the likeliest to have killed the worker,
-- also when it was asked to stop: what ran beside it goes back with its attempt.
-- So a poison job takes no other with it. Who held what must be seen whole, for
-- whoever is judged after the suspect was taken would be counted, and whoever is
-- judged before might be spared for a suspect that then completes. So a batch is
-- whole workers, which may be somewhat more than max_jobs; and of a worker with a
-- suspect all jobs are locked and as they were found, or all are left for the
-- next sweep: a cancel, a late completion or another rescue does not take long. A
-- job that becomes a suspect is not due, see JobDue.
WITH leads AS MATERIALIZED (
    SELECT 1 FROM kg_api.leader t WHERE t.term = @term::bigint FOR SHARE
), found AS MATERIALIZED (
    SELECT j.job_id, j.claim_token, j.claimed_by,
        CASE WHEN j.crash_since > statement_timestamp() - @crash_window::interval THEN j.crash_count + 1 ELSE 1 END AS crashes
    FROM kg_api.jobs j LEFT JOIN kg_api.workers w ON w.worker_id = j.claimed_by
    WHERE j.status = 'processing' AND EXISTS (SELECT 1 FROM leads)
        AND (w.worker_id IS NULL OR w.state <> 'live')
), held AS MATERIALIZED (
    SELECT f.job_id, f.claim_token, f.claimed_by, f.crashes, rank() OVER (ORDER BY f.claimed_by) AS place,
        count(*) OVER (PARTITION BY f.claimed_by) AS jobs, max(f.crashes) OVER (PARTITION BY f.claimed_by) >= @quarantine::int AS has_suspect
    FROM found f
), locked AS MATERIALIZED (
    SELECT j.job_id, h.claimed_by, h.crashes, h.jobs, h.has_suspect
    FROM held h JOIN kg_api.jobs j ON j.job_id = h.job_id
    WHERE h.place <= @max_jobs::int AND j.status = 'processing' AND j.claim_token = h.claim_token AND j.claimed_by = h.claimed_by
    FOR UPDATE OF j SKIP LOCKED
), counted AS MATERIALIZED (
    SELECT l.job_id, CASE WHEN l.has_suspect AND l.crashes < @quarantine THEN 0 ELSE l.crashes END AS crashes, -- 0: not counted
        NOT l.has_suspect OR count(*) OVER (PARTITION BY l.claimed_by) = l.jobs AS whole
    FROM locked l
), lost AS MATERIALIZED (
    SELECT c.job_id, c.crashes FROM counted c WHERE c.whole
), taken AS (
    UPDATE kg_api.jobs j
    SET status = CASE WHEN j.cancel_requested THEN 'cancelled' WHEN l.crashes >= @quarantine THEN 'failed' ELSE 'approved' END,
        completed_at = CASE WHEN j.cancel_requested OR l.crashes >= @quarantine THEN clock_timestamp() END,
        event_seq = j.event_seq + CASE WHEN j.cancel_requested OR l.crashes >= @quarantine THEN 2 ELSE 1 END,
        error = CASE WHEN j.cancel_requested THEN NULL
            WHEN l.crashes >= @quarantine THEN 'Quarantined: its worker died ' || l.crashes || ' times while working on it'
            WHEN l.crashes = sqlc.arg(quarantine)::int - 1 THEN 'worker lost, ' || l.crashes || ' times now: a suspect, which waits until no other one runs'
            WHEN l.crashes = 0 THEN 'worker lost beside a suspect: not counted' END,
        error_key = CASE WHEN l.crashes >= @quarantine AND NOT j.cancel_requested
            THEN kg_api.fold_error('Quarantined: its worker died ' || l.crashes || ' times while working on it') END,
        crash_count = CASE WHEN l.crashes = 0 THEN j.crash_count ELSE l.crashes END,
        crash_since = CASE WHEN l.crashes = 1 THEN clock_timestamp() ELSE j.crash_since END,
        attempt = j.attempt - CASE WHEN l.crashes = 0 AND NOT j.cancel_requested THEN 1 ELSE 0 END,
        run_at = clock_timestamp(), due = j.cancel_requested OR l.crashes <> sqlc.arg(quarantine)::int - 1
    FROM lost l
    WHERE j.job_id = l.job_id AND j.status = 'processing'
    RETURNING j.job_id, j.job_type, j.queue, j.remote, j.status, j.event_seq, j.error, j.due, j.crash_count, j.retries, j.claim_seq, j.claimed_by, j.claimed_at
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
    SELECT t.job_id, t.claim_seq, 'status', kg_api.claim_told(t.claimed_by, t.retries), t.claimed_at
    FROM taken t WHERE t.claim_seq IS NOT NULL
    UNION ALL
    SELECT t.job_id, t.event_seq - CASE WHEN t.status = 'approved' THEN 0 ELSE 1 END, 'status',
        kg_api.status_event(t.status, 'processing', NULL, coalesce(t.error, 'worker lost'), NULL), clock_timestamp()
    FROM taken t
    UNION ALL
    SELECT t.job_id, t.event_seq, t.status, kg_api.end_event(t.status, NULL, t.error), clock_timestamp()
    FROM taken t WHERE t.status <> 'approved'
), woken AS (
    SELECT w.lane
    FROM (SELECT DISTINCT t.job_type, t.queue, t.remote FROM taken t WHERE t.status = 'approved' AND t.due) back
    CROSS JOIN LATERAL kg_api.wake_workers(back.job_type, back.queue, back.remote) AS w (lane)
)
SELECT t.job_id, t.status, (SELECT count(*) FROM woken) AS lanes FROM taken t;

-- name: JobStale :many
-- Takes jobs that report no progress within their lane's stale timeout: back to
-- approved as a retry, or failed when the retries are used up. The token of the
-- stuck attempt is void from here on. A job of a remote worker is not asked for
-- progress; it has a deadline, and a minute to end by itself. So has a job of a type with a
-- deadline, which its server has not ended. Only under the leader's term. A suspect is
-- due at once: it ran, so no other one does; see JobDue. A job whose lane is gone
-- has the longest time that a lane may give.
WITH leads AS MATERIALIZED (
    SELECT 1 FROM kg_api.leader t WHERE t.term = @term::bigint FOR SHARE
), stuck AS MATERIALIZED (
    SELECT j.job_id, j.retries, kg_api.retries_of(j.job_type, j.max_retries, j.retries_asked) AS allowed, late.passed AS late
    FROM kg_api.jobs j LEFT JOIN kg_api.worker_lanes l ON l.name = j.lane
    CROSS JOIN LATERAL (SELECT coalesce(j.claimed_at < clock_timestamp() - interval '1 minute' - interval '1 millisecond' * coalesce(
        CASE WHEN j.remote THEN j.deadline_ms END, kg_api.deadline_of(j.job_type), CASE WHEN j.remote THEN 1800000 END), false) AS passed) late
    WHERE j.status = 'processing' AND EXISTS (SELECT 1 FROM leads)
        AND (late.passed OR NOT j.remote AND j.progress_at < clock_timestamp() - coalesce(l.stale_timeout_minutes, 1440) * interval '1 minute')
    ORDER BY j.job_id LIMIT @max_jobs FOR UPDATE OF j SKIP LOCKED
), taken AS (
    UPDATE kg_api.jobs j
    SET status = CASE WHEN j.cancel_requested THEN 'cancelled' WHEN j.retries >= s.allowed THEN 'failed' ELSE 'approved' END,
        completed_at = CASE WHEN j.cancel_requested OR j.retries >= s.allowed THEN clock_timestamp() END,
        event_seq = j.event_seq + CASE WHEN j.cancel_requested OR j.retries >= s.allowed THEN 2 ELSE 1 END,
        error = CASE WHEN NOT j.cancel_requested AND j.retries >= s.allowed THEN CASE WHEN s.late THEN 'Exceeded max retries: an attempt ran longer than its deadline' ELSE 'Exceeded max retries after stale timeouts' END END,
        error_key = CASE WHEN NOT j.cancel_requested AND j.retries >= s.allowed THEN kg_api.fold_error(CASE WHEN s.late THEN 'Exceeded max retries: an attempt ran longer than its deadline' ELSE 'Exceeded max retries after stale timeouts' END) END,
        retries = least(j.retries + 1, s.allowed),
        run_at = clock_timestamp(), due = true
    FROM stuck s
    WHERE j.job_id = s.job_id AND j.status = 'processing'
    RETURNING j.job_id, j.job_type, j.status, j.event_seq, j.error, j.claim_seq, j.claimed_by, j.claimed_at, s.retries AS retries_before, s.late
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
    SELECT t.job_id, t.claim_seq, 'status', kg_api.claim_told(t.claimed_by, t.retries_before), t.claimed_at
    FROM taken t WHERE t.claim_seq IS NOT NULL
    UNION ALL
    SELECT t.job_id, t.event_seq - CASE WHEN t.status = 'approved' THEN 0 ELSE 1 END, 'status',
        kg_api.status_event(t.status, 'processing', NULL, coalesce(t.error, CASE WHEN t.late THEN 'the attempt ran longer than its deadline' ELSE 'no progress within the stale timeout' END), NULL), clock_timestamp()
    FROM taken t
    UNION ALL
    SELECT t.job_id, t.event_seq, t.status, kg_api.end_event(t.status, NULL, t.error), clock_timestamp()
    FROM taken t WHERE t.status <> 'approved'
), notified AS (
    SELECT pg_notify('kg_cancel', t.job_id) FROM taken t
)
SELECT t.job_id, t.status, (SELECT count(*) FROM notified) AS notified FROM taken t;
