-- name: LimitInsert :one
-- No row: that is limited already. Whoever sets a limit holds PauseLock.
INSERT INTO kg_api.limits (scope, key, value, user_id, max_running, per_second, reason, set_by)
VALUES (@scope, sqlc.narg(key), sqlc.narg(value), sqlc.narg(user_id), sqlc.narg(max_running), sqlc.narg(per_second), @reason, @set_by)
ON CONFLICT (scope, key, value) WHERE NOT gone DO NOTHING
RETURNING *;

-- name: LimitCount :one
SELECT count(*) FROM kg_api.limits l;

-- name: LimitForUpdate :one
SELECT l.* FROM kg_api.limits l WHERE l.limit_id = @limit_id AND NOT l.gone FOR UPDATE;

-- name: LimitUpdate :one
-- Changes the numbers and the reason, which the next claim goes by, and wakes who claims.
WITH changed AS (
    UPDATE kg_api.limits l SET max_running = sqlc.narg(max_running), per_second = sqlc.narg(per_second), reason = @reason, set_by = @set_by, set_at = clock_timestamp()
    WHERE l.limit_id = @limit_id AND NOT l.gone
    RETURNING l.limit_id
)
SELECT c.limit_id, (SELECT count(*) FROM kg_api.wake_limited(NULL)) AS lanes FROM changed c;

-- name: LimitEnd :exec
-- Has a limit limit nothing more. Its row stays until no job knows of it.
UPDATE kg_api.limits l SET gone = true, applied = false, version = l.version + 1 WHERE l.limit_id = @limit_id;

-- name: LimitList :many
-- The limits, with how many jobs run and are held under each: all together, and at the fullest
-- of the values that are limited each for itself. Of those that are held it counts to a bound.
WITH held AS MATERIALIZED (
    SELECT split_part(k.key, ':', 1)::int AS limit_id, count(*) AS jobs
    FROM (SELECT j.limited FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by = 0 LIMIT @most) w
    CROSS JOIN LATERAL unnest(w.limited) AS k (key) GROUP BY 1
), used AS MATERIALIZED (
    SELECT u.limit_id, sum(u.running) AS running, max(u.running) AS fullest, count(*) FILTER (WHERE u.room <= 0) AS full_values FROM kg_api.limit_use u GROUP BY u.limit_id
)
SELECT sqlc.embed(l), coalesce(u.running, 0)::int AS running, coalesce(u.fullest, 0)::int AS fullest, coalesce(u.full_values, 0)::int AS full_values, coalesce(h.jobs, 0)::int AS held
FROM kg_api.limits l LEFT JOIN used u ON u.limit_id = l.limit_id LEFT JOIN held h ON h.limit_id = l.limit_id
WHERE NOT l.gone ORDER BY l.limit_id;

-- name: LimitRename :exec
-- Has a limit follow an ontology that has another name from now on. Its jobs are told by the
-- name, so who is limited by ontologies is looked at again.
UPDATE kg_api.limits l SET applied = false, version = l.version + 1,
    value = CASE WHEN l.value = @name::text AND NOT EXISTS (SELECT 1 FROM kg_api.limits o WHERE o.scope = 'ontology' AND o.value = @new_name::text AND NOT o.gone)
        THEN @new_name ELSE l.value END
WHERE l.scope = 'ontology' AND NOT l.gone;

-- name: LimitsRetell :exec
-- Has jobs be told again by which ontology they are limited: some are another's now.
UPDATE kg_api.limits l SET applied = false, version = l.version + 1 WHERE l.scope = 'ontology' AND NOT l.gone;

-- name: LimitsUnsettled :many
-- The limits that not all jobs know of, or know to be gone. 0: limits hold jobs, and there are
-- none, because the user of the last one is gone.
SELECT l.limit_id, l.version FROM kg_api.limits l WHERE NOT l.applied
UNION ALL
SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM kg_api.limits l)
    AND (SELECT min(j.held_by) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by IS NOT NULL) = 0;

-- name: LimitsSettled :exec
-- Says that jobs know of limits, and forgets those that are gone. One that was changed
-- meanwhile is not settled.
WITH told AS (
    SELECT unnest(@limit_ids::int[]) AS limit_id, unnest(@versions::int[]) AS version
), removed AS (
    DELETE FROM kg_api.limits l USING told t WHERE l.limit_id = t.limit_id AND l.version = t.version AND l.gone
)
UPDATE kg_api.limits l SET applied = true FROM told t WHERE l.limit_id = t.limit_id AND l.version = t.version AND NOT l.gone;

-- name: JobsLimit :one
-- Tells some of the approved jobs, those after a place in the list of the newest, of the limits
-- that they are under: holds those that are due and limited, and has those be due that are held
-- by limits that are gone. Returns how many it looked at, how many it changed, and the last
-- place. The keys are those of the row as it is locked.
WITH found AS MATERIALIZED (
    SELECT j.job_id, j.created_at FROM kg_api.jobs j
    WHERE j.status = 'approved' AND (j.created_at, j.job_id) < (@before_at::timestamptz, @before_id::text)
    ORDER BY j.created_at DESC, j.job_id DESC LIMIT @most
), differs AS MATERIALIZED (
    SELECT j.job_id, kg_api.limits_of(j.user_id, j.job_type, j.queue, j.ontology, j.data) AS limited
    FROM found f JOIN kg_api.jobs j ON j.job_id = f.job_id
    WHERE j.status = 'approved' AND (j.due OR j.held_by = 0)
        AND j.limited IS DISTINCT FROM kg_api.limits_of(j.user_id, j.job_type, j.queue, j.ontology, j.data)
    ORDER BY j.job_id FOR UPDATE OF j
), changed AS (
    UPDATE kg_api.jobs j SET due = d.limited IS NULL, held_by = CASE WHEN d.limited IS NOT NULL THEN 0 END, limited = d.limited
    FROM differs d WHERE j.job_id = d.job_id AND j.status = 'approved' AND (j.due OR j.held_by = 0)
    RETURNING j.job_type, j.queue, j.remote
), woken AS (
    SELECT w.lane FROM (SELECT DISTINCT c.job_type, c.queue, c.remote FROM changed c) d
    CROSS JOIN LATERAL kg_api.wake_workers(d.job_type, d.queue, d.remote) AS w (lane)
), last AS (
    SELECT f.created_at, f.job_id FROM found f ORDER BY f.created_at, f.job_id LIMIT 1
)
SELECT (SELECT count(*) FROM found)::int AS looked_at, (SELECT count(*) FROM changed)::int AS changed, (SELECT count(*) FROM woken)::int AS lanes,
    coalesce((SELECT l.created_at FROM last l), 'epoch')::timestamptz AS last_at, coalesce((SELECT l.job_id FROM last l), '')::text AS last_id;

-- name: JobsRunningUntold :many
-- The running jobs that do not know all limits that they are under.
SELECT j.job_id FROM kg_api.jobs j
WHERE j.status = 'processing' AND j.limited IS DISTINCT FROM kg_api.limits_of(j.user_id, j.job_type, j.queue, j.ontology, j.data)
ORDER BY j.job_id;

-- name: JobLimitRunning :exec
UPDATE kg_api.jobs j SET limited = kg_api.limits_of(j.user_id, j.job_type, j.queue, j.ontology, j.data)
WHERE j.job_id = @job_id AND j.status = 'processing';

-- name: LimitOfJob :one
-- The limit that a job waits for which limits hold: one that is full. No row: for none. Before it
-- in the line are those that are held and share it, counted to a bound.
SELECT sqlc.embed(l), u.running, u.started, coalesce(u.opens_at, clock_timestamp())::timestamptz AS opens_at, coalesce(u.running >= l.max_running, false)::bool AS is_full,
    (SELECT count(*) FROM (
        SELECT 1 FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.held_by = 0 AND u.limit_key = ANY (o.limited)
            AND (o.priority > j.priority OR o.priority = j.priority AND (o.created_at, o.job_id) <= (j.created_at, j.job_id))
        LIMIT 10000) ahead)::int AS position
FROM kg_api.jobs j JOIN kg_api.limit_use u ON u.limit_key = ANY (j.limited) JOIN kg_api.limits l ON l.limit_id = u.limit_id
WHERE j.job_id = @job_id AND j.status = 'approved' AND j.held_by = 0 AND u.room <= 0
ORDER BY u.running >= l.max_running DESC NULLS LAST, l.limit_id LIMIT 1;
