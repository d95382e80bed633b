-- +goose Up
-- What is done to many jobs at once, and which job a retry submits again.

ALTER TABLE kg_api.jobs ADD COLUMN retry_of text COLLATE "C"; -- the job whose work this one is submitted for again; it may be gone
CREATE INDEX jobs_retry_of_idx ON kg_api.jobs (retry_of, created_at DESC) WHERE retry_of IS NOT NULL;

CREATE OR REPLACE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens, j.retry_of
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;

-- The jobs that an act was asked for, some hundreds a row, in the order in which they were
-- submitted. A part is done in one transaction, with its outcomes: NULL until then. So a
-- server that dies leaves each job either done and told of, or as it was.
CREATE TABLE kg_api.job_action_parts (
    action_id text COLLATE "C" NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE, -- the job that does it
    part      integer NOT NULL,
    job_ids   text[] NOT NULL,
    denied    text[] NOT NULL, -- those of them that whoever asked for it may see, but not do this to
    outcomes  jsonb,           -- as the API shows them, in the order of job_ids
    done      integer NOT NULL DEFAULT 0,
    refused   integer NOT NULL DEFAULT 0,
    PRIMARY KEY (action_id, part)
);

-- Its own lane: whoever cancels what floods the others waits for none of them. It wakes at
-- once, so that it polls seldom.
INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes)
VALUES ('actions', '{job_action}', 2, 60000, 30) ON CONFLICT (name) DO NOTHING;

-- The same holds for pictures, which take seconds: a server that has nothing to do asks less.
UPDATE kg_api.worker_lanes SET poll_interval_ms = 10000 WHERE name = 'pictures' AND poll_interval_ms = 2000;

-- +goose Down
UPDATE kg_api.worker_lanes SET poll_interval_ms = 2000 WHERE name = 'pictures' AND poll_interval_ms = 10000;
DELETE FROM kg_api.worker_lanes WHERE name = 'actions';
DROP TABLE kg_api.job_action_parts;
DROP VIEW kg_api.shown_jobs;
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;
DROP INDEX kg_api.jobs_retry_of_idx;
ALTER TABLE kg_api.jobs DROP COLUMN retry_of;
