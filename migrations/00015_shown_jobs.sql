-- +goose Up
-- What answers show of jobs. What a job was submitted with and its checkpoint are not
-- among it: they are for its handler, may be large, and are larger when they are read:
-- PostgreSQL returns a number such as 1e1000 with all of its digits.
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;

-- +goose Down
DROP VIEW kg_api.shown_jobs;
