-- name: JobEvents :many
-- The events of several jobs that come after the last one that is known of
-- each, oldest first. The limit within has the planner look up each job: it
-- would read the history of all.
SELECT e.job_id, e.seq, e.kind, e.payload, e.at
FROM (SELECT unnest(@job_ids::text[]) AS job_id, unnest(@after::bigint[]) AS seq) known
CROSS JOIN LATERAL (
    SELECT h.job_id, h.seq, h.kind, h.payload, h.at FROM kg_api.job_history h
    WHERE h.job_id = known.job_id AND h.seq > known.seq
    ORDER BY h.seq LIMIT @max_events::int
) e
ORDER BY e.job_id, e.seq
LIMIT @max_events;

-- name: JobEventSeqs :many
-- The number of the last event of each job.
SELECT j.job_id, j.event_seq FROM kg_api.jobs j WHERE j.job_id = ANY (@job_ids::text[]);

-- name: JobTurns :many
-- The changes of status of a job, the last ones first, and of its progress what was told last
-- before each. claims counts all of its attempts.
SELECT t.job_id, t.seq, t.kind, t.payload, t.at, t.claims FROM (
    SELECT h.job_id, h.seq, h.kind, h.payload, h.at, lead(h.kind) OVER (ORDER BY h.seq) AS next,
        count(*) FILTER (WHERE h.kind = 'status' AND h.payload ->> 'status' = 'processing') OVER ()::int AS claims
    FROM kg_api.job_history h WHERE h.job_id = @job_id
) t WHERE t.kind = 'status' OR t.kind = 'progress' AND t.next IS DISTINCT FROM 'progress'
ORDER BY t.seq DESC LIMIT @max_events;

-- name: AttemptWorkers :many
-- Who the workers are that have made attempts, as far as they are known yet.
SELECT w.worker_id, w.kind, w.hostname, w.name, w.pid, w.version FROM kg_api.workers w WHERE w.worker_id = ANY (@ids::uuid[]);

-- name: JobCalls :one
-- The calls to models that are made for a job, and those that wait for their turn.
SELECT count(*) FILTER (WHERE c.started_at IS NOT NULL)::int AS running, count(*) FILTER (WHERE c.started_at IS NULL)::int AS waiting
FROM kg_api.model_calls c WHERE c.job_id = @job_id AND c.leased_until > statement_timestamp();
