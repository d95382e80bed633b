-- name: RemoteClaim :many
-- Claims due jobs of the types $5 that are not paused for slot groups $3 of remote workers $1 and their
-- connections $2, up to $4 for each, under new claim tokens and as reservations for $9:
-- those of the queues $6 in the order of the list and, if $7 says so, of all other queues
-- after them; within each place highest priority first; within a priority the owners take
-- turns, and the oldest job of an owner is first. Whose turn it is goes by how many jobs of
-- these types each has running, then by who was served longest ago ($11 are owners in the
-- order in which they were served), then by age. Each group gets what it would get if it had
-- claimed after the one before it.
--
-- The statement reads a range of the index for each type and queue, up to the limit, and the
-- other queues only for what is still missing: so a claim costs the same however much waits.
-- In the index the jobs of an owner stand together within a priority. When the limit has cut
-- the range, other owners may have jobs of its last priority behind it: they are found by one
-- step in the index each, up to $13 from owner $12 down, and so many before that, and the
-- first jobs of each are read. The last one that was reached is returned, so that the next
-- claim goes on there: however many owners wait, each is found. SKIP LOCKED passes over what
-- somebody has locked, and takes what comes next among $8 more candidates. The event of the
-- claim has no row, see job_history. Nothing is claimed for a connection that is not the
-- latest of a live worker, or by one that drains: the answer has no row for it. Who finds
-- nothing has one without a job. That a queue is not among $6 is said so that the planner
-- takes it for likely, and reads the others in their order. What limits hold is found as in
-- JobClaim.
--
-- This statement is not among those of queries/, because sqlc knows no ctid.
WITH asked AS MATERIALIZED (
    SELECT a.number, a.worker_id, a.generation, a.group_key, sum(a.most) OVER (ORDER BY a.number) - a.most AS before, a.most
    FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::int[]) WITH ORDINALITY AS a (worker_id, generation, group_key, most, number)
    JOIN kg_api.workers w ON w.worker_id = a.worker_id
    WHERE w.generation = a.generation AND w.state = 'live' AND NOT w.draining
), types AS MATERIALIZED (
    SELECT t.job_type FROM unnest($5::text[]) AS t (job_type)
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.pauses p WHERE p.scope = 'all' OR p.scope = 'type' AND p.value = t.job_type)
), wanted AS MATERIALIZED (
    SELECT sum(a.most)::int AS jobs, sum(a.most)::int + $8::int AS candidates FROM asked a HAVING count(*) > 0
), named_first AS MATERIALIZED (
    SELECT t.job_type, q.queue, q.position, c.*
    FROM wanted w CROSS JOIN types t
    CROSS JOIN unnest($6::text[]) WITH ORDINALITY AS q (queue, position)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.user_id, o.created_at, o.job_id,
            row_number() OVER (ORDER BY o.priority DESC, o.user_id DESC, o.created_at, o.job_id) AS number
        FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type AND o.queue = q.queue
        ORDER BY o.priority DESC, o.user_id DESC, o.created_at, o.job_id
        LIMIT w.candidates
    ) c
), named_owners AS MATERIALIZED (
    SELECT e.job_type, e.queue, e.position, e.priority, s.user_id, s.number, r.lowest, count(*) OVER (PARTITION BY e.job_type, e.queue) AS owners
    FROM wanted w JOIN named_first e ON e.number = w.candidates
    JOIN named_first f ON f.number = 1 AND f.job_type = e.job_type AND f.queue = e.queue
    CROSS JOIN LATERAL (SELECT e.user_id - (f.user_id = e.user_id AND f.priority = e.priority)::int AS owner) l
    CROSS JOIN LATERAL (VALUES (least(l.owner, $12::int), -2147483648), (l.owner, $12)) AS r (highest, lowest)
    CROSS JOIN LATERAL (
        WITH RECURSIVE step AS (
            (SELECT o.user_id, 1 AS number FROM kg_api.jobs o
            WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END
                AND o.job_type = e.job_type AND o.queue = e.queue AND o.priority = e.priority AND o.user_id <= r.highest AND o.user_id > r.lowest
            ORDER BY o.user_id DESC LIMIT 1)
            UNION ALL
            SELECT n.user_id, p.number + 1 FROM step p CROSS JOIN LATERAL (
                SELECT o.user_id FROM kg_api.jobs o
                WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END
                    AND o.job_type = e.job_type AND o.queue = e.queue AND o.priority = e.priority AND o.user_id < p.user_id AND o.user_id > r.lowest
                ORDER BY o.user_id DESC LIMIT 1
            ) n WHERE p.number < $13::int
        )
        SELECT step.user_id, step.number FROM step
    ) s
    WHERE r.highest > r.lowest
), named AS MATERIALIZED (
    SELECT f.position, f.place, f.priority, f.user_id, f.created_at, f.job_id FROM named_first f
    UNION ALL
    SELECT e.position, c.place, c.priority, c.user_id, c.created_at, c.job_id
    FROM wanted w CROSS JOIN named_owners e
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.user_id, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END
            AND o.job_type = e.job_type AND o.queue = e.queue AND o.priority = e.priority AND o.user_id = e.user_id
        ORDER BY o.created_at, o.job_id
        LIMIT 1 + 4 * w.candidates / e.owners
    ) c
    WHERE NOT EXISTS (SELECT 1 FROM named_first f WHERE f.place = c.place)
), rest AS MATERIALIZED (
    SELECT CASE WHEN $7::boolean THEN greatest(w.candidates - (SELECT count(*) FROM named), 0) ELSE 0 END AS candidates FROM wanted w
), others_first AS MATERIALIZED (
    SELECT t.job_type, c.*
    FROM rest w CROSS JOIN types t
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.user_id, o.created_at, o.job_id,
            row_number() OVER (ORDER BY o.priority DESC, o.user_id DESC, o.created_at, o.job_id) AS number
        FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = t.job_type AND nullif(o.queue = ANY ($6), true) IS NOT NULL
        ORDER BY o.priority DESC, o.user_id DESC, o.created_at, o.job_id
        LIMIT w.candidates
    ) c
), others_owners AS MATERIALIZED (
    SELECT e.job_type, e.priority, s.user_id, s.number, r.lowest, count(*) OVER (PARTITION BY e.job_type) AS owners
    FROM rest w JOIN others_first e ON e.number = w.candidates
    JOIN others_first f ON f.number = 1 AND f.job_type = e.job_type
    CROSS JOIN LATERAL (SELECT e.user_id - (f.user_id = e.user_id AND f.priority = e.priority)::int AS owner) l
    CROSS JOIN LATERAL (VALUES (least(l.owner, $12::int), -2147483648), (l.owner, $12)) AS r (highest, lowest)
    CROSS JOIN LATERAL (
        WITH RECURSIVE step AS (
            (SELECT o.user_id, 1 AS number FROM kg_api.jobs o
            WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = e.job_type AND nullif(o.queue = ANY ($6), true) IS NOT NULL
                AND o.priority = e.priority AND o.user_id <= r.highest AND o.user_id > r.lowest
            ORDER BY o.user_id DESC LIMIT 1)
            UNION ALL
            SELECT n.user_id, p.number + 1 FROM step p CROSS JOIN LATERAL (
                SELECT o.user_id FROM kg_api.jobs o
                WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = e.job_type AND nullif(o.queue = ANY ($6), true) IS NOT NULL
                    AND o.priority = e.priority AND o.user_id < p.user_id AND o.user_id > r.lowest
                ORDER BY o.user_id DESC LIMIT 1
            ) n WHERE p.number < $13::int
        )
        SELECT step.user_id, step.number FROM step
    ) s
    WHERE r.highest > r.lowest
), others AS MATERIALIZED (
    SELECT 1000 AS position, f.place, f.priority, f.user_id, f.created_at, f.job_id FROM others_first f
    UNION ALL
    SELECT 1000, c.place, c.priority, c.user_id, c.created_at, c.job_id
    FROM rest w CROSS JOIN others_owners e
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.user_id, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = e.job_type AND nullif(o.queue = ANY ($6), true) IS NOT NULL
            AND o.priority = e.priority AND o.user_id = e.user_id
        ORDER BY o.created_at, o.job_id
        LIMIT 1 + 4 * w.candidates / e.owners
    ) c
    WHERE NOT EXISTS (SELECT 1 FROM others_first f WHERE f.place = c.place)
), found AS MATERIALIZED (
    SELECT n.*, NULL::text[] AS limited FROM named n UNION ALL SELECT o.*, NULL FROM others o
    UNION ALL
    SELECT g.queue_position, g.place, g.priority, g.user_id, g.created_at, g.job_id, g.limited
    FROM kg_api.limited_jobs(ARRAY(SELECT t.job_type FROM types t), (SELECT w.candidates FROM wanted w), $11::int[], $6, $7) g
    WHERE current_setting('kg.limits', true) <> ''
), busy AS MATERIALIZED ( -- nobody asks while one owner waits alone
    SELECT r.user_id, count(*) AS running FROM kg_api.jobs r
    WHERE r.status = 'processing' AND r.remote AND r.job_type = ANY ($5) AND (SELECT min(f.user_id) < max(f.user_id) FROM found f)
    GROUP BY r.user_id
), candidates AS MATERIALIZED (
    SELECT c.place, c.limited, row_number() OVER (ORDER BY c.position, c.priority DESC, c.owner_turn, array_position($11::int[], c.user_id) NULLS FIRST, c.created_at, c.job_id) AS turn
    FROM (
        SELECT f.*, coalesce(b.running, 0) + row_number() OVER (PARTITION BY f.user_id ORDER BY f.position, f.priority DESC, f.created_at, f.job_id) AS owner_turn
        FROM found f LEFT JOIN busy b ON b.user_id = f.user_id
    ) c
    ORDER BY turn
    LIMIT (SELECT w.candidates FROM wanted w)
), picked AS MATERIALIZED (
    SELECT p.ctid AS place, c.turn FROM candidates c JOIN kg_api.jobs p ON p.ctid = c.place
    WHERE p.status = 'approved' AND CASE WHEN c.limited IS NULL THEN p.due ELSE p.held_by = 0 AND p.limited = c.limited END AND p.remote
    ORDER BY c.turn -- which no plan is left to keep by itself
    LIMIT (SELECT w.jobs FROM wanted w)
    FOR UPDATE OF p SKIP LOCKED
), given AS MATERIALIZED (
    SELECT p.place, p.turn, a.number, a.worker_id, a.generation, a.group_key
    FROM (SELECT l.place, l.turn, row_number() OVER (ORDER BY l.turn) AS n FROM picked l) p
    JOIN asked a ON p.n > a.before AND p.n <= a.before + a.most
), claimed AS (
    UPDATE kg_api.jobs j
    SET status = 'processing', lane = NULL, attempt = j.attempt + 1, claimed_by = g.worker_id,
        claimed_at = clock_timestamp(), claim_token = nextval('kg_api.claim_tokens'),
        started_at = coalesce(j.started_at, clock_timestamp()), progress_at = clock_timestamp(),
        error = NULL, event_seq = j.event_seq + 1, claim_seq = j.event_seq + 1, due = true, held_by = NULL
    FROM given g
    WHERE j.ctid = g.place AND j.status = 'approved'
    RETURNING j.job_id, j.user_id, j.job_type, j.queue, j.priority, j.claim_token, j.attempt, j.event_seq, coalesce(j.deadline_ms, kg_api.deadline_of(j.job_type), 1800000) AS deadline_ms,
        j.data, j.checkpoint, j.limited, j.traceparent, g.turn, g.number, g.worker_id, g.generation, g.group_key
), recorded AS (
    INSERT INTO kg_api.run_claims (claim_token, job_id, worker_id, generation, group_key, reserved_until)
    SELECT c.claim_token, c.job_id, c.worker_id, c.generation, c.group_key, clock_timestamp() + $9::interval FROM claimed c
), notified AS MATERIALIZED (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(c.job_id || ':' || c.event_seq, ',')) AS lsn,
        kg_api.limits_started(jsonb_agg(c.limited) FILTER (WHERE c.limited IS NOT NULL AND current_setting('kg.limits', true) = 'starts')) AS started -- of NULL nothing is called
    FROM claimed c
)
SELECT a.number, c.job_id, c.job_type, c.queue, c.priority, c.claim_token, c.attempt, c.deadline_ms,
    CASE WHEN octet_length(c.data::text) <= $10::int THEN c.data END AS data, c.checkpoint, (SELECT count(t.lsn) FROM notified t) AS notified,
    c.user_id, (SELECT greatest(
        (SELECT max(n.user_id) FROM named_owners n WHERE n.number = $13 AND n.lowest < 0),
        (SELECT max(o.user_id) FROM others_owners o WHERE o.number = $13 AND o.lowest < 0))) AS reached,
    coalesce(c.traceparent, '') AS traceparent
FROM asked a LEFT JOIN claimed c ON c.number = a.number
ORDER BY a.number, c.turn
