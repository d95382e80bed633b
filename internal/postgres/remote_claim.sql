-- name: RemoteClaim :many
-- Claims up to $6 due jobs of the types $4 for a remote worker $1 and its connection
-- $2, under new claim tokens and as reservations for $7: those of the queues $5 in the
-- order of the list and, if $8 says so, of all other queues after them; within each
-- place highest priority first and then oldest. It reads a range of the index for each
-- type and queue, up to the limit, and the other queues only for what is still
-- missing: so a claim costs the same however much waits. SKIP LOCKED passes over what
-- somebody has locked, and takes what comes next among $9 more candidates. The event of the
-- claim has no row, see job_history. Nothing is claimed for a connection that is not
-- the latest of a live worker, or by one that drains. That a queue is not among $5 is
-- said so that the planner takes it for likely, and reads the others in their order.
--
-- This statement is not among those of queries/, because sqlc knows no ctid.
WITH worker AS MATERIALIZED (
    SELECT $6::int + $9::int AS candidates FROM kg_api.workers w
    WHERE w.worker_id = $1::uuid AND w.generation = $2::bigint AND w.state = 'live' AND NOT w.draining
), named AS MATERIALIZED (
    SELECT c.place, q.position, c.priority, c.created_at, c.job_id
    FROM worker w CROSS JOIN unnest($4::text[]) AS t (job_type)
    CROSS JOIN unnest($5::text[]) WITH ORDINALITY AS q (queue, position)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END AND o.job_type = t.job_type AND o.queue = q.queue
        ORDER BY o.priority DESC, o.created_at, o.job_id
        LIMIT w.candidates
    ) c
    ORDER BY q.position, c.priority DESC, c.created_at, c.job_id
    LIMIT (SELECT n.candidates FROM worker n)
), others AS MATERIALIZED (
    SELECT c.place, 1000 AS position, c.priority, c.created_at, c.job_id
    FROM worker w CROSS JOIN unnest($4::text[]) AS t (job_type)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.priority, o.created_at, o.job_id FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.remote AND o.job_type = t.job_type AND nullif(o.queue = ANY ($5), true) IS NOT NULL
        ORDER BY o.priority DESC, o.created_at, o.job_id
        LIMIT CASE WHEN $8::boolean THEN w.candidates - (SELECT count(*) FROM named) ELSE 0 END
    ) c
), candidates AS MATERIALIZED (
    SELECT c.place FROM (SELECT n.* FROM named n UNION ALL SELECT o.* FROM others o) c
    ORDER BY c.position, c.priority DESC, c.created_at, c.job_id
    LIMIT (SELECT w.candidates FROM worker w)
), picked AS MATERIALIZED (
    SELECT p.ctid AS place FROM candidates c JOIN kg_api.jobs p ON p.ctid = c.place
    WHERE p.status = 'approved' AND p.due
    LIMIT $6::int -- candidates come in their order, each by its place
    FOR UPDATE OF p SKIP LOCKED
), claimed AS (
    UPDATE kg_api.jobs j
    SET status = 'processing', lane = NULL, attempt = j.attempt + 1, claimed_by = $1::uuid,
        claimed_at = clock_timestamp(), claim_token = nextval('kg_api.claim_tokens'),
        started_at = coalesce(j.started_at, clock_timestamp()), progress_at = clock_timestamp(),
        error = NULL, event_seq = j.event_seq + 1, claim_seq = j.event_seq + 1
    FROM picked
    WHERE j.ctid = picked.place AND j.status = 'approved'
    RETURNING j.job_id, j.job_type, j.queue, j.priority, j.claim_token, j.attempt, j.event_seq, coalesce(j.deadline_ms, 1800000) AS deadline_ms,
        j.data, j.checkpoint, j.created_at, array_position($5::text[], j.queue) AS position
), recorded AS (
    INSERT INTO kg_api.run_claims (claim_token, job_id, worker_id, generation, group_key, reserved_until)
    SELECT c.claim_token, c.job_id, $1::uuid, $2, $3::text, clock_timestamp() + $7::interval FROM claimed c
), notified AS MATERIALIZED (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(c.job_id || ':' || c.event_seq, ',')) AS lsn FROM claimed c
)
SELECT c.job_id, c.job_type, c.queue, c.priority, c.claim_token, c.attempt, c.deadline_ms,
    CASE WHEN octet_length(c.data::text) <= $10::int THEN c.data END AS data, c.checkpoint
FROM claimed c CROSS JOIN notified t WHERE t.lsn IS NOT NULL
ORDER BY coalesce(c.position, 1000), c.priority DESC, c.created_at, c.job_id
