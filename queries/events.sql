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
