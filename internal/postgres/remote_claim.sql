-- name: RemoteClaim :many
-- Claims due jobs of the types $5 for slot groups $3 of remote workers $1 and their
-- connections $2, up to $4 for each, under new claim tokens and as reservations for $9:
-- those of the queues $6 in the order of the list and, if $7 says so, of all other queues
-- after them; within each place highest priority first and then oldest. Each group gets
-- what it would get if it had claimed after the one before it. The statement reads a
-- range of the index for each type and queue, up to the limit, and the other queues only
-- for what is still missing: so a claim costs the same however much waits. SKIP LOCKED
-- passes over what somebody has locked, and takes what comes next among $8 more
-- candidates. The event of the claim has no row, see job_history. Nothing is claimed for
-- a connection that is not the latest of a live worker, or by one that drains: the answer
-- has no row for it. Who finds nothing has one without a job. That a queue is not among
-- $6 is said so that the planner takes it for likely, and reads the others in their
-- order.
--
-- This statement is not among those of queries/, because sqlc knows no ctid.
WITH asked AS MATERIALIZED (
    SELECT a.number, a.worker_id, a.generation, a.group_key, sum(a.most) OVER (ORDER BY a.number) - a.most AS before, a.most
    FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::int[]) WITH ORDINALITY AS a (worker_id, generation, group_key, most, number)
    JOIN kg_api.workers w ON w.worker_id = a.worker_id
    WHERE w.generation = a.generation AND w.state = 'live' AND NOT w.draining
), wanted AS MATERIALIZED (
    SELECT sum(a.most)::int AS jobs, sum(a.most)::int + $8::int AS candidates FROM asked a HAVING count(*) > 0
), named AS MATERIALIZED (
    SELECT c.place, q.position, c.priority, c.created_at, c.job_id
    FROM wanted w CROSS JOIN unnest($5::text[]) AS t (job_type)
    CROSS JOIN unnest($6::text[]) WITH ORDINALITY AS q (queue, position)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type AND o.queue = q.queue
        ORDER BY o.priority DESC, o.created_at, o.job_id
        LIMIT w.candidates
    ) c
    ORDER BY q.position, c.priority DESC, c.created_at, c.job_id
    LIMIT (SELECT n.candidates FROM wanted n)
), others AS MATERIALIZED (
    SELECT c.place, 1000 AS position, c.priority, c.created_at, c.job_id
    FROM wanted w CROSS JOIN unnest($5::text[]) AS t (job_type)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = t.job_type AND nullif(o.queue = ANY ($6), true) IS NOT NULL
        ORDER BY o.priority DESC, o.created_at, o.job_id
        LIMIT CASE WHEN $7::boolean THEN w.candidates - (SELECT count(*) FROM named) ELSE 0 END
    ) c
), candidates AS MATERIALIZED (
    SELECT c.place, row_number() OVER (ORDER BY c.position, c.priority DESC, c.created_at, c.job_id) AS turn
    FROM (SELECT n.* FROM named n UNION ALL SELECT o.* FROM others o) c
    ORDER BY turn
    LIMIT (SELECT w.candidates FROM wanted w)
), picked AS MATERIALIZED (
    SELECT p.ctid AS place, c.turn FROM candidates c JOIN kg_api.jobs p ON p.ctid = c.place
    WHERE p.status = 'approved' AND p.due
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
        error = NULL, event_seq = j.event_seq + 1, claim_seq = j.event_seq + 1
    FROM given g
    WHERE j.ctid = g.place AND j.status = 'approved'
    RETURNING j.job_id, j.job_type, j.queue, j.priority, j.claim_token, j.attempt, j.event_seq, coalesce(j.deadline_ms, 1800000) AS deadline_ms,
        j.data, j.checkpoint, g.turn, g.number, g.worker_id, g.generation, g.group_key
), recorded AS (
    INSERT INTO kg_api.run_claims (claim_token, job_id, worker_id, generation, group_key, reserved_until)
    SELECT c.claim_token, c.job_id, c.worker_id, c.generation, c.group_key, clock_timestamp() + $9::interval FROM claimed c
), notified AS MATERIALIZED (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(c.job_id || ':' || c.event_seq, ',')) AS lsn FROM claimed c
)
SELECT a.number, c.job_id, c.job_type, c.queue, c.priority, c.claim_token, c.attempt, c.deadline_ms,
    CASE WHEN octet_length(c.data::text) <= $10::int THEN c.data END AS data, c.checkpoint, (SELECT count(t.lsn) FROM notified t) AS notified
FROM asked a LEFT JOIN claimed c ON c.number = a.number
ORDER BY a.number, c.turn
