-- name: JobEvents :many
-- The events of several jobs that come after the last one that is known of
-- each, oldest first.
SELECT e.job_id, e.seq, e.kind, e.payload, e.at
FROM (SELECT unnest(@job_ids::text[]) AS job_id, unnest(@after::bigint[]) AS seq) known
JOIN kg_api.job_history e ON e.job_id = known.job_id AND e.seq > known.seq
ORDER BY e.job_id, e.seq
LIMIT @max_events;

-- name: JobEventSeqs :many
-- The number of the last event of each job.
SELECT j.job_id, j.event_seq FROM kg_api.jobs j WHERE j.job_id = ANY (@job_ids::text[]);
