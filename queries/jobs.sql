-- name: JobInsert :one
-- Stores a new job with its first event. A job that starts as approved wakes
-- the lanes that claim its type, in the same transaction. With a key that was used
-- already it stores nothing: no row. Of two at once one waits for the other.
WITH once AS (
    INSERT INTO kg_api.submissions (user_id, key, fingerprint, job_id)
    SELECT @user_id, sqlc.narg(key)::text, sqlc.narg(fingerprint)::bytea, @job_id WHERE sqlc.narg(key)::text IS NOT NULL
    ON CONFLICT (user_id, key) DO NOTHING
    RETURNING submissions.job_id
), added AS (
    INSERT INTO kg_api.jobs (
        job_id, job_type, status, queue, priority, user_id, is_system, run_at, due, approved_at, approved_by, expires_at,
        max_retries, event_seq, data, ontology, content_hash, forced, processing_mode, filename,
        source_type, source_path, source_hostname, remote, deadline_ms, parent_id, budget_usd, budget_tokens, traceparent, retries_asked, identity)
    SELECT @job_id, @job_type, @status, @queue, @priority, @user_id, @is_system,
        r.at, r.at <= clock_timestamp(),
        CASE WHEN @status::text = 'approved' THEN clock_timestamp() END,
        sqlc.narg(approved_by),
        CASE WHEN @status::text = 'awaiting_approval' THEN clock_timestamp() + @approval_expires::interval END,
        @max_retries, 1, sqlc.narg(data), sqlc.narg(ontology), sqlc.narg(content_hash), @forced,
        sqlc.narg(processing_mode), sqlc.narg(filename),
        sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname), @remote, sqlc.narg(deadline_ms), sqlc.narg(parent_id),
        sqlc.narg(budget_usd), sqlc.narg(budget_tokens), sqlc.narg(traceparent), @retries_asked,
        CASE WHEN @versioned::bool THEN kg_api.document_identity(false, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname)) END
    FROM (SELECT coalesce(sqlc.narg(run_at)::timestamptz, clock_timestamp()) AS at) r
    WHERE sqlc.narg(key)::text IS NULL OR EXISTS (SELECT 1 FROM once)
    RETURNING jobs.job_id, jobs.job_type, jobs.status, jobs.approved_by, jobs.due, jobs.queue, jobs.remote
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, 1, 'status', kg_api.status_event(a.status, NULL, a.approved_by, NULL, NULL)
    FROM added a
), woken AS (
    SELECT w.lane FROM added a CROSS JOIN LATERAL kg_api.wake_workers(a.job_type, a.queue, a.remote) AS w (lane)
    WHERE a.status = 'approved' AND a.due
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM added a;

-- name: SubmissionByKey :one
SELECT s.job_id, s.fingerprint, s.status, s.answer FROM kg_api.submissions s WHERE s.user_id = @user_id AND s.key = @key;

-- name: SubmissionBegin :execrows
-- Records that a request which makes no job is carried out, in the transaction that does
-- so: of two at once one waits for the other, and then changes no row.
INSERT INTO kg_api.submissions (user_id, key, fingerprint, job_id, request_id)
VALUES (@user_id, @key, @fingerprint, '', @request_id::text)
ON CONFLICT (user_id, key) DO UPDATE SET request_id = excluded.request_id
WHERE submissions.request_id = excluded.request_id;

-- name: SubmissionAnswered :exec
-- Keeps the answer to a request, the first one that there is.
INSERT INTO kg_api.submissions (user_id, key, fingerprint, job_id, request_id, status, answer)
VALUES (@user_id, @key, @fingerprint, '', @request_id::text, @status::smallint, @answer::bytea)
ON CONFLICT (user_id, key) DO UPDATE SET status = excluded.status, answer = excluded.answer
WHERE submissions.status IS NULL AND submissions.fingerprint = excluded.fingerprint;

-- name: SubmissionPurge :exec
-- The keys of jobs that another one made stay as long as that one is not over: a key that is
-- forgotten would have a part of its work done, and charged, again.
DELETE FROM kg_api.submissions s WHERE s.created_at < clock_timestamp() - @keep::interval
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs c JOIN kg_api.jobs p ON p.job_id = c.parent_id
        WHERE c.job_id = s.job_id AND p.status NOT IN ('completed', 'failed', 'cancelled'));

-- name: JobRetriedAs :one
-- The last job that was submitted as a retry of a job.
SELECT j.job_id, j.status, j.user_id, j.job_type, j.ontology FROM kg_api.jobs j
WHERE j.retry_of = @job_id::text ORDER BY j.created_at DESC LIMIT 1;

-- name: JobByID :one
SELECT sqlc.embed(j),
    coalesce(CASE WHEN j.status = 'approved' AND j.due THEN (
        SELECT count(*) FROM (
            SELECT 1 FROM kg_api.jobs o
            WHERE o.status = 'approved' AND o.due AND o.job_type = j.job_type
                AND (o.priority > j.priority OR (o.priority = j.priority AND (o.created_at, o.job_id) <= (j.created_at, j.job_id)))
            LIMIT 10000) ahead)
    END, 0)::int AS queue_position
FROM kg_api.shown_jobs j WHERE j.job_id = @job_id;

-- name: JobsByIDs :many
SELECT j.* FROM kg_api.shown_jobs j WHERE j.job_id = ANY (@job_ids::text[]);

-- name: JobCounts :many
-- How many jobs are in each status: what is over is counted where it changes, and the rest in
-- the partial indexes.
SELECT e.status, e.jobs FROM kg_api.ended_jobs e
UNION ALL SELECT 'pending', count(*) FROM kg_api.jobs j WHERE j.status = 'pending'
UNION ALL SELECT 'awaiting_approval', count(*) FROM kg_api.jobs j WHERE j.status = 'awaiting_approval'
UNION ALL SELECT 'approved', (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due)
    + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND NOT j.due AND j.held_by IS NULL)
    + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by IS NOT NULL)
UNION ALL SELECT 'processing', count(*) FROM kg_api.jobs j WHERE j.status = 'processing';

-- name: JobCountsFold :one
-- Folds what has changed into the counts of jobs that are over, and returns how many changes
-- that were. Another server that does so at the same moment waits, and finds them gone.
WITH gone AS (
    DELETE FROM kg_api.job_changes RETURNING job_changes.status, job_changes.change
), folded AS (
    INSERT INTO kg_api.job_counts AS c (status, jobs)
    SELECT g.status, sum(g.change)::bigint FROM gone g GROUP BY g.status ORDER BY g.status
    ON CONFLICT (status) DO UPDATE SET jobs = c.jobs + excluded.jobs
)
SELECT count(*) FROM gone g;

-- name: JobCountsRecount :one
SELECT kg_api.recount_jobs() AS off;

-- name: JobOpenCounts :many
-- The counts of what is not over, from the partial indexes.
SELECT 'pending' AS status, count(*) AS jobs FROM kg_api.jobs j WHERE j.status = 'pending'
UNION ALL SELECT 'awaiting_approval', count(*) FROM kg_api.jobs j WHERE j.status = 'awaiting_approval'
UNION ALL SELECT 'approved', (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due)
    + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND NOT j.due AND j.held_by IS NULL)
    + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by IS NOT NULL)
UNION ALL SELECT 'processing', count(*) FROM kg_api.jobs j WHERE j.status = 'processing';

-- name: JobsWaiting :one
-- How many approved jobs wait for a slot: their time has come, whether the
-- scheduler has made them due already or not.
SELECT (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due)
    + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND NOT j.due AND j.held_by IS NULL AND j.run_at <= statement_timestamp()) AS jobs;

-- name: JobsApprove :many
-- Approves those of the jobs that wait for it, and wakes the lanes that claim their types:
-- one statement, one transaction. A job that had paused goes on; with set_budget it has
-- another budget from now on. A job that has no row is not awaiting approval. Whoever changes
-- many jobs locks them in the order of their ids, here and below, and so waits for nobody who
-- waits for them.
WITH found AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND j.status = 'awaiting_approval'
    ORDER BY j.job_id FOR UPDATE
), approved AS (
    UPDATE kg_api.jobs j
    SET status = 'approved', approved_at = clock_timestamp(), approved_by = @approved_by::text, expires_at = NULL,
        due = j.run_at <= clock_timestamp(), event_seq = j.event_seq + 1, error = NULL,
        budget_usd = CASE WHEN @set_budget::bool THEN sqlc.narg(budget_usd) ELSE j.budget_usd END,
        budget_tokens = CASE WHEN @set_budget THEN sqlc.narg(budget_tokens) ELSE j.budget_tokens END
    FROM found f
    WHERE j.job_id = f.job_id AND j.status = 'awaiting_approval'
    RETURNING j.job_id, j.job_type, j.event_seq, j.approved_by, j.due, j.queue, j.remote
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, a.event_seq, 'status', kg_api.status_event('approved', 'awaiting_approval', a.approved_by, NULL, NULL)
    FROM approved a
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT a.job_type, a.queue, a.remote FROM approved a WHERE a.due) d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM approved a;

-- name: JobBudgets :many
-- What jobs may spend on calls to models, and have spent over all their attempts.
SELECT j.job_id, j.budget_usd, j.budget_tokens, j.status,
    coalesce((SELECT sum(u.cost_usd) FROM kg_api.model_usage u WHERE u.job_id = j.job_id), 0)::float8 AS spent_usd,
    coalesce((SELECT sum(u.input_tokens + u.output_tokens) FROM kg_api.model_usage u WHERE u.job_id = j.job_id), 0)::bigint AS spent_tokens
FROM kg_api.jobs j WHERE j.job_id = ANY (@job_ids::text[]);

-- name: JobsCancel :many
-- Cancels those of the jobs that no worker has, and asks the workers of running ones to
-- stop. A job that has no row is over, or unknown. What was found counts, for it is
-- locked: the statement's snapshot may show an older status, from before the
-- wait for the lock, and a comparison with it would change nothing.
WITH found AS MATERIALIZED (
    SELECT j.job_id, j.status AS previous FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
    ORDER BY j.job_id FOR UPDATE
), cancelled AS (
    UPDATE kg_api.jobs j
    SET status = 'cancelled', completed_at = clock_timestamp(), expires_at = NULL, cancel_requested = true, event_seq = j.event_seq + 2,
        error = NULL
    FROM found f
    WHERE j.job_id = f.job_id AND f.previous <> 'processing'
    RETURNING j.job_id, j.event_seq, f.previous
), asked AS (
    UPDATE kg_api.jobs j
    SET cancel_requested = true
    FROM found f
    WHERE j.job_id = f.job_id AND f.previous = 'processing'
    RETURNING j.job_id
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT c.job_id, c.event_seq - 1, 'status', kg_api.status_event('cancelled', c.previous, NULL, NULL, NULL)
    FROM cancelled c
    UNION ALL
    SELECT c.job_id, c.event_seq, 'cancelled', kg_api.end_event('cancelled', NULL, NULL)
    FROM cancelled c
), notified AS (
    SELECT a.job_id, pg_notify('kg_cancel', a.job_id) FROM asked a
)
SELECT f.job_id, f.previous, EXISTS (SELECT 1 FROM notified n WHERE n.job_id = f.job_id) AS asked FROM found f;

-- name: JobsRunNow :many
-- Has approved jobs run whose time has not come: they are due, and wake who may claim them,
-- but for suspects, which take turns; see JobDue. A job that has no row does not wait for its
-- time.
WITH found AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND j.status = 'approved' AND NOT j.due AND j.run_at > statement_timestamp()
    ORDER BY j.job_id FOR UPDATE
), changed AS (
    UPDATE kg_api.jobs j
    SET run_at = statement_timestamp(),
        due = NOT coalesce(j.crash_count >= sqlc.arg(quarantine)::int - 1 AND j.crash_since > statement_timestamp() - @crash_window::interval, false)
    FROM found f
    WHERE j.job_id = f.job_id AND j.status = 'approved'
    RETURNING j.job_id, j.job_type, j.due, j.queue, j.remote
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT c.job_type, c.queue, c.remote FROM changed c WHERE c.due) d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
)
SELECT c.job_id, (SELECT count(*) FROM woken) AS lanes FROM changed c;

-- name: JobsMove :many
-- Moves jobs for remote workers that wait to another queue, and wakes who claims from it. A
-- job that has no row does not wait, or runs in a lane, which knows no queues.
WITH found AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id = ANY (@job_ids::text[]) AND j.remote AND j.status IN ('pending', 'awaiting_approval', 'approved')
    ORDER BY j.job_id FOR UPDATE
), changed AS (
    UPDATE kg_api.jobs j SET queue = @queue::text, due = j.due OR j.held_by IS NOT NULL, held_by = NULL -- the new queue may not be paused
    FROM found f
    WHERE j.job_id = f.job_id AND j.status IN ('pending', 'awaiting_approval', 'approved')
    RETURNING j.job_id, j.job_type, j.status, j.due, j.queue, j.remote
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT c.job_type, c.queue, c.remote FROM changed c WHERE c.due AND c.status = 'approved') d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
)
SELECT c.job_id, (SELECT count(*) FROM woken) AS lanes FROM changed c;

-- name: JobStates :many
-- Where jobs stand, for who acts on them.
SELECT j.job_id, j.status, j.job_type, j.due, j.remote, coalesce(j.result @> '{"completed_with_gaps": true}', false)::bool AS gaps
FROM kg_api.jobs j WHERE j.job_id = ANY (@job_ids::text[]);

-- name: ActionPartNext :one
-- Holds the first part of an act that is not done. No row: all are.
SELECT p.part, p.job_ids, p.denied FROM kg_api.job_action_parts p
WHERE p.action_id = @action_id AND p.outcomes IS NULL
ORDER BY p.part LIMIT 1 FOR UPDATE;

-- name: ActionPartDone :exec
UPDATE kg_api.job_action_parts p SET outcomes = @outcomes::jsonb, done = @done, refused = @refused
WHERE p.action_id = @action_id AND p.part = @part;

-- name: ActionFigures :one
-- How far an act is.
SELECT coalesce(sum(cardinality(p.job_ids)), 0)::bigint AS selected, coalesce(sum(p.done), 0)::bigint AS done, coalesce(sum(p.refused), 0)::bigint AS refused,
    coalesce(sum(cardinality(p.denied)), 0)::bigint AS denied
FROM kg_api.job_action_parts p WHERE p.action_id = @action_id;

-- name: ActionParts :many
-- The next part of an act, from one on, that has outcomes of a kind.
SELECT p.part, p.job_ids, p.outcomes FROM kg_api.job_action_parts p
WHERE p.action_id = @action_id AND p.part >= @part AND (NOT @refused::bool OR p.refused > 0) AND (NOT @done::bool OR p.done > 0) AND (NOT @open::bool OR p.outcomes IS NULL)
ORDER BY p.part LIMIT 1;

-- name: JobDue :many
-- Makes approved jobs due whose time has come, and wakes remote workers for theirs.
-- Returns their types.
--
-- Suspects, which their next crash would quarantine, run alone: at most one is due
-- or processing, over all lanes and servers, so that a crash says which of them
-- caused it. The others wait here, and the one goes next that has waited longest.
-- It is chosen first and then locked, never another one in its place: of two such
-- statements at once both choose the same. Who goes back to approved after having
-- run may be due at once, for nobody else ran. A suspect that no lane takes up
-- within its turn, because the lane is paused or full, goes to the end of the
-- queue when another one waits, and would hold up all lanes otherwise; its run_at
-- says when its turn began. The time is the statement's, which the index of run_at
-- can be searched for: what is not due yet is not read.
WITH suspects AS MATERIALIZED (
    SELECT s.job_id, s.status, s.due OR s.held_by IS NOT NULL AS due, s.run_at FROM kg_api.jobs s -- what limits hold, by 0, may be claimed as what is due
    WHERE s.crash_count > 0 AND s.status IN ('approved', 'processing') -- see jobs_crashed_idx
        AND s.crash_count >= sqlc.arg(quarantine)::int - 1 AND s.crash_since > statement_timestamp() - @crash_window::interval AND coalesce(s.held_by, 0) = 0
), longest AS MATERIALIZED (
    SELECT s.job_id FROM suspects s
    WHERE s.status = 'approved' AND NOT s.due AND s.run_at <= statement_timestamp()
    ORDER BY s.run_at, s.job_id LIMIT 1
), next AS MATERIALIZED (
    SELECT o.job_id FROM longest l JOIN kg_api.jobs o ON o.job_id = l.job_id
    WHERE o.status = 'approved' AND NOT o.due
        AND NOT EXISTS (SELECT 1 FROM suspects b WHERE b.status = 'processing' OR b.due)
    FOR UPDATE OF o SKIP LOCKED
), unused AS MATERIALIZED (
    SELECT o.job_id FROM suspects s JOIN kg_api.jobs o ON o.job_id = s.job_id
    WHERE s.status = 'approved' AND s.due AND s.run_at < statement_timestamp() - @turn::interval AND EXISTS (SELECT 1 FROM longest)
        AND o.status = 'approved' AND (o.due OR o.held_by = 0)
    FOR UPDATE OF o SKIP LOCKED
), passed AS (
    UPDATE kg_api.jobs j SET due = false, held_by = NULL, run_at = clock_timestamp()
    FROM unused u WHERE j.job_id = u.job_id AND j.status = 'approved'
), ready AS MATERIALIZED (
    SELECT o.job_id FROM kg_api.jobs o
    WHERE o.status = 'approved' AND NOT o.due AND o.held_by IS NULL AND o.run_at <= statement_timestamp() AND o.job_id NOT IN (SELECT s.job_id FROM suspects s)
    ORDER BY o.run_at LIMIT 1000 FOR UPDATE SKIP LOCKED
), made AS (
    UPDATE kg_api.jobs j
    SET due = true, run_at = CASE WHEN d.suspect THEN clock_timestamp() ELSE j.run_at END
    FROM (SELECT r.job_id, false AS suspect FROM ready r UNION ALL SELECT n.job_id, true FROM next n) d
    WHERE j.job_id = d.job_id AND j.status = 'approved'
    RETURNING j.job_type, j.queue, j.remote
), woken AS (
    SELECT count(w.lane) AS workers
    FROM (SELECT DISTINCT m.job_type, m.queue FROM made m WHERE m.remote) due
    CROSS JOIN LATERAL kg_api.wake_workers(due.job_type, due.queue, true) AS w (lane)
)
SELECT m.job_type FROM made m CROSS JOIN woken w WHERE w.workers >= 0;

-- name: JobNextRun :one
-- In how many milliseconds the next approved job becomes due, at most within_ms.
-- A suspect's turn comes when another one's is over, of which nothing notifies: while one
-- waits, that is to be polled every suspect_ms. Whoever claims is woken for what limits hold,
-- and again when these allow more starts.
WITH suspects AS MATERIALIZED (
    SELECT s.job_id, s.due OR s.held_by IS NOT NULL AS due, s.run_at FROM kg_api.jobs s
    WHERE s.crash_count > 0 AND s.status IN ('approved', 'processing')
        AND s.crash_count >= sqlc.arg(quarantine)::int - 1 AND s.crash_since > statement_timestamp() - @crash_window::interval AND coalesce(s.held_by, 0) = 0
)
SELECT least(@within_ms::bigint,
    CASE WHEN (SELECT min(l.held_by) FROM kg_api.jobs l WHERE l.status = 'approved' AND l.held_by IS NOT NULL) = 0 THEN kg_api.limits_round() END,
    (SELECT (extract(epoch FROM o.run_at - clock_timestamp()) * 1000)::bigint FROM kg_api.jobs o
        WHERE o.status = 'approved' AND NOT o.due AND o.held_by IS NULL AND o.job_id NOT IN (SELECT s.job_id FROM suspects s)
        ORDER BY o.run_at LIMIT 1),
    (SELECT greatest((extract(epoch FROM s.run_at - clock_timestamp()) * 1000)::bigint, @suspect_ms::bigint) FROM suspects s
        WHERE NOT s.due ORDER BY s.run_at LIMIT 1))::bigint AS wait_ms;

-- name: JobExpired :many
-- Cancels jobs that nobody approved in time, and returns them. What is approved
-- meanwhile stays so, and what somebody has locked stays for the next time.
WITH old AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.status = 'awaiting_approval' AND j.expires_at <= clock_timestamp()
    ORDER BY j.expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
), cancelled AS (
    UPDATE kg_api.jobs j
    SET status = 'cancelled', completed_at = clock_timestamp(), expires_at = NULL, cancel_requested = true, event_seq = j.event_seq + 2,
        error = @reason::text
    FROM old o
    WHERE j.job_id = o.job_id AND j.status = 'awaiting_approval'
    RETURNING j.job_id, j.event_seq, j.error
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT c.job_id, c.event_seq - 1, 'status', kg_api.status_event('cancelled', 'awaiting_approval', NULL, c.error, NULL)
    FROM cancelled c
    UNION ALL
    SELECT c.job_id, c.event_seq, 'cancelled', jsonb_build_object('message', c.error)
    FROM cancelled c
)
SELECT c.job_id FROM cancelled c;

-- name: JobWaitFacts :one
-- What decides when a job runs, beside its own row, the lanes and the remote workers. How long
-- jobs of its type took is that of those among the 500 that were submitted last.
SELECT j.remote, (j.due OR j.held_by IS NOT DISTINCT FROM 0)::bool AS due, statement_timestamp()::timestamptz AS now,
    coalesce(j.crash_count >= sqlc.arg(quarantine)::int - 1 AND j.crash_since > statement_timestamp() - @crash_window::interval, false)::bool AS suspect,
    coalesce((
        SELECT s.job_id FROM kg_api.jobs s
        WHERE s.crash_count > 0 AND s.status IN ('approved', 'processing') -- see jobs_crashed_idx
            AND s.crash_count >= sqlc.arg(quarantine)::int - 1 AND s.crash_since > statement_timestamp() - @crash_window::interval
            AND (s.due OR s.held_by = 0 OR s.status = 'processing') AND s.job_id <> j.job_id
        LIMIT 1
    ), '')::text AS before,
    (
        SELECT count(*) FROM kg_api.workers w
        WHERE w.kind = 'server' AND w.state = 'live' AND w.lease_until > statement_timestamp() AND (w.job_types IS NULL OR j.job_type = ANY (w.job_types))
    )::int AS servers,
    coalesce((
        SELECT avg(extract(epoch FROM e.completed_at - e.claimed_at)) FROM (
            SELECT l.job_type, l.status, l.completed_at, l.claimed_at FROM kg_api.jobs l
            WHERE l.status <> 'processing' ORDER BY l.created_at DESC, l.job_id DESC LIMIT 500
        ) e WHERE e.job_type = j.job_type AND e.status = 'completed'
    ), 0)::float8 AS run_seconds
FROM kg_api.jobs j WHERE j.job_id = @job_id;
