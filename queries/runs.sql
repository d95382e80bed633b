-- name: RunConfirm :many
-- Confirms reservations of a worker. Those that are left out are another's by now, or
-- over. A confirmed one may be confirmed again. What a claim and its job must be is said
-- with what was given, so that the planner does not read the small indexes of what is
-- open and what runs: most entries there are dead. It goes to each row by its key.
WITH given AS MATERIALIZED (
    SELECT 'processing' AS held, true AS open,
        unnest(@tokens::bigint[]) AS claim_token, unnest(@workers::uuid[]) AS worker_id, unnest(@job_ids::text[]) AS job_id
)
UPDATE kg_api.run_claims c
SET confirmed_at = coalesce(c.confirmed_at, clock_timestamp())
FROM given a JOIN kg_api.jobs j ON j.job_id = a.job_id
WHERE c.claim_token = a.claim_token AND (c.worker_id, c.job_id, c.ended_at IS NULL) = (a.worker_id, a.job_id, a.open)
    AND (j.claim_token, j.claimed_by, j.status) = (a.claim_token, a.worker_id, a.held)
RETURNING c.job_id, c.claim_token, j.cancel_requested, coalesce(j.approved_at, c.created_at)::timestamptz AS approved_at, clock_timestamp()::timestamptz AS now;

-- name: RunFinish :many
-- Ends attempts of remote workers, as JobFinish does, and stores in the same
-- transaction that the worker's event is done: an event whose number is not the next
-- one changes nothing. A number of 0 is an end without one, as of a reservation that
-- expires; with reserved_only it leaves a confirmed claim alone. A job that was asked
-- to stop is cancelled, whatever its worker says. A retry that is one too many has
-- failed; so has a job that was released too often within an hour, of which each
-- further release counts. As for RunConfirm, each row is found by its key.
WITH ended AS MATERIALIZED (
    SELECT 'processing' AS held, true AS open, unnest(@job_ids::text[]) AS job_id, unnest(@tokens::bigint[]) AS claim_token, unnest(@workers::uuid[]) AS worker_id,
        unnest(@seqs::bigint[]) AS seq, unnest(@statuses::text[]) AS status, unnest(@results::text[]) AS result, unnest(@errors::text[]) AS error,
        unnest(@delays_ms::bigint[]) AS delay_ms, unnest(@counted::boolean[]) AS counted, unnest(@outcomes::text[]) AS outcome,
        unnest(@checkpoints::text[]) AS checkpoint, unnest(@reserved_only::boolean[]) AS reserved_only
), claims AS MATERIALIZED (
    SELECT e.*, CASE WHEN e.counted OR (e.outcome = 'released' AND e.seq > 0 AND (SELECT count(*) FROM kg_api.run_claims p
            WHERE p.job_id = e.job_id AND p.outcome = 'released' AND p.ended_at > clock_timestamp() - interval '1 hour') >= 5) THEN 1 ELSE 0 END AS counts
    FROM ended e JOIN kg_api.run_claims c ON c.claim_token = e.claim_token AND c.worker_id = e.worker_id AND c.job_id = e.job_id
    WHERE (c.ended_at IS NULL) = e.open AND (e.seq = 0 OR c.worker_seq = e.seq - 1) AND NOT (e.reserved_only AND c.confirmed_at IS NOT NULL)
    FOR UPDATE OF c
), decided AS MATERIALIZED (
    SELECT e.*, j.retries AS retries_before,
        greatest(extract(epoch FROM j.claimed_at - greatest(j.approved_at, j.created_at, j.run_at)), 0)::float8 AS waited,
        CASE WHEN j.cancel_requested THEN 'cancelled'
            WHEN e.status = 'approved' AND e.counts = 1 AND j.retries >= kg_api.retries_of(j.job_type, j.max_retries, j.retries_asked) THEN 'failed'
            ELSE e.status END AS becomes
    FROM claims e JOIN kg_api.jobs j ON j.job_id = e.job_id
    WHERE j.claim_token = e.claim_token AND j.claimed_by = e.worker_id AND j.status = e.held
    FOR UPDATE OF j
), done AS (
    UPDATE kg_api.jobs j
    SET status = e.becomes,
        completed_at = CASE WHEN e.becomes = 'approved' THEN NULL ELSE clock_timestamp() END,
        event_seq = j.event_seq + CASE WHEN e.becomes = 'approved' THEN 1 ELSE 2 END,
        end_seq = CASE WHEN e.becomes = 'approved' THEN NULL ELSE j.event_seq + 1 END,
        result = CASE WHEN e.result <> '' THEN e.result::jsonb ELSE j.result END,
        checkpoint = CASE WHEN e.checkpoint <> '' THEN e.checkpoint::jsonb ELSE j.checkpoint END,
        error = CASE WHEN e.becomes IN ('cancelled', 'completed') THEN NULL ELSE nullif(e.error, '') END,
        error_key = CASE WHEN e.becomes = 'failed' THEN kg_api.fold_error(e.error) END,
        run_at = CASE WHEN e.becomes = 'approved' THEN clock_timestamp() + e.delay_ms * interval '1 millisecond' ELSE j.run_at END,
        due = e.delay_ms <= 0 OR e.becomes <> 'approved',
        retries = j.retries + CASE WHEN e.becomes = 'approved' THEN e.counts ELSE 0 END,
        attempt = CASE WHEN e.becomes = 'approved' AND e.counts = 0 THEN j.attempt - 1 ELSE j.attempt END
    FROM decided e
    WHERE j.job_id = e.job_id AND j.status = e.held
    RETURNING j.job_id, j.job_type, j.queue, j.remote, j.status, j.event_seq, j.error, j.retries, j.due, j.claim_seq, j.claimed_by, j.claimed_at,
        j.parent_id, j.limited IS NOT NULL AS limited, e.claim_token, e.seq, e.retries_before, e.counts, e.waited, extract(epoch FROM clock_timestamp() - j.claimed_at)::float8 AS ran,
        j.identity, j.content_hash, j.ontology, j.filename, j.user_id, j.is_system,
        CASE WHEN e.becomes <> 'approved' THEN e.becomes WHEN e.outcome IN ('completed', 'failed', 'cancelled') THEN 'retried' ELSE e.outcome END AS outcome
), settled AS (
    UPDATE kg_api.run_claims c
    SET ended_at = clock_timestamp(), worker_seq = greatest(c.worker_seq, d.seq),
        outcome = CASE WHEN c.confirmed_at IS NULL AND d.seq = 0 AND d.outcome NOT IN ('expired', 'returned') THEN 'returned' ELSE d.outcome END
    FROM done d WHERE c.claim_token = d.claim_token
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
    SELECT d.job_id, d.claim_seq, 'status', kg_api.claim_told(d.claimed_by, d.retries_before), d.claimed_at
    FROM done d WHERE d.status = 'approved' AND d.claim_seq IS NOT NULL
    UNION ALL
    SELECT d.job_id, d.event_seq, 'status', kg_api.status_event(d.status, 'processing', NULL, d.error, d.retries), clock_timestamp()
    FROM done d WHERE d.status = 'approved'
), counted AS (
    INSERT INTO kg_api.job_changes (status, change)
    SELECT d.status, count(*) FROM done d WHERE d.status <> 'approved' GROUP BY d.status
), told AS ( -- see tell_of_job
    INSERT INTO kg_api.webhook_deliveries (webhook_id, event, subject, data)
    SELECT w.webhook_id, 'job.' || d.status, coalesce(d.identity::text, d.content_hash, d.job_id),
        kg_api.job_told(d.job_id, d.job_type, d.status, d.queue, d.ontology, d.content_hash, d.filename, d.error, d.retries, d.user_id, d.is_system)
    FROM kg_api.webhooks w JOIN done d ON kg_api.webhook_wants(w.enabled, w.events, w.ontologies, w.job_types, 'job.' || d.status, d.ontology, d.job_type)
    WHERE d.status <> 'approved'
), woken AS (
    SELECT w.lane
    FROM (SELECT DISTINCT d.job_type, d.queue, d.remote FROM done d WHERE d.status = 'approved' AND d.due) back
    CROSS JOIN LATERAL kg_api.wake_workers(back.job_type, back.queue, back.remote) AS w (lane)
), freed AS ( -- of limits: somebody else may wait for that
    SELECT w.lane FROM (SELECT 1 FROM done d WHERE d.limited LIMIT 1) f CROSS JOIN LATERAL kg_api.wake_limited(NULL) AS w (lane)
), parents AS (
    SELECT pg_notify('kg_remote', 'child ' || p.parent_id) FROM (SELECT DISTINCT d.parent_id FROM done d WHERE d.parent_id IS NOT NULL AND d.status <> 'approved') p
), notified AS (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(d.job_id || ':' || d.event_seq, ',')) AS lsn FROM done d
)
SELECT d.job_id, d.job_type, d.claim_token::bigint AS claim_token, d.status, d.outcome::text AS outcome, d.waited, d.ran::float8 AS ran,
    (SELECT count(*) FROM woken) + (SELECT count(*) FROM freed) + (SELECT count(*) FROM parents) + (SELECT count(t.lsn) FROM notified t) AS notified FROM done d;

-- name: RunState :one
-- What is known of a claim: which of the worker's events are stored, how it ended, and
-- whether it still holds its job.
SELECT c.worker_seq, (c.confirmed_at IS NOT NULL)::boolean AS confirmed, c.outcome,
    coalesce(j.status = 'processing' AND j.claim_token = c.claim_token AND j.claimed_by = c.worker_id, false)::boolean AS held,
    coalesce(j.cancel_requested, false) AS cancel_requested
FROM kg_api.run_claims c LEFT JOIN kg_api.jobs j ON j.job_id = c.job_id
WHERE c.claim_token = @claim_token AND c.job_id = @job_id AND c.worker_id = ANY (SELECT w.worker_id FROM kg_api.workers w
    WHERE w.identity = @identity::text);

-- name: RunSeq :execrows
-- Stores that a durable event of a run is done, if it is the next one.
UPDATE kg_api.run_claims c SET worker_seq = @seq, confirmed_at = coalesce(c.confirmed_at, clock_timestamp())
WHERE c.claim_token = @claim_token AND c.job_id = @job_id AND c.worker_id = @worker_id::uuid AND c.ended_at IS NULL AND c.worker_seq = sqlc.arg(seq)::bigint - 1;

-- name: RunLate :exec
-- Keeps what a worker said of an attempt that is not its own any more.
UPDATE kg_api.run_claims c SET late_reason = @reason WHERE c.claim_token = @claim_token AND c.late_reason IS NULL;

-- name: RunOverdue :one
-- Whether there is a reservation that nobody confirmed in time.
SELECT EXISTS (SELECT 1 FROM kg_api.run_claims c
    WHERE c.ended_at IS NULL AND c.confirmed_at IS NULL AND c.reserved_until < clock_timestamp());

-- name: RunExpired :many
-- Reservations that nobody confirmed in time, and how often that has happened to their
-- jobs within a day.
WITH old AS MATERIALIZED (
    SELECT c.claim_token, c.job_id, c.worker_id FROM kg_api.run_claims c
    WHERE c.ended_at IS NULL AND c.confirmed_at IS NULL AND c.reserved_until < clock_timestamp()
    ORDER BY c.reserved_until LIMIT @max_runs FOR UPDATE SKIP LOCKED
)
SELECT o.claim_token, o.job_id, o.worker_id, (SELECT count(*) FROM kg_api.run_claims p
    WHERE p.job_id = o.job_id AND p.outcome = 'expired' AND p.ended_at > clock_timestamp() - interval '24 hours') AS times
FROM old o;

-- name: RunUnheld :execrows
-- Ends the claims that hold no job any more: somebody else has taken it.
UPDATE kg_api.run_claims c SET ended_at = clock_timestamp(), outcome = 'fenced'
WHERE c.ended_at IS NULL AND c.created_at < clock_timestamp() - interval '1 second'
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = c.job_id AND j.claim_token = c.claim_token AND j.status = 'processing');

-- name: RunPurge :exec
-- Forgets claims that ended long ago. Their numbers are in the order of time, but for a
-- few that were given at once: so the first ones that are young are where it ends.
DELETE FROM kg_api.run_claims c
WHERE c.claim_token < coalesce((SELECT y.claim_token FROM kg_api.run_claims y WHERE y.created_at >= clock_timestamp() - interval '7 days' ORDER BY y.claim_token LIMIT 1), 9223372036854775807)
    AND c.ended_at IS NOT NULL AND c.created_at < clock_timestamp() - interval '7 days';

-- name: RunInput :one
-- What a run works on, while its claim is current.
SELECT j.data, j.checkpoint, coalesce(j.deadline_ms, kg_api.deadline_of(j.job_type), 1800000)::bigint AS deadline_ms FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker_id::uuid AND j.status = 'processing';

-- name: RunLogAdd :exec
-- Adds lines to the log of an attempt, until the next one begins: its last lines may
-- come after its end.
INSERT INTO kg_api.run_logs (job_id, claim_token, line, level, source, step_id, worker_time, message)
SELECT j.job_id, @claim_token::bigint, l.line, l.level, l.source, l.step_id, l.worker_time, l.message
FROM (SELECT unnest(@lines::int[]) AS line, unnest(@levels::text[]) AS level, unnest(@sources::text[]) AS source, unnest(@step_ids::text[]) AS step_id,
    unnest(@worker_times::text[]) AS worker_time, unnest(@messages::text[]) AS message) l
JOIN kg_api.jobs j ON j.job_id = @job_id AND j.claim_token = @claim_token
WHERE EXISTS (SELECT 1 FROM kg_api.run_claims c WHERE c.claim_token = @claim_token AND c.job_id = @job_id AND c.worker_id = @worker_id::uuid)
ON CONFLICT (job_id, claim_token, line) DO NOTHING;

-- name: RunLogLast :one
SELECT coalesce(max(l.line), 0)::int AS line FROM kg_api.run_logs l WHERE l.job_id = @job_id AND l.claim_token = @claim_token;

-- name: RunLogs :many
-- The log of a job, of all attempts, in order.
SELECT l.* FROM kg_api.run_logs l
WHERE l.job_id = @job_id AND (l.claim_token, l.line) > (@after_token::bigint, @after_line::int)
ORDER BY l.claim_token, l.line LIMIT @max_lines;

-- name: RunSteps :many
SELECT s.* FROM kg_api.run_steps s WHERE s.job_id = @job_id ORDER BY s.claim_token, s.position, s.step_id;

-- name: RunStepStart :execrows
-- Stores that a step has begun, while the claim is current. A step that is known stays
-- as it is.
INSERT INTO kg_api.run_steps (job_id, claim_token, step_id, position, plan_job, input_dataclip_id)
SELECT j.job_id, @claim_token::bigint, @step_id, (SELECT count(*) FROM kg_api.run_steps s WHERE s.job_id = j.job_id AND s.claim_token = @claim_token) + 1,
    @plan_job, @input_dataclip_id
FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token AND j.claimed_by = @worker_id::uuid AND j.status = 'processing'
ON CONFLICT (job_id, claim_token, step_id) DO NOTHING;

-- name: RunStepOpen :one
-- The step of a part of the plan that has not ended.
SELECT s.step_id FROM kg_api.run_steps s
WHERE s.job_id = @job_id AND s.claim_token = @claim_token AND s.plan_job = @plan_job AND s.ended_at IS NULL
ORDER BY s.position DESC LIMIT 1;

-- name: RunStepComplete :execrows
-- Stores that a step has ended, once; it need not have begun. While the claim is
-- current.
INSERT INTO kg_api.run_steps (job_id, claim_token, step_id, position, plan_job, reason, error_type, error_message, output_dataclip_id, ended_at)
SELECT j.job_id, @claim_token::bigint, @step_id, (SELECT count(*) FROM kg_api.run_steps s WHERE s.job_id = j.job_id AND s.claim_token = @claim_token) + 1,
    @plan_job, @reason, @error_type, @error_message, @output_dataclip_id, clock_timestamp()
FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token AND j.claimed_by = @worker_id::uuid AND j.status = 'processing'
ON CONFLICT (job_id, claim_token, step_id) DO UPDATE
SET reason = excluded.reason, error_type = excluded.error_type, error_message = excluded.error_message,
    output_dataclip_id = excluded.output_dataclip_id, ended_at = excluded.ended_at
WHERE run_steps.ended_at IS NULL;

-- name: RunDataclipAdd :exec
-- Stores what a step has put out, once, while the claim is current.
INSERT INTO kg_api.run_dataclips (job_id, claim_token, dataclip_id, is_json, body)
SELECT j.job_id, @claim_token::bigint, @dataclip_id, @is_json, @body FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token AND j.claimed_by = @worker_id::uuid AND j.status = 'processing'
ON CONFLICT (job_id, claim_token, dataclip_id) DO NOTHING;

-- name: RunDataclip :one
SELECT d.body, d.is_json FROM kg_api.run_dataclips d
WHERE d.job_id = @job_id AND d.dataclip_id = @dataclip_id ORDER BY d.claim_token DESC LIMIT 1;

-- name: SecretByName :one
SELECT s.value FROM kg_api.secrets s WHERE s.name = @name;

-- name: RunOrphans :many
-- Jobs that were made for a part of a job that has ended otherwise than as planned, or
-- is gone: nobody wants what they find.
SELECT c.job_id FROM kg_api.jobs c LEFT JOIN kg_api.jobs p ON p.job_id = c.parent_id
WHERE c.parent_id IS NOT NULL AND c.status IN ('awaiting_approval', 'approved', 'processing') AND NOT c.cancel_requested
    AND (p.job_id IS NULL OR p.status IN ('completed', 'failed', 'cancelled'))
LIMIT @max_jobs;
