-- +goose Up
-- Limits: at most so many jobs at once, or so many starts a second, of a type, a queue, a user,
-- an ontology or a key in the jobs' data, in the whole installation.
--
-- A job that is limited is held where it would become due, as one that is paused is, and costs
-- the claims of others nothing. It is not let go when there is room: it would have a place that
-- others wait for, though its lane is disabled, its type paused or no worker there for it. The
-- claims read what is held instead, see limited_jobs, and take of it what has room at that
-- moment: so priorities and owners' turns hold among all that wait, and a number that is
-- changed acts at the next claim. Claims of limited jobs wait for each other, see lock_limits,
-- and count what runs from the rows: a job counts until it has ended or was taken back, whoever
-- died meanwhile.

CREATE TABLE kg_api.limits (
    limit_id    integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    scope       text NOT NULL CONSTRAINT scope_is_known CHECK (scope IN ('type', 'queue', 'user', 'ontology', 'data')),
    key         text, -- in the data: names with dots between them
    value       text, -- the one that is limited; NULL: each one for itself
    user_id     integer REFERENCES kg_api.users (id) ON DELETE CASCADE, -- that is limited
    max_running integer CONSTRAINT max_running_is_1_to_100000 CHECK (max_running BETWEEN 1 AND 100000),
    per_second  double precision CONSTRAINT per_second_is_a_thousandth_to_1000 CHECK (per_second BETWEEN 0.001 AND 1000),
    -- How many starts that allows within a window, and how long it is: of a whole number, that many
    -- in any second; of 2.5 a second, 2 in any 0.8 seconds; of one a minute, 1 in any minute.
    max_starts  integer GENERATED ALWAYS AS (CASE WHEN per_second IS NOT NULL THEN greatest(floor(per_second), 1) END::integer) STORED,
    lasts       interval GENERATED ALWAYS AS (CASE WHEN per_second IS NOT NULL THEN make_interval(secs => greatest(floor(per_second), 1) / per_second) END) STORED,
    reason      text NOT NULL CONSTRAINT reason_is_1_to_500_characters CHECK (char_length(reason) BETWEEN 1 AND 500),
    set_by      text NOT NULL,
    set_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    applied     boolean NOT NULL DEFAULT false, -- all jobs that wait and run know of it, or that it is gone
    gone        boolean NOT NULL DEFAULT false, -- it was removed, and limits nothing
    version     integer NOT NULL DEFAULT 1, -- of what it is about: whoever tells the jobs may be overtaken
    CONSTRAINT a_limit_has_a_number CHECK (max_running IS NOT NULL OR per_second IS NOT NULL),
    CONSTRAINT data_has_a_key CHECK ((scope = 'data') = (key IS NOT NULL)),
    CONSTRAINT a_named_user_is_one CHECK ((scope = 'user' AND value IS NOT NULL) = (user_id IS NOT NULL))
);
CREATE UNIQUE INDEX limits_one_for_each_idx ON kg_api.limits (scope, key, value) NULLS NOT DISTINCT WHERE NOT gone;

-- The last starts of what is limited by the second: how many each claim started, and when it
-- had. Only claims that hold lock_limits write here.
CREATE TABLE kg_api.limit_starts (
    limit_key text COLLATE "C" PRIMARY KEY, -- see limits_of
    at        timestamptz[] NOT NULL,
    starts    integer[] NOT NULL,
    until     timestamptz NOT NULL -- then none of them counts any more
) WITH (fillfactor = 50);

-- What limits a job: one key for each limit, which is its number and, where each value is
-- limited for itself, the value. It is right while the job runs, or is held by 0, which is
-- by limits.
ALTER TABLE kg_api.jobs ADD COLUMN limited text[] COLLATE "C";
-- What is held by limits. One that has the same keys and owner stands together, in the order of
-- claims. The condition is one that no other index is for; see jobs_queue_idx.
CREATE INDEX jobs_limited_idx ON kg_api.jobs (job_type, queue, limited, user_id, priority DESC, created_at, job_id)
    WHERE CASE WHEN held_by = 0 THEN status = 'approved' ELSE false END;
CREATE INDEX jobs_limited_running_idx ON kg_api.jobs (user_id)
    WHERE status = 'processing' AND limited IS NOT NULL;

-- The keys of the limits that a job is under, in order; NULL for none. A value that is long is
-- told by its hash: entries of an index are short.
-- +goose StatementBegin
CREATE FUNCTION kg_api.limits_of(owner integer, job_type text, queue text, ontology text, data jsonb)
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (
    SELECT array_agg(l.limit_id || CASE WHEN l.value IS NULL
        THEN ':' || CASE WHEN octet_length(v.value) <= 40 THEN v.value ELSE left(encode(sha256(convert_to(v.value, 'UTF8')), 'hex'), 32) END
        ELSE '' END COLLATE "C" ORDER BY l.limit_id)
    FROM kg_api.limits l CROSS JOIN LATERAL (SELECT CASE l.scope
        WHEN 'type' THEN $2 WHEN 'queue' THEN $3 WHEN 'user' THEN $1::text WHEN 'ontology' THEN $4
        WHEN 'data' THEN $5 #>> string_to_array(l.key, '.') END AS value) v
    WHERE NOT l.gone AND v.value <> '' AND (l.value IS NULL OR l.user_id = $1 OR l.scope <> 'user' AND l.value = v.value)
    );
END $$;
-- +goose StatementEnd

-- What keeps a job from being due: the oldest pause, or its limits. Whoever pauses or limits
-- waits for those who are about to let a job be claimed, and they see it from then on: see
-- PauseLock.
-- +goose StatementBegin
CREATE FUNCTION kg_api.holds_of(owner integer, job_type text, queue text, ontology text, data jsonb, OUT pause integer, OUT limited text[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(100000007);
    SELECT (SELECT min(p.pause_id) FROM kg_api.pauses p
            WHERE p.scope = 'user' AND p.user_id = $1 OR p.scope = 'ontology' AND p.value = $4 OR p.scope = 'queue' AND p.value = $3),
        CASE WHEN EXISTS (SELECT FROM kg_api.limits) THEN kg_api.limits_of($1, $2, $3, $4, $5) END
    INTO pause, limited;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.hold_new_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    holds record := kg_api.holds_of(NEW.user_id, NEW.job_type, NEW.queue, NEW.ontology, NEW.data);
BEGIN
    NEW.held_by := holds.pause;
    IF holds.pause IS NULL AND holds.limited IS NOT NULL THEN
        NEW.held_by := 0;
        NEW.limited := holds.limited;
        -- Who inserts it wakes nobody for what is not due.
        PERFORM kg_api.wake_workers(NEW.job_type, NEW.queue, NEW.remote);
    END IF;
    NEW.due := NEW.held_by IS NULL;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.hold_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    holds record := kg_api.holds_of(NEW.user_id, NEW.job_type, NEW.queue, NEW.ontology, NEW.data);
BEGIN
    IF holds.pause IS NOT NULL OR holds.limited IS NOT NULL THEN
        UPDATE kg_api.jobs j SET due = false, held_by = coalesce(holds.pause, 0), limited = holds.limited
        WHERE j.job_id = NEW.job_id AND j.status = 'approved' AND j.due;
    ELSIF NEW.limited IS NOT NULL THEN
        UPDATE kg_api.jobs j SET limited = NULL WHERE j.job_id = NEW.job_id AND j.status = 'approved' AND j.due;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP FUNCTION kg_api.pause_of;

-- Has claims of limited jobs wait for each other until the transaction ends, in a statement
-- before the claim, which then sees what the last one took. Only a claim that has this lock
-- takes limited jobs, and it waits for nothing more. Returns whether there are any. The setting
-- says whether starts are counted.
-- +goose StatementBegin
CREATE FUNCTION kg_api.lock_limits(types text[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kg_api.limits) THEN
        RETURN false; -- what is held all the same, the sweep lets go: see LimitsUnsettled
    END IF;
    IF NOT EXISTS (SELECT FROM unnest(types) AS t (job_type) CROSS JOIN LATERAL (
        SELECT j.job_type FROM kg_api.jobs j WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END AND j.job_type = t.job_type
        ORDER BY j.job_type, j.queue LIMIT 1) o) THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(100000008),
        set_config('kg.limits', CASE WHEN EXISTS (SELECT FROM kg_api.limits l WHERE l.per_second IS NOT NULL) THEN 'starts' ELSE 'on' END, true);
    RETURN true;
END $$;
-- +goose StatementEnd

-- What is in use of limits: for each key of which jobs run, or started within its window.
CREATE VIEW kg_api.limit_use AS
SELECT u.limit_key, l.limit_id, u.running, u.started,
    least(coalesce(l.max_running - u.running, 2147483647), coalesce(l.max_starts - u.started, 2147483647)) AS room, u.opens_at
FROM (
    SELECT a.limit_key, sum(a.running)::integer AS running, sum(a.started)::integer AS started, min(a.opens_at) AS opens_at FROM (
        SELECT unnest(j.limited) AS limit_key, 1 AS running, 0 AS started, NULL::timestamptz AS opens_at
        FROM kg_api.jobs j WHERE j.status = 'processing' AND j.limited IS NOT NULL
        UNION ALL
        SELECT s.limit_key, 0, t.starts, t.at + o.lasts
        FROM kg_api.limit_starts s JOIN kg_api.limits o ON o.limit_id = split_part(s.limit_key, ':', 1)::integer AND o.per_second IS NOT NULL
        CROSS JOIN LATERAL unnest(s.at, s.starts) AS t (at, starts)
        WHERE t.at + o.lasts > clock_timestamp()
    ) a GROUP BY a.limit_key
) u JOIN kg_api.limits l ON l.limit_id = split_part(u.limit_key, ':', 1)::integer AND NOT l.gone;

-- The jobs of these types that limits hold and leave room for, at most so many, which a claim
-- may take all of, or any of: those first that come first, and no more of any limit than it
-- allows beside what runs. Of the queues those that are named come in their order, and all
-- others after them or not at all. What is held is not walked over: it goes from one group of
-- jobs with the same keys and owner to the next, reads the first job of each, and more of those
-- whose first jobs come first. It goes to 500 groups of a type, and the next claim of the
-- connection goes on there.
-- +goose StatementBegin
CREATE FUNCTION kg_api.limited_jobs(types text[], most integer, served integer[], queues text[], others boolean)
RETURNS TABLE (place tid, job_id text, priority smallint, user_id integer, created_at timestamptz, queue_position integer, limited text[])
LANGUAGE plpgsql ROWS 10 AS $$
DECLARE
    room  jsonb;   -- by key; of those that are not in use by the number of the limit and a colon
    went  jsonb := coalesce(nullif(current_setting('kg.limits_from', true), ''), '{}')::jsonb;
    job   record;
    free  integer;
    k     text;
    n     integer := 0;
BEGIN
    IF most <= 0 THEN
        RETURN;
    END IF;
    SELECT coalesce(jsonb_object_agg(r.limit_key, r.room), '{}') INTO room FROM (
        SELECT l.limit_id || ':' AS limit_key, least(coalesce(l.max_running, 2147483647), coalesce(l.max_starts, 2147483647)) AS room
        FROM kg_api.limits l WHERE NOT l.gone
        UNION ALL SELECT u.limit_key, u.room FROM kg_api.limit_use u
    ) r;
    FOR job IN
        WITH RECURSIVE step AS (
            SELECT t.job_type, f.queue, f.limited, f.user_id, 1 AS number
            FROM unnest(types) AS t (job_type) CROSS JOIN LATERAL (
                SELECT o.queue, o.limited, o.user_id FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type
                    AND (o.queue, o.limited, o.user_id) > (coalesce(went -> t.job_type ->> 'queue', ''),
                        ARRAY(SELECT jsonb_array_elements_text(coalesce(went -> t.job_type -> 'limited', '[]'))) COLLATE "C", coalesce((went -> t.job_type ->> 'user')::integer, 0))
                ORDER BY o.queue, o.limited, o.user_id LIMIT 1) f
            UNION ALL
            SELECT s.job_type, f.queue, f.limited, f.user_id, s.number + 1
            FROM step s CROSS JOIN LATERAL (
                SELECT o.queue, o.limited, o.user_id FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END AND o.job_type = s.job_type
                    AND (o.queue, o.limited, o.user_id) > (s.queue, s.limited, s.user_id)
                ORDER BY o.queue, o.limited, o.user_id LIMIT 1) f
            WHERE s.number < 500
        ), went_on AS (
            SELECT set_config('kg.limits_from', coalesce(jsonb_object_agg(s.job_type, jsonb_build_object('queue', s.queue, 'limited', s.limited, 'user', s.user_id)), '{}')::text, false)
            FROM step s WHERE s.number = 500
        ), open AS MATERIALIZED (
            SELECT s.*, p.position, r.room FROM step s
            CROSS JOIN LATERAL (SELECT coalesce(array_position(queues, s.queue), 1000) AS position) p
            CROSS JOIN LATERAL (SELECT min(coalesce((room ->> l.key)::integer, (room ->> (split_part(l.key, ':', 1) || ':'))::integer, 2147483647)) AS room FROM unnest(s.limited) AS l (key)) r
            WHERE r.room > 0 AND (others OR p.position < 1000)
        ), heads AS MATERIALIZED (
            SELECT o.*, h.priority FROM open o CROSS JOIN LATERAL (
                SELECT j.priority, j.created_at FROM kg_api.jobs j
                WHERE CASE WHEN j.held_by = 0 THEN j.status = 'approved' ELSE false END
                    AND j.job_type = o.job_type AND j.queue = o.queue AND j.limited = o.limited AND j.user_id = o.user_id
                ORDER BY j.priority DESC, j.created_at, j.job_id LIMIT 1) h
            ORDER BY o.position, h.priority DESC, array_position(served, o.user_id) NULLS FIRST, h.created_at LIMIT most + 16
        ), waiting AS MATERIALIZED (
            SELECT h.position, h.limited, j.* FROM heads h CROSS JOIN LATERAL (
                SELECT o.ctid AS place, o.job_id, o.priority, o.user_id, o.created_at FROM kg_api.jobs o
                WHERE CASE WHEN o.held_by = 0 THEN o.status = 'approved' ELSE false END
                    AND o.job_type = h.job_type AND o.queue = h.queue AND o.limited = h.limited AND o.user_id = h.user_id
                ORDER BY o.priority DESC, o.created_at, o.job_id LIMIT least(most, h.room)) j
        ), busy AS MATERIALIZED ( -- nobody asks while one owner waits alone
            SELECT r.user_id, count(*) AS running FROM kg_api.jobs r
            WHERE r.status = 'processing' AND r.limited IS NOT NULL AND (SELECT min(w.user_id) < max(w.user_id) FROM waiting w)
            GROUP BY r.user_id
        )
        SELECT w.*, (SELECT min(h.room) >= most FROM heads h) AS fits, coalesce(b.running, 0) + row_number() OVER (PARTITION BY w.position, w.priority, w.user_id ORDER BY w.created_at, w.job_id) AS turn
        FROM waiting w CROSS JOIN (SELECT count(*) FROM went_on) o LEFT JOIN busy b ON b.user_id = w.user_id
        ORDER BY w.position, w.priority DESC, turn, array_position(served, w.user_id) NULLS FIRST, w.created_at, w.job_id
    LOOP
        IF NOT job.fits THEN -- not all of them at once
            SELECT min(coalesce((room ->> l.key)::integer, (room ->> (split_part(l.key, ':', 1) || ':'))::integer, 2147483647)) INTO free FROM unnest(job.limited) AS l (key);
            CONTINUE WHEN free <= 0;
            FOREACH k IN ARRAY job.limited LOOP
                room := room || jsonb_build_object(k, coalesce((room ->> k)::integer, (room ->> (split_part(k, ':', 1) || ':'))::integer, 2147483647) - 1);
            END LOOP;
        END IF;
        place := job.place; job_id := job.job_id; priority := job.priority; user_id := job.user_id;
        created_at := job.created_at; queue_position := job.position; limited := job.limited;
        RETURN NEXT;
        n := n + 1;
        EXIT WHEN n >= most;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Stores that a claim has started jobs, of which these are the keys of each. The time is after
-- the jobs' own: so those of one window are never more than it allows.
-- +goose StatementBegin
CREATE FUNCTION kg_api.limits_started(keys jsonb) RETURNS boolean LANGUAGE plpgsql STRICT AS $$
BEGIN
    WITH counted AS MATERIALIZED (
        SELECT c.key, c.jobs, l.lasts, clock_timestamp() AS at
        FROM (SELECT k.key, count(*)::integer AS jobs FROM jsonb_array_elements($1) AS j (keys) CROSS JOIN LATERAL jsonb_array_elements_text(j.keys) AS k (key) GROUP BY k.key) c
        JOIN kg_api.limits l ON l.limit_id = split_part(c.key, ':', 1)::integer AND l.per_second IS NOT NULL
    )
    INSERT INTO kg_api.limit_starts AS s (limit_key, at, starts, until)
    SELECT c.key, ARRAY[c.at], ARRAY[c.jobs], c.at + c.lasts FROM counted c
    ON CONFLICT (limit_key) DO UPDATE SET until = greatest(s.until, excluded.until),
        at = excluded.at || ARRAY(SELECT t.at FROM unnest(s.at) WITH ORDINALITY AS t (at, n) WHERE t.at > excluded.at[1] - (excluded.until - excluded.at[1]) ORDER BY t.n),
        starts = excluded.starts || ARRAY(SELECT t.starts FROM unnest(s.at, s.starts) WITH ORDINALITY AS t (at, starts, n) WHERE t.at > excluded.at[1] - (excluded.until - excluded.at[1]) ORDER BY t.n);
    RETURN true;
END $$;
-- +goose StatementEnd

-- Wakes who may claim what limits hold, but for one lane, whose slot has come free anyway.
-- +goose StatementBegin
CREATE FUNCTION kg_api.wake_limited(but text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
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
    SELECT l.name || pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l
    WHERE l.enabled AND l.name IS DISTINCT FROM $1 AND EXISTS (SELECT FROM pair p WHERE p.job_type = ANY (l.job_types))
    UNION ALL SELECT pg_notify('kg_remote', 'work ' || p.job_type || ' ' || p.queue)::text FROM pair p WHERE p.remote;
END $$;
-- +goose StatementEnd

-- Wakes who claims what limits hold, and forgets starts that count no more. Returns in how
-- many milliseconds that is to be done again, because a limit allows another start; NULL when
-- nobody waits for one.
-- +goose StatementBegin
CREATE FUNCTION kg_api.limits_round() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kg_api.limit_starts s WHERE s.limit_key IN (
        SELECT o.limit_key FROM kg_api.limit_starts o WHERE o.until < clock_timestamp() - interval '1 minute' LIMIT 1000 FOR UPDATE SKIP LOCKED);
    PERFORM kg_api.wake_limited(NULL);
    RETURN (SELECT greatest((extract(epoch FROM min(u.opens_at) - clock_timestamp()) * 1000)::bigint + 1, 50) FROM kg_api.limit_use u WHERE u.room <= 0);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION kg_api.limits_round, kg_api.wake_limited, kg_api.limits_started, kg_api.limited_jobs, kg_api.lock_limits;
DROP VIEW kg_api.limit_use;
-- +goose StatementBegin
CREATE FUNCTION kg_api.pause_of(owner integer, ontology text, queue text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(100000007);
    RETURN (SELECT min(p.pause_id) FROM kg_api.pauses p
        WHERE p.scope = 'user' AND p.user_id = $1 OR p.scope = 'ontology' AND p.value = $2 OR p.scope = 'queue' AND p.value = $3);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.hold_new_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.held_by := kg_api.pause_of(NEW.user_id, NEW.ontology, NEW.queue);
    NEW.due := NEW.held_by IS NULL;
    RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.hold_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    pause integer := kg_api.pause_of(NEW.user_id, NEW.ontology, NEW.queue);
BEGIN
    IF pause IS NOT NULL THEN
        UPDATE kg_api.jobs j SET due = false, held_by = pause WHERE j.job_id = NEW.job_id AND j.status = 'approved' AND j.due;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
UPDATE kg_api.jobs SET due = true, held_by = NULL WHERE held_by = 0 AND status = 'approved';
DROP FUNCTION kg_api.holds_of, kg_api.limits_of;
DROP INDEX kg_api.jobs_limited_running_idx, kg_api.jobs_limited_idx;
ALTER TABLE kg_api.jobs DROP COLUMN limited;
DROP TABLE kg_api.limit_starts, kg_api.limits;
