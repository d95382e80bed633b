-- +goose Up
-- Wakes who may claim a job: the lanes that claim its type or, of a job for remote
-- workers, the servers that these are connected to.
CREATE FUNCTION kg_api.wake_workers(job_type text, queue text, remote boolean) RETURNS SETOF text LANGUAGE sql STABLE ROWS 1
AS $$ SELECT l.name || pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l WHERE NOT $3 AND $1 = ANY (l.job_types) AND l.enabled
UNION ALL SELECT pg_notify('kg_remote', 'work ' || $1 || ' ' || $2)::text WHERE $3 $$;

CREATE OR REPLACE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;

-- +goose Down
DROP VIEW kg_api.shown_jobs;
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;
DROP FUNCTION kg_api.wake_workers;
