-- +goose Up
-- What a job may spend on calls to models; NULL sets no limit. One that reaches it awaits
-- approval again, and its error says so.
ALTER TABLE kg_api.jobs
    ADD COLUMN budget_usd    double precision CONSTRAINT budget_is_positive CHECK (budget_usd > 0),
    ADD COLUMN budget_tokens bigint CONSTRAINT budget_is_at_least_one_token CHECK (budget_tokens > 0);

CREATE OR REPLACE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;

-- What a job has had read and paid for, of chunks that it has not stored yet: it goes on
-- with that after a pause, or after its provider was away. Text is known by its hash.
CREATE TABLE kg_api.kept_readings (
    job_id    text NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE,
    text_hash bytea NOT NULL,
    reader    text NOT NULL,
    reading   bytea NOT NULL,
    PRIMARY KEY (job_id, text_hash, reader)
);

-- +goose Down
DROP TABLE kg_api.kept_readings;
DROP VIEW kg_api.shown_jobs;
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;
ALTER TABLE kg_api.jobs DROP COLUMN budget_usd, DROP COLUMN budget_tokens;
