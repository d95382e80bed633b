-- name: PauseLock :exec
-- Waits for whoever is about to let a job be claimed, and has those who come later see what
-- this transaction does; see pause_of.
SELECT pg_advisory_xact_lock(100000007);

-- name: PauseInsert :one
-- No row: that is paused already. Of paused types, and of everything, no job is held.
INSERT INTO kg_api.pauses (scope, value, user_id, reason, paused_by, applied)
VALUES (@scope, @value, sqlc.narg(user_id), @reason, @paused_by, @scope::text IN ('all', 'type'))
ON CONFLICT (scope, value) DO NOTHING
RETURNING *;

-- name: PauseList :many
-- What is paused, and how many jobs wait for that.
SELECT sqlc.embed(p),
    CASE p.scope
        WHEN 'all' THEN (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due) + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by = 0)
        WHEN 'type' THEN (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due AND j.job_type = p.value)
            + (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by = 0 AND j.job_type = p.value)
        ELSE (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by = p.pause_id) END::int AS jobs
FROM kg_api.pauses p ORDER BY p.paused_at, p.pause_id;

-- name: PauseDelete :one
DELETE FROM kg_api.pauses p WHERE p.pause_id = @pause_id RETURNING *;

-- name: PauseApplied :exec
UPDATE kg_api.pauses p SET applied = true WHERE p.pause_id = @pause_id;

-- name: PauseOfJob :one
-- What a job that is approved waits for. No row: for no pause.
SELECT p.* FROM kg_api.jobs j JOIN kg_api.pauses p
    ON p.pause_id = j.held_by OR p.scope = 'all' OR p.scope = 'type' AND p.value = j.job_type
WHERE j.job_id = @job_id AND j.status = 'approved'
ORDER BY p.pause_id LIMIT 1;

-- name: PauseRename :exec
-- Has a pause follow an ontology that has another name from now on.
UPDATE kg_api.pauses p SET value = @new_name::text
WHERE p.scope = 'ontology' AND p.value = @name::text
    AND NOT EXISTS (SELECT 1 FROM kg_api.pauses o WHERE o.scope = 'ontology' AND o.value = @new_name);

-- name: PausesUnsettled :many
-- The pauses that do not hold all jobs yet that they are about, and those that are over while
-- jobs are still held by them: found by stepping from one to the next in the index.
WITH RECURSIVE holds AS (
    SELECT min(j.held_by) AS pause_id FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by > 0
    UNION ALL
    SELECT (SELECT min(j.held_by) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by > h.pause_id)
    FROM holds h WHERE h.pause_id IS NOT NULL
)
SELECT p.pause_id, false AS over FROM kg_api.pauses p WHERE NOT p.applied
UNION ALL
SELECT h.pause_id::int, true FROM holds h
WHERE h.pause_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM kg_api.pauses p WHERE p.pause_id = h.pause_id);

-- name: JobsHold :one
-- Holds some of the jobs that wait for what is paused, and returns how many.
WITH found AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.pauses p JOIN kg_api.jobs j
        ON p.scope = 'user' AND j.user_id = p.user_id OR p.scope = 'ontology' AND j.ontology = p.value OR p.scope = 'queue' AND j.queue = p.value
    WHERE p.pause_id = @pause_id AND j.status = 'approved' AND (j.due OR j.held_by = 0) -- by limits
    ORDER BY j.job_id LIMIT @most FOR UPDATE OF j
), held AS (
    UPDATE kg_api.jobs j SET due = false, held_by = @pause_id::int
    FROM found f WHERE j.job_id = f.job_id AND j.status = 'approved' AND (j.due OR j.held_by = 0)
    RETURNING j.job_id
)
SELECT count(*)::int FROM held;

-- name: JobsRelease :one
-- Releases some of the jobs that a pause has held which is over, and returns how many. They may
-- be claimed, and wake who claims them, unless another pause holds them from now on.
WITH found AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.status = 'approved' AND j.held_by = @pause_id::int AND NOT EXISTS (SELECT 1 FROM kg_api.pauses p WHERE p.pause_id = @pause_id)
    ORDER BY j.job_id LIMIT @most FOR UPDATE
), released AS (
    UPDATE kg_api.jobs j SET due = true, held_by = NULL
    FROM found f WHERE j.job_id = f.job_id AND j.status = 'approved'
    RETURNING j.job_type, j.queue, j.remote
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT r.job_type, r.queue, r.remote FROM released r) d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
)
SELECT CASE WHEN (SELECT count(*) FROM woken) >= 0 THEN count(*) END::int FROM released;

-- name: PauseWake :exec
-- Wakes who claims, after claims have left types out: the lanes, and the remote workers for
-- each type and queue that waits for them.
WITH RECURSIVE pair AS (
    (SELECT o.job_type, o.queue FROM kg_api.jobs o WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END ORDER BY o.job_type, o.queue LIMIT 1)
    UNION ALL
    SELECT n.job_type, n.queue FROM pair p CROSS JOIN LATERAL (
        SELECT o.job_type, o.queue FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END AND (o.job_type, o.queue) > (p.job_type, p.queue)
        ORDER BY o.job_type, o.queue LIMIT 1) n
)
SELECT pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l WHERE l.enabled
UNION ALL SELECT w.lane FROM pair p CROSS JOIN LATERAL kg_api.wake_workers(p.job_type, p.queue, true) AS w (lane);
