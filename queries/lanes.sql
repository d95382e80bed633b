-- name: LaneList :many
SELECT l.* FROM kg_api.worker_lanes l ORDER BY l.name;

-- name: TypesWaiting :many
-- Which types have a job that could be claimed, found by stepping from one to the next in
-- the claim index, however many wait. What limits hold could be, as soon as there is room.
WITH RECURSIVE types AS (
    SELECT min(j.job_type) AS job_type FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due
    UNION ALL
    SELECT (SELECT min(j.job_type) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due AND j.job_type > t.job_type)
    FROM types t WHERE t.job_type IS NOT NULL
), limited AS (
    SELECT min(j.job_type) AS job_type FROM kg_api.jobs j WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END
    UNION ALL
    SELECT (SELECT min(j.job_type) FROM kg_api.jobs j WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END AND j.job_type > t.job_type)
    FROM limited t WHERE t.job_type IS NOT NULL
)
SELECT t.job_type::text AS job_type FROM types t WHERE t.job_type IS NOT NULL
UNION SELECT l.job_type::text FROM limited l WHERE l.job_type IS NOT NULL
ORDER BY job_type;

-- name: LaneForUpdate :one
SELECT l.* FROM kg_api.worker_lanes l WHERE l.name = @name FOR UPDATE;

-- name: LaneUpdate :one
-- Changes settings and wakes every server's lane of that name.
WITH changed AS (
    UPDATE kg_api.worker_lanes l
    SET max_slots = @max_slots, poll_interval_ms = @poll_interval_ms, stale_timeout_minutes = @stale_timeout_minutes,
        enabled = @enabled, updated_at = clock_timestamp()
    WHERE l.name = @name
    RETURNING l.*
), woken AS (
    SELECT pg_notify('kg_lanes', c.name) FROM changed c
)
SELECT c.*, (SELECT count(*) FROM woken) AS lanes FROM changed c;

-- name: LaneAddTypes :exec
-- Adds job types to a lane that are in no lane yet.
UPDATE kg_api.worker_lanes l
SET job_types = l.job_types || missing.types, updated_at = clock_timestamp()
FROM (SELECT array_agg(t.job_type) AS types FROM unnest(@job_types::text[]) AS t (job_type)
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.worker_lanes o WHERE t.job_type = ANY (o.job_types))) missing
WHERE l.name = @name AND missing.types IS NOT NULL;

-- name: LanesLock :exec
-- Has one transaction at a time make lanes, delete them and move their job types: it then
-- sees all that the one before did.
SELECT pg_advisory_xact_lock(100000010);

-- name: LanesForUpdate :many
SELECT l.* FROM kg_api.worker_lanes l ORDER BY l.name FOR UPDATE;

-- name: LaneInsert :one
INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes, enabled)
VALUES (@name, @job_types, @max_slots, @poll_interval_ms, @stale_timeout_minutes, @enabled)
RETURNING *;

-- name: LaneSetTypes :one
UPDATE kg_api.worker_lanes l SET job_types = @job_types, updated_at = clock_timestamp() WHERE l.name = @name
RETURNING l.*;

-- name: LaneDelete :exec
DELETE FROM kg_api.worker_lanes l WHERE l.name = @name;

-- name: LanesWake :exec
-- Has every server read the lanes anew, and wakes those that are named.
SELECT pg_notify('kg_lanes', n.name)::text FROM unnest(@names::text[]) AS n (name);
