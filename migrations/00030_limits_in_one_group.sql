-- +goose Up
-- What a limit costs that is far from reached, as it is as a rule. In the index of what limits
-- hold, claims take from the beginning, where what they took lies dead until a later scan finds
-- that nobody can see it: so nothing begins there that can do without, and a claim does once.

-- lock_limits of 00025_limits.sql, which looks from the end.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.lock_limits(types text[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kg_api.limits) THEN
        RETURN false; -- what is held all the same, the sweep lets go: see LimitsUnsettled
    END IF;
    IF NOT EXISTS (SELECT FROM unnest(types) AS t (job_type) CROSS JOIN LATERAL (
        SELECT j.job_type FROM kg_api.jobs j WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END AND j.job_type = t.job_type
        ORDER BY j.job_type DESC, j.queue DESC LIMIT 1) o) THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(100000008),
        set_config('kg.limits', CASE WHEN EXISTS (SELECT FROM kg_api.limits l WHERE l.per_second IS NOT NULL) THEN 'starts' ELSE 'on' END, true);
    RETURN true;
END $$;
-- +goose StatementEnd

-- limited_jobs of 00025_limits.sql, and a short way where all that limits hold are jobs of one
-- owner with the same keys, and there is room for whatever the claim may take: then the order of
-- claims is that of the index. What runs is counted for all limits together, which is at least
-- what runs of any. A claim that counts starts, or that goes on where one has ended, takes the
-- long way. The plan is the same for all values: what reads ten rows is planned for longer than
-- it runs.
ALTER FUNCTION kg_api.limited_jobs RENAME TO limited_jobs_of_groups;
-- +goose StatementBegin
CREATE FUNCTION kg_api.limited_jobs(types text[], most integer, served integer[], queues text[], others boolean)
RETURNS TABLE (place tid, job_id text, priority smallint, user_id integer, created_at timestamptz, queue_position integer, limited text[])
LANGUAGE plpgsql ROWS 10 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    last  record; -- group
    alone boolean := most > 0 AND others AND current_setting('kg.limits', true) = 'on' AND coalesce(current_setting('kg.limits_from', true), '') IN ('', '{}');
BEGIN
    IF alone THEN
        SELECT g.* INTO last FROM unnest(types) AS t (job_type) CROSS JOIN LATERAL (
            SELECT o.job_type, o.queue, o.limited, o.user_id FROM kg_api.jobs o
            WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type
            ORDER BY o.queue DESC, o.limited DESC, o.user_id DESC LIMIT 1) g LIMIT 1;
        IF NOT FOUND THEN
            RETURN;
        END IF;
        alone := NOT EXISTS (SELECT FROM unnest(types) AS t (job_type) CROSS JOIN LATERAL (
                SELECT o.job_type FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type AND t.job_type <> last.job_type
                ORDER BY o.queue DESC LIMIT 1) g)
            AND NOT EXISTS (SELECT FROM unnest(ARRAY[last.job_type]) AS t (job_type) CROSS JOIN LATERAL (
                SELECT o.job_type FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type
                    AND (o.queue, o.limited, o.user_id) < (last.queue, last.limited, last.user_id)
                ORDER BY o.queue DESC, o.limited DESC, o.user_id DESC LIMIT 1) g)
            AND most + (SELECT count(*) FROM kg_api.jobs r WHERE r.status = 'processing' AND r.limited IS NOT NULL)
                <= (SELECT min(l.max_running) FROM kg_api.limits l WHERE NOT l.gone);
    END IF;
    IF alone THEN
        RETURN QUERY SELECT j.ctid, j.job_id, j.priority, j.user_id, j.created_at, coalesce(array_position(queues, last.queue), 1000), j.limited
            FROM kg_api.jobs j
            WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END
                AND j.job_type = last.job_type AND j.queue = last.queue AND j.limited = last.limited AND j.user_id = last.user_id
            ORDER BY j.priority DESC, j.created_at, j.job_id LIMIT most;
    ELSE
        RETURN QUERY SELECT * FROM kg_api.limited_jobs_of_groups(types, most, served, queues, others);
    END IF;
END $$;
-- +goose StatementEnd

-- wake_limited of 00025_limits.sql, which looks only for what somebody else may claim.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.wake_limited(but text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    SELECT l.name || pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l
    WHERE l.enabled AND l.name IS DISTINCT FROM $1 AND EXISTS (SELECT FROM unnest(l.job_types) AS t (job_type) CROSS JOIN LATERAL (
        SELECT o.job_type FROM kg_api.jobs o WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type
        ORDER BY o.job_type DESC, o.queue DESC LIMIT 1) h);
    IF EXISTS (SELECT FROM kg_api.workers w WHERE w.kind = 'remote') THEN
        RETURN QUERY
        WITH RECURSIVE pair AS (
            (SELECT o.job_type, o.queue, o.remote FROM kg_api.jobs o
            WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END ORDER BY o.job_type, o.queue LIMIT 1)
            UNION ALL
            SELECT n.job_type, n.queue, n.remote FROM pair p CROSS JOIN LATERAL (
                SELECT o.job_type, o.queue, o.remote FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND (o.job_type, o.queue) > (p.job_type, p.queue)
                ORDER BY o.job_type, o.queue LIMIT 1) n
        )
        SELECT pg_notify('kg_remote', 'work ' || p.job_type || ' ' || p.queue)::text FROM pair p WHERE p.remote;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down
-- What lock_limits and wake_limited look for is the same: they stay.
DROP FUNCTION kg_api.limited_jobs;
ALTER FUNCTION kg_api.limited_jobs_of_groups RENAME TO limited_jobs;
