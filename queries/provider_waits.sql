-- name: ProviderWaitsBegin :execrows
-- Notes that jobs wait for a provider that is not called at present. A job that waits
-- already goes on with the same wait; no row: nothing of it has changed.
INSERT INTO kg_api.provider_waits (job_id, provider, reason, until)
SELECT w.job_id, p.name, p.error, p.throttled_until::timestamptz
FROM (SELECT DISTINCT unnest(@job_ids::text[]) AS job_id) w JOIN kg_api.providers p ON p.name = @provider
WHERE w.job_id <> '' AND p.throttled_until > clock_timestamp()
ON CONFLICT (job_id, provider) DO UPDATE SET reason = excluded.reason, until = excluded.until
WHERE provider_waits.reason <> excluded.reason OR provider_waits.until <> excluded.until;

-- name: ProviderWaitEnd :exec
-- The provider has answered a call of the job.
DELETE FROM kg_api.provider_waits w WHERE w.job_id = @job_id AND w.provider = @provider;

-- name: ProviderWaitsTell :many
-- Has those who follow a job that began to wait know for what, as the message of its
-- progress: once a wait. Returns the jobs. What somebody has locked stays for the next
-- time: whoever decides about calls must not wait here for the row of a job.
WITH fresh AS MATERIALIZED (
    SELECT w.job_id, w.provider, w.reason, w.until
    FROM kg_api.provider_waits w JOIN kg_api.jobs j ON j.job_id = w.job_id AND j.status IN ('approved', 'processing')
    WHERE NOT w.told ORDER BY w.since LIMIT 500 FOR NO KEY UPDATE OF w, j SKIP LOCKED
), told AS (
    UPDATE kg_api.provider_waits w SET told = true FROM fresh f WHERE w.job_id = f.job_id AND w.provider = f.provider
), changed AS (
    UPDATE kg_api.jobs j
    SET event_seq = j.event_seq + 1,
        progress = coalesce(j.progress, '{"stage": "waiting", "percent": 0}'::jsonb) || jsonb_build_object('message', f.message)
    FROM (
        SELECT DISTINCT ON (n.job_id) n.job_id,
            format('waits for %s: %s; called again at %s UTC', n.provider, n.reason, to_char(n.until AT TIME ZONE 'UTC', 'HH24:MI:SS')) AS message
        FROM fresh n ORDER BY n.job_id
    ) f
    WHERE j.job_id = f.job_id
    RETURNING j.job_id, j.event_seq, j.progress
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT c.job_id, c.event_seq, 'progress', c.progress FROM changed c
)
SELECT c.job_id FROM changed c;

-- name: ProviderWaitsWarn :many
-- Warns those who follow a job that has waited for longer than patience: once a wait.
-- Returns the jobs.
WITH late AS MATERIALIZED (
    SELECT w.job_id, w.provider, w.reason, w.since, w.until
    FROM kg_api.provider_waits w JOIN kg_api.jobs j ON j.job_id = w.job_id AND j.status IN ('approved', 'processing')
    WHERE NOT w.warned AND w.since < clock_timestamp() - @patience::interval
    ORDER BY w.since LIMIT 500 FOR NO KEY UPDATE OF w, j SKIP LOCKED
), told AS (
    UPDATE kg_api.provider_waits w SET warned = true, told = true FROM late l WHERE w.job_id = l.job_id AND w.provider = l.provider
), changed AS (
    UPDATE kg_api.jobs j SET event_seq = j.event_seq + 1
    FROM (SELECT DISTINCT ON (n.job_id) n.* FROM late n ORDER BY n.job_id, n.since) l
    WHERE j.job_id = l.job_id
    RETURNING j.job_id, j.event_seq, l.provider, l.reason, l.since, l.until
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT c.job_id, c.event_seq, 'warning', jsonb_build_object(
        'message', format('has waited for %s since %s UTC: %s', c.provider, to_char(c.since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), c.reason),
        'provider', c.provider, 'reason', c.reason,
        'since', to_char(c.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'until', to_char(c.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    FROM changed c
)
SELECT c.job_id, c.provider, c.reason, c.since, c.until FROM changed c;

-- name: ProviderWaitsForget :exec
-- Forgets the waits of jobs that have ended or are gone.
DELETE FROM kg_api.provider_waits w
WHERE NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = w.job_id AND j.status IN ('approved', 'processing'));

-- name: ProviderWaits :many
-- How many jobs wait for each provider, since when at the latest, and how many of them for
-- longer than patience.
SELECT w.provider, count(*)::int AS jobs, min(w.since)::timestamptz AS since,
    (count(*) FILTER (WHERE w.since < clock_timestamp() - @patience::interval))::int AS overdue
FROM kg_api.provider_waits w JOIN kg_api.jobs j ON j.job_id = w.job_id AND j.status IN ('approved', 'processing')
GROUP BY w.provider ORDER BY w.provider;

-- name: JobsAtModels :many
-- What jobs have spent on calls to models, over all their attempts, and for which provider
-- each has waited longest.
SELECT k.job_id::text AS job_id, coalesce(u.usd, 0)::float8 AS usd, coalesce(u.tokens, 0)::bigint AS tokens, coalesce(u.calls, 0)::int AS calls,
    coalesce(w.provider, '')::text AS provider, coalesce(w.reason, '')::text AS reason,
    coalesce(w.since, 'epoch')::timestamptz AS since, coalesce(w.until, 'epoch')::timestamptz AS until
FROM (SELECT unnest(@job_ids::text[]) AS job_id) k
LEFT JOIN (
    SELECT m.job_id, sum(m.cost_usd) AS usd, sum(m.input_tokens + m.output_tokens) AS tokens, sum(m.calls) AS calls
    FROM kg_api.model_usage m WHERE m.job_id = ANY (@job_ids::text[]) GROUP BY m.job_id
) u ON u.job_id = k.job_id
LEFT JOIN (
    SELECT DISTINCT ON (p.job_id) p.job_id, p.provider, p.reason, p.since, p.until
    FROM kg_api.provider_waits p WHERE p.job_id = ANY (@job_ids::text[]) ORDER BY p.job_id, p.since
) w ON w.job_id = k.job_id
WHERE u.job_id IS NOT NULL OR w.job_id IS NOT NULL;
