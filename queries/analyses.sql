-- name: AnalysisClaim :many
-- Claims documents for their first analysis. The owners are walked by the index, however
-- many documents each of them has submitted; the one whose documents have been analysed for
-- the shortest time of late comes first, and each further document counts as long as the
-- last ones took, so that nobody has more claimed than is analysed soon. What two servers
-- pick at once goes to the first of them. more says that there are others.
WITH RECURSIVE owners AS (
    (SELECT j.user_id FROM kg_api.jobs j WHERE j.status = 'pending' ORDER BY j.user_id LIMIT 1)
    UNION ALL
    SELECT n.user_id FROM owners o CROSS JOIN LATERAL (
        SELECT j.user_id FROM kg_api.jobs j WHERE j.status = 'pending' AND j.user_id > o.user_id ORDER BY j.user_id LIMIT 1
    ) n
), use AS (
    SELECT o.user_id, COALESCE(u.mean, 0.05) AS mean, 1 + floor(0.2 / GREATEST(COALESCE(u.mean, 0.05), 0.001))::int AS most,
        COALESCE(kg_api.analysis_seconds(u.seconds, u.at), 0) AS seconds
    FROM owners o LEFT JOIN kg_api.analysis_use u ON u.user_id = o.user_id
    WHERE o.user_id <> ALL (@without::int[])
), found AS MATERIALIZED (
    SELECT w.job_id, w.filename, w.data, w.content_hash, u.user_id, u.seconds, u.seconds + w.before * u.mean AS place, w.created_at,
        w.before >= u.most AS beyond
    FROM use u CROSS JOIN LATERAL (
        SELECT j.job_id, j.filename, j.data, j.content_hash, j.created_at, row_number() OVER (ORDER BY j.created_at) - 1 AS before
        FROM kg_api.jobs j
        WHERE j.status = 'pending' AND j.user_id = u.user_id
            AND NOT EXISTS (SELECT 1 FROM kg_api.analyses a
                WHERE a.job_id = j.job_id AND (a.late_since IS NOT NULL OR a.lease_until > clock_timestamp()))
        ORDER BY j.created_at
        LIMIT u.most + 1
    ) w
), picked AS MATERIALIZED (
    SELECT f.* FROM found f WHERE NOT f.beyond ORDER BY f.place, f.created_at LIMIT @most::int
), claimed AS (
    INSERT INTO kg_api.analyses AS a (job_id, server, lease_until)
    SELECT p.job_id, @server::uuid, clock_timestamp() + @lease::interval FROM picked p ORDER BY p.job_id
    ON CONFLICT (job_id) DO UPDATE SET server = excluded.server, lease_until = excluded.lease_until
    WHERE a.late_since IS NULL AND a.lease_until <= clock_timestamp()
    RETURNING a.job_id, a.tries
)
SELECT p.job_id, p.filename, p.data, p.content_hash, p.user_id, p.seconds::float8 AS seconds, c.tries,
    ((SELECT count(*) FROM found) > (SELECT count(*) FROM picked))::bool AS more
FROM picked p JOIN claimed c ON c.job_id = p.job_id
ORDER BY p.place, p.created_at;

-- name: AnalysisClaimLate :many
-- Claims a document that has missed its first limit, that of the owner first whose documents
-- have been analysed for the shortest time of late.
WITH picked AS MATERIALIZED (
    SELECT a.job_id, j.filename, j.data, j.content_hash, j.user_id,
        COALESCE(kg_api.analysis_seconds(u.seconds, u.at), 0) AS seconds
    FROM kg_api.analyses a
    JOIN kg_api.jobs j ON j.job_id = a.job_id AND j.status = 'pending'
    LEFT JOIN kg_api.analysis_use u ON u.user_id = j.user_id
    WHERE a.late_since <= clock_timestamp() - @since::interval AND a.lease_until <= clock_timestamp()
    ORDER BY seconds, a.late_since
    LIMIT 1
    FOR UPDATE OF a SKIP LOCKED
), claimed AS (
    UPDATE kg_api.analyses a SET server = @server::uuid, lease_until = clock_timestamp() + @lease::interval
    FROM picked p WHERE a.job_id = p.job_id
    RETURNING a.job_id, a.tries
)
SELECT p.job_id, p.filename, p.data, p.content_hash, p.user_id, p.seconds::float8 AS seconds, c.tries
FROM picked p JOIN claimed c ON c.job_id = p.job_id;

-- name: AnalysisExtend :exec
UPDATE kg_api.analyses a SET lease_until = clock_timestamp() + @lease::interval
WHERE a.job_id = ANY (@job_ids::text[]) AND a.server = @server::uuid;

-- name: AnalysisRelease :exec
-- Gives claims back that nothing came of; what is known of the documents is kept.
UPDATE kg_api.analyses a SET lease_until = clock_timestamp()
WHERE a.job_id = ANY (@job_ids::text[]) AND a.server = @server::uuid;

-- name: AnalysisRetry :exec
-- Gives a claim back, to be claimed again when some time has passed.
UPDATE kg_api.analyses a SET tries = @tries::int, lease_until = clock_timestamp() + @pause::interval
WHERE a.job_id = @job_id AND a.server = @server::uuid;

-- name: AnalysisLate :exec
-- Gives a claim back of a document that missed its first limit.
UPDATE kg_api.analyses a SET late_since = clock_timestamp(), lease_until = clock_timestamp()
WHERE a.job_id = @job_id AND a.server = @server::uuid;

-- name: AnalysisUsed :exec
-- Adds how long documents of owners were analysed.
INSERT INTO kg_api.analysis_use AS u (user_id, seconds, mean)
SELECT n.user_id, n.seconds, n.seconds / n.documents
FROM (SELECT unnest(@owners::int[]) AS user_id, unnest(@seconds::float8[]) AS seconds, unnest(@documents::float8[]) AS documents) n
ORDER BY n.user_id
ON CONFLICT (user_id) DO UPDATE SET
    seconds = kg_api.analysis_seconds(u.seconds, u.at) + excluded.seconds,
    mean = (u.mean + excluded.mean) / 2,
    at = clock_timestamp();

-- name: AnalysisSweep :exec
-- Deletes what is known of analyses whose jobs are pending no more, and of owners who have
-- submitted nothing for long.
WITH idle AS (
    DELETE FROM kg_api.analysis_use u WHERE u.at < clock_timestamp() - @kept::interval
)
DELETE FROM kg_api.analyses a
WHERE a.lease_until < clock_timestamp() - interval '1 minute'
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = a.job_id AND j.status = 'pending');
