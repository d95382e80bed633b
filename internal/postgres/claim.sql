-- name: JobClaim :many
-- Claims up to $3 due jobs for the free slots of lane $1, which is locked, under new claim
-- tokens of worker $11: highest priority first; within a priority the owners take turns,
-- and the oldest job of an owner is first. Whose turn it is goes by how many jobs of the
-- lane each has running, then by who was served longest ago ($16 are owners in the order
-- in which they were served), then by age. It looks into ranges of the claim index, each
-- read up to the limit; see work.ClaimRequest: ranges of priorities of a type ($4 types,
-- from priorities $5 and owners $14 down to priorities $6), ranges of owners within a
-- priority ($15 types, $18 priorities, from owners $19 down to $20: a comparison of rows
-- would not end the scan there), and what comes after a position of one owner in one
-- priority of a type ($7 types, $8 priorities, $17 owners, $9 times of creation, $10 job
-- ids; no id is the beginning), or after the lane's latest claim that runs, if that is further
-- on: who takes turns with other claimers does not walk over what they took. From the
-- beginning all is searched: a job may be older than one that runs. Types that are not the
-- lane's are left out, and those that are paused. What runs is counted from the token floor $2
-- on, below which none can be: tokens rise, and the lane is locked. So the count does not walk
-- over what lies there dead. MATERIALIZED keeps the limit exact, and SKIP LOCKED passes over
-- what an approval or a cancel holds, and takes what comes next among $12 more candidates. A
-- row is found once, in the index; after that its place is known. One that another transaction
-- has moved meanwhile is left for the next claim. No lane uses more than $13 slots, whatever
-- its row says. The event of the claim has no row, see job_history; a message in the log
-- informs who reads that. The rows come back in no particular order, each with the number of
-- all. What limits hold is found by limited_jobs, if LaneLock has taken their lock, and takes its
-- turn among the rest: any of it may be claimed, unless its limits have changed meanwhile.
--
-- This statement is not among those of queries/, because sqlc knows no ctid.
WITH lane AS MATERIALIZED (
    SELECT least(l.max_slots, $13::int) AS max_slots,
        CASE WHEN NOT EXISTS (SELECT 1 FROM kg_api.pauses) THEN l.job_types
            ELSE ARRAY(SELECT t.job_type FROM unnest(l.job_types) AS t (job_type) WHERE NOT EXISTS (
                SELECT 1 FROM kg_api.pauses p WHERE p.scope = 'all' OR p.scope = 'type' AND p.value = t.job_type)) END AS job_types
    FROM kg_api.worker_lanes l WHERE l.name = $1::text AND l.enabled
), room AS MATERIALIZED (
    SELECT count(*)::int AS running, coalesce(min(r.claim_token), 0)::bigint AS oldest_token
    FROM kg_api.jobs r
    WHERE r.lane = $1 AND r.status = 'processing' AND r.claim_token >= $2::bigint
), free AS MATERIALIZED (
    SELECT f.slots, CASE WHEN f.slots > 0 THEN f.slots + $12::int ELSE 0 END AS candidates
    FROM (SELECT coalesce(greatest(least($3::int, (SELECT l.max_slots FROM lane l) - o.running), 0), 0) AS slots FROM room o) f
), latest AS MATERIALIZED (
    SELECT r.job_type, r.priority, r.user_id, r.created_at, r.job_id FROM kg_api.jobs r
    WHERE r.lane = $1 AND r.status = 'processing' AND r.claim_token >= $2
    ORDER BY r.claim_token DESC LIMIT 1
), waiting AS MATERIALIZED (
    SELECT w.place, w.job_id, w.priority, w.user_id, w.created_at, NULL::text[] AS limited
    FROM (SELECT unnest($4::text[]) AS job_type, unnest($5::smallint[]) AS highest, unnest($14::int[]) AS highest_owner,
        unnest($6::smallint[]) AS lowest) AS t
    JOIN lane l ON t.job_type = ANY (l.job_types)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.job_id, o.priority, o.user_id, o.created_at FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.job_type = t.job_type
            AND (o.priority, o.user_id) <= (t.highest, t.highest_owner) AND o.priority >= t.lowest
        ORDER BY o.priority DESC, o.user_id DESC, o.created_at, o.job_id
        LIMIT (SELECT f.candidates FROM free f)
    ) w
    UNION ALL
    SELECT w.place, w.job_id, w.priority, w.user_id, w.created_at, NULL
    FROM (SELECT unnest($15::text[]) AS job_type, unnest($18::smallint[]) AS priority, unnest($19::int[]) AS highest_owner,
        unnest($20::int[]) AS lowest_owner) AS t
    JOIN lane l ON t.job_type = ANY (l.job_types)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.job_id, o.priority, o.user_id, o.created_at FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.job_type = t.job_type AND o.priority = t.priority
            AND o.user_id <= t.highest_owner AND o.user_id >= t.lowest_owner
        ORDER BY o.user_id DESC, o.created_at, o.job_id
        LIMIT (SELECT f.candidates FROM free f)
    ) w
    UNION ALL
    SELECT a.place, a.job_id, a.priority, a.user_id, a.created_at, NULL
    FROM (SELECT unnest($7::text[]) AS job_type, unnest($8::smallint[]) AS priority, unnest($17::int[]) AS user_id,
        unnest($9::timestamptz[]) AS created_at, unnest($10::text[]) AS job_id) AS f
    JOIN lane l ON f.job_type = ANY (l.job_types)
    LEFT JOIN latest e ON f.job_id <> '' AND e.job_type = f.job_type AND e.priority = f.priority AND e.user_id = f.user_id AND (e.created_at, e.job_id) > (f.created_at, f.job_id)
    CROSS JOIN LATERAL (
        SELECT o.ctid AS place, o.job_id, o.priority, o.user_id, o.created_at FROM kg_api.jobs o
        WHERE o.status = 'approved' AND o.due AND o.job_type = f.job_type AND o.priority = f.priority AND o.user_id = f.user_id
            AND (o.created_at, o.job_id) > (coalesce(e.created_at, f.created_at), coalesce(e.job_id, f.job_id))
        ORDER BY o.created_at, o.job_id
        LIMIT (SELECT f.candidates FROM free f)
    ) a
    UNION ALL
    SELECT g.place, g.job_id, g.priority, g.user_id, g.created_at, g.limited
    FROM lane l CROSS JOIN LATERAL kg_api.limited_jobs(
        ARRAY(SELECT DISTINCT t.job_type FROM unnest($4 || $15 || $7) AS t (job_type) WHERE t.job_type = ANY (l.job_types)),
        (SELECT f.candidates FROM free f), $16::int[], NULL, true) g
    WHERE current_setting('kg.limits', true) <> ''
), several AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM waiting w WHERE w.user_id <> (SELECT f.user_id FROM waiting f LIMIT 1)) AS owners
), turns AS ( -- nothing of it runs while one owner waits alone
    SELECT w.place, w.priority, coalesce(b.running, 0) + row_number() OVER (PARTITION BY w.priority, w.user_id ORDER BY w.created_at, w.job_id) AS turn,
        array_position($16::int[], w.user_id) AS served, w.created_at, w.job_id, w.limited
    FROM waiting w LEFT JOIN (
        SELECT r.user_id, count(*) AS running FROM kg_api.jobs r
        WHERE r.lane = $1 AND r.status = 'processing' AND r.claim_token >= $2
        GROUP BY r.user_id
    ) b ON b.user_id = w.user_id
    WHERE (SELECT s.owners FROM several s)
), candidates AS MATERIALIZED (
    SELECT w.place, w.priority, 0::bigint AS turn, NULL::int AS served, w.created_at, w.job_id, w.limited
    FROM waiting w
    WHERE NOT (SELECT s.owners FROM several s)
    UNION ALL
    SELECT t.place, t.priority, t.turn, t.served, t.created_at, t.job_id, t.limited FROM turns t
    ORDER BY priority DESC, turn, served NULLS FIRST, created_at, job_id
    LIMIT (SELECT f.candidates FROM free f)
), picked AS MATERIALIZED (
    SELECT p.ctid AS place FROM candidates c JOIN kg_api.jobs p ON p.ctid = c.place
    WHERE p.status = 'approved' AND CASE WHEN c.limited IS NULL THEN p.due ELSE p.held_by = 0 AND p.limited = c.limited END
    ORDER BY c.priority DESC, c.turn, c.served NULLS FIRST, c.created_at, c.job_id -- which no plan is left to keep by itself
    LIMIT (SELECT f.slots FROM free f)
    FOR UPDATE OF p SKIP LOCKED
), claimed AS (
    UPDATE kg_api.jobs j
    SET status = 'processing', lane = $1, attempt = j.attempt + 1, claimed_by = $11::uuid,
        claimed_at = clock_timestamp(), claim_token = nextval('kg_api.claim_tokens'),
        started_at = coalesce(j.started_at, clock_timestamp()), progress_at = clock_timestamp(),
        error = NULL, event_seq = j.event_seq + 1, claim_seq = j.event_seq + 1, due = true, held_by = NULL
    FROM picked
    WHERE j.ctid = picked.place AND j.status = 'approved'
    RETURNING j.job_id, j.job_type, j.claim_token, j.attempt, j.event_seq, j.user_id, j.data, j.checkpoint,
        j.retries, j.max_retries, j.retries_asked, j.approved_at, j.claimed_at, j.priority, j.created_at, j.run_at, j.limited, coalesce(j.traceparent, '') AS traceparent
), notified AS MATERIALIZED (
    SELECT pg_logical_emit_message(true, 'kg_jobs', string_agg(c.job_id || ':' || c.event_seq, ',')) AS lsn, count(*) AS jobs,
        kg_api.limits_started(jsonb_agg(c.limited) FILTER (WHERE c.limited IS NOT NULL AND current_setting('kg.limits', true) = 'starts')) AS started -- of NULL nothing is called
    FROM claimed c
)
SELECT c.job_id, c.job_type, c.claim_token, c.attempt, c.event_seq, c.user_id, c.data, c.checkpoint,
    c.retries, c.max_retries, c.retries_asked, c.approved_at, c.claimed_at, c.priority, c.created_at, c.run_at, c.traceparent, t.jobs, o.oldest_token
FROM claimed c CROSS JOIN room o CROSS JOIN notified t WHERE t.lsn IS NOT NULL
