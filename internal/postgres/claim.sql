-- name: JobClaim :many
-- Claims up to $3 due jobs for the free slots of lane $1, which is locked, highest
-- priority and then oldest first, under new claim tokens of worker $11. It looks
-- into ranges of the claim index, each read up to the limit; see
-- kappa.ClaimRequest: whole ranges of priorities of a type ($4 types, $5 highest
-- and $6 lowest priorities), and what comes after a position in one priority of a
-- type ($7 types, $8 priorities, $9 times of creation, $10 job ids), or after the
-- lane's latest claim that runs, if that is further on: who takes turns with other
-- claimers does not walk over what they took. Types that are not the lane's are
-- left out. What runs is counted from the token floor $2 on,
-- below which none can be: tokens rise, and the lane is locked. So the count does
-- not walk over what lies there dead. MATERIALIZED keeps the limit exact, and SKIP
-- LOCKED passes over what an approval or a cancel holds, and takes what comes next
-- among $12 more candidates. A row is found once, in
-- the index; after that its place is known. One that another transaction has
-- moved meanwhile is left for the next claim. No lane uses more than $13 slots,
-- whatever its row says. The event of the claim has no row,
-- see job_history; a message in the log informs who reads that. The rows come back
-- in no particular order, each with the number of all.
--
-- This statement is not among those of queries/, because sqlc knows no ctid.
WITH lane AS MATERIALIZED (
    SELECT l.job_types, least(l.max_slots, $13::int) AS max_slots FROM kg_api.worker_lanes l WHERE l.name = $1::text AND l.enabled
), room AS MATERIALIZED (
    SELECT count(*)::int AS running, coalesce(min(r.claim_token), 0)::bigint AS oldest_token
    FROM kg_api.jobs r
    WHERE r.lane = $1 AND r.status = 'processing' AND r.claim_token >= $2::bigint
), free AS MATERIALIZED (
    SELECT f.slots, CASE WHEN f.slots > 0 THEN f.slots + $12::int ELSE 0 END AS candidates
    FROM (SELECT coalesce(greatest(least($3::int, (SELECT l.max_slots FROM lane l) - o.running), 0), 0) AS slots FROM room o) f
), latest AS MATERIALIZED (
    SELECT r.job_type, r.priority, r.created_at, r.job_id FROM kg_api.jobs r
    WHERE r.lane = $1 AND r.status = 'processing' AND r.claim_token >= $2
    ORDER BY r.claim_token DESC LIMIT 1
), candidates AS MATERIALIZED (
    SELECT c.place FROM (
        SELECT w.place, w.job_id, w.priority, w.created_at
        FROM (SELECT unnest($4::text[]) AS job_type, unnest($5::smallint[]) AS highest,
            unnest($6::smallint[]) AS lowest) AS t
        JOIN lane l ON t.job_type = ANY (l.job_types)
        CROSS JOIN LATERAL (
            SELECT o.ctid AS place, o.job_id, o.priority, o.created_at FROM kg_api.jobs o
            WHERE o.status = 'approved' AND o.due AND o.job_type = t.job_type
                AND o.priority <= t.highest AND o.priority >= t.lowest
            ORDER BY o.priority DESC, o.created_at, o.job_id
            LIMIT (SELECT f.candidates FROM free f)
        ) w
        UNION ALL
        SELECT a.place, a.job_id, a.priority, a.created_at
        FROM (SELECT unnest($7::text[]) AS job_type, unnest($8::smallint[]) AS priority,
            unnest($9::timestamptz[]) AS created_at, unnest($10::text[]) AS job_id) AS f
        JOIN lane l ON f.job_type = ANY (l.job_types)
        LEFT JOIN latest e ON e.job_type = f.job_type AND e.priority = f.priority AND (e.created_at, e.job_id) > (f.created_at, f.job_id)
        CROSS JOIN LATERAL (
            SELECT o.ctid AS place, o.job_id, o.priority, o.created_at FROM kg_api.jobs o
            WHERE o.status = 'approved' AND o.due AND o.job_type = f.job_type AND o.priority = f.priority
                AND (o.created_at, o.job_id) > (coalesce(e.created_at, f.created_at), coalesce(e.job_id, f.job_id))
            ORDER BY o.created_at, o.job_id
            LIMIT (SELECT f.candidates FROM free f)
        ) a
    ) c
    ORDER BY c.priority DESC, c.created_at, c.job_id
    LIMIT (SELECT f.candidates FROM free f)
), picked AS MATERIALIZED (
    SELECT p.ctid AS place FROM candidates c JOIN kg_api.jobs p ON p.ctid = c.place
    WHERE p.status = 'approved' AND p.due
    LIMIT (SELECT f.slots FROM free f) -- candidates come in their order, each by its place
    FOR UPDATE OF p SKIP LOCKED
), claimed AS (
    UPDATE kg_api.jobs j
    SET status = 'processing', lane = $1, attempt = j.attempt + 1, claimed_by = $11::uuid,
        claimed_at = clock_timestamp(), claim_token = nextval('kg_api.claim_tokens'),
        started_at = coalesce(j.started_at, clock_timestamp()), progress_at = clock_timestamp(),
        error = NULL, event_seq = j.event_seq + 1, claim_seq = j.event_seq + 1
    FROM picked
    WHERE j.ctid = picked.place AND j.status = 'approved'
    RETURNING j.job_id, j.job_type, j.claim_token, j.attempt, j.event_seq, j.user_id, j.data, j.checkpoint,
        j.retries, j.max_retries, j.approved_at, j.claimed_at, j.priority, j.created_at
), notified AS MATERIALIZED (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(c.job_id || ':' || c.event_seq, ',')) AS lsn, count(*) AS jobs FROM claimed c
)
SELECT c.*, t.jobs, o.oldest_token
FROM claimed c CROSS JOIN room o CROSS JOIN notified t WHERE t.lsn IS NOT NULL
