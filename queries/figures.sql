-- name: LaneFigures :many
-- Each lane, and how many of its slots are taken.
SELECT sqlc.embed(l),
    (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'processing' AND j.lane = l.name)::int AS running
FROM kg_api.worker_lanes l ORDER BY l.name;

-- name: ServedTypes :many
-- The types that connected remote workers take.
SELECT DISTINCT unnest(w.job_types)::text AS job_type FROM kg_api.workers w
WHERE w.kind = 'remote' AND w.state = 'live' AND w.connected AND NOT w.draining;

-- name: QueueFigures :many
-- How many due jobs of each type wait, counted up to a limit, and for how long one
-- of them has waited at most. Types and priorities are found by stepping from one
-- to the next in the claim index, and of each priority the first jobs in the order
-- of the claim are read, so that the length of the queue does not matter.
-- What counts is when a job could be claimed: approved, and due.
WITH RECURSIVE types AS (
    SELECT min(j.job_type) AS job_type FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due
    UNION ALL
    SELECT (SELECT min(j.job_type) FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due AND j.job_type > t.job_type)
    FROM types t WHERE t.job_type IS NOT NULL
), levels AS (
    SELECT t.job_type, (SELECT max(j.priority) FROM kg_api.jobs j
        WHERE j.status = 'approved' AND j.due AND j.job_type = t.job_type) AS priority
    FROM types t WHERE t.job_type IS NOT NULL
    UNION ALL
    SELECT l.job_type, (SELECT max(j.priority) FROM kg_api.jobs j
        WHERE j.status = 'approved' AND j.due AND j.job_type = l.job_type AND j.priority < l.priority)
    FROM levels l WHERE l.priority IS NOT NULL
)
SELECT l.job_type::text AS job_type,
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j
        WHERE j.status = 'approved' AND j.due AND j.job_type = l.job_type LIMIT @most_counted) counted)::int AS jobs,
    coalesce(extract(epoch FROM clock_timestamp() - min(
        (SELECT min(greatest(f.approved_at, f.run_at)) FROM (SELECT j.approved_at, j.run_at FROM kg_api.jobs j
            WHERE j.status = 'approved' AND j.due AND j.job_type = l.job_type AND j.priority = l.priority
            ORDER BY j.created_at, j.job_id LIMIT @most_read) f))), 0)::float8 AS oldest_wait
FROM levels l WHERE l.priority IS NOT NULL
GROUP BY l.job_type ORDER BY l.job_type;

-- name: ApprovedCounts :many
-- How many jobs of each type wait, all of them counted: those that are due, those that are
-- not and those that are held are in an index each, and those that are over in none.
SELECT w.job_type, count(*)::int AS jobs
FROM (SELECT j.job_type FROM kg_api.jobs j WHERE j.status = 'approved' AND j.due
    UNION ALL SELECT j.job_type FROM kg_api.jobs j WHERE j.status = 'approved' AND NOT j.due AND j.held_by IS NULL
    UNION ALL SELECT j.job_type FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by IS NOT NULL) w
GROUP BY w.job_type;

-- name: StatusFigures :one
-- How many jobs there are that are neither over nor due, each kind counted up to a
-- limit in its own index.
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'pending' LIMIT @most) c)::int AS pending,
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'awaiting_approval' LIMIT @most) c)::int AS awaiting_approval,
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'approved' AND NOT j.due AND j.held_by IS NULL LIMIT @most) c)::int AS later,
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by IS NOT NULL LIMIT @most) c)::int AS held,
    (SELECT count(*) FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'processing' LIMIT @most) c)::int AS processing;
