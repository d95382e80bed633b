-- +goose Up
-- Ids and types are compared byte by byte, whatever the language of the
-- database: that is quicker on every descent of an index, and their order cannot
-- change with the operating system.
ALTER TABLE kg_api.jobs ALTER job_id TYPE text COLLATE "C", ALTER job_type TYPE text COLLATE "C", ALTER lane TYPE text COLLATE "C";
ALTER TABLE kg_api.job_events ALTER job_id TYPE text COLLATE "C";
ALTER TABLE kg_api.job_effects ALTER job_id TYPE text COLLATE "C";

-- The busiest events have no rows of their own, because the row of the job says
-- all there is to say of them: the claim of a running job, and both events of
-- the end of a job that its worker has ended. Here are their numbers; the last
-- event comes right after end_seq. NULL: the event has a row.
ALTER TABLE kg_api.jobs ADD claim_seq bigint, ADD end_seq bigint;

-- What a claim tells, of a job that was retried so often before.
CREATE FUNCTION kg_api.claim_told(claimed_by uuid, retries integer) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_build_object('status', 'processing', 'previous', 'approved', 'claimed_by', claimed_by, 'retries', retries);

-- The history of jobs: all their events.
CREATE VIEW kg_api.job_history AS
SELECT e.job_id, e.seq, e.kind, e.payload, e.at FROM kg_api.job_events e
UNION ALL
SELECT j.job_id, told.seq, told.kind, told.payload, told.at
FROM kg_api.jobs j CROSS JOIN LATERAL (
    SELECT j.claim_seq AS seq, 'status' AS kind, kg_api.claim_told(j.claimed_by, j.retries) AS payload, j.claimed_at AS at
    WHERE j.status = 'processing' OR j.end_seq IS NOT NULL
    UNION ALL
    SELECT j.end_seq, 'status',
        jsonb_strip_nulls(jsonb_build_object('status', j.status, 'previous', 'processing', 'error', j.error, 'retries', j.retries)), j.completed_at
    UNION ALL
    SELECT j.end_seq + 1, j.status,
        CASE j.status
            WHEN 'completed' THEN coalesce(j.result, '{}')
            WHEN 'failed' THEN jsonb_build_object('error', j.error)
            ELSE jsonb_build_object('message', 'Job was cancelled') END, j.completed_at
) told
WHERE told.seq IS NOT NULL;

-- +goose Down
INSERT INTO kg_api.job_events (job_id, seq, kind, payload, at)
SELECT h.job_id, h.seq, h.kind, h.payload, h.at FROM kg_api.job_history h
ON CONFLICT (job_id, seq) DO NOTHING;
DROP VIEW kg_api.job_history;
DROP FUNCTION kg_api.claim_told;
ALTER TABLE kg_api.jobs DROP claim_seq, DROP end_seq;
ALTER TABLE kg_api.job_effects ALTER job_id TYPE text COLLATE "default";
ALTER TABLE kg_api.job_events ALTER job_id TYPE text COLLATE "default";
ALTER TABLE kg_api.jobs ALTER job_id TYPE text COLLATE "default", ALTER job_type TYPE text COLLATE "default", ALTER lane TYPE text COLLATE "default";
