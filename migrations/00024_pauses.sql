-- +goose Up
-- What an operator has paused: a job type, a queue, an ontology, a user, or everything. What
-- runs goes on; what waits for it is not claimed before the pause ends.

CREATE TABLE kg_api.pauses (
    pause_id   integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    scope      text NOT NULL CONSTRAINT scope_is_known CHECK (scope IN ('all', 'type', 'queue', 'ontology', 'user')),
    value      text NOT NULL, -- the name of what is paused; '' for everything
    user_id    integer REFERENCES kg_api.users (id) ON DELETE CASCADE, -- that is paused
    reason     text NOT NULL CONSTRAINT reason_is_1_to_500_characters CHECK (char_length(reason) BETWEEN 1 AND 500),
    paused_by  text NOT NULL,
    paused_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    applied    boolean NOT NULL, -- the jobs that waited are held
    CONSTRAINT everything_has_no_name CHECK ((scope = 'all') = (value = '')),
    CONSTRAINT a_user_is_one CHECK ((scope = 'user') = (user_id IS NOT NULL)),
    CONSTRAINT one_pause_for_each UNIQUE (scope, value)
);

-- Jobs of a paused queue, ontology or user are held: they are not due, and so cost a claim
-- nothing, however many they are. Paused types and everything are left out by the claims
-- themselves. What is held stays so until somebody releases it, see JobsRelease.
ALTER TABLE kg_api.jobs ADD COLUMN held_by integer;
CREATE INDEX jobs_held_idx ON kg_api.jobs (held_by) WHERE status = 'approved' AND held_by IS NOT NULL;
CREATE OR REPLACE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens, j.retry_of, j.held_by
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;
-- What is held is not read when jobs become due.
DROP INDEX kg_api.jobs_run_at_idx;
CREATE INDEX jobs_run_at_idx ON kg_api.jobs (run_at) WHERE status = 'approved' AND NOT due AND held_by IS NULL;

-- The pause that holds a job, the oldest one; NULL for none. Who pauses waits for those who
-- are about to let a job be claimed, and they see the pause from then on: see PauseLock.
-- +goose StatementBegin
CREATE FUNCTION kg_api.pause_of(owner integer, ontology text, queue text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(100000007);
    RETURN (SELECT min(p.pause_id) FROM kg_api.pauses p
        WHERE p.scope = 'user' AND p.user_id = $1 OR p.scope = 'ontology' AND p.value = $2 OR p.scope = 'queue' AND p.value = $3);
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.hold_new_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.held_by := kg_api.pause_of(NEW.user_id, NEW.ontology, NEW.queue);
    NEW.due := NEW.held_by IS NULL;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.hold_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    pause integer := kg_api.pause_of(NEW.user_id, NEW.ontology, NEW.queue);
BEGIN
    IF pause IS NOT NULL THEN
        UPDATE kg_api.jobs j SET due = false, held_by = pause WHERE j.job_id = NEW.job_id AND j.status = 'approved' AND j.due;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The second one acts after the change: a trigger before it would have PostgreSQL lock the row
-- at each change of each job, and claims and completions pay for that.
CREATE TRIGGER hold_new_job BEFORE INSERT ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.status = 'approved' AND NEW.due) EXECUTE FUNCTION kg_api.hold_new_job();
CREATE TRIGGER hold_job AFTER UPDATE ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.status = 'approved' AND NEW.due AND NOT (OLD.status = 'approved' AND OLD.due AND OLD.queue = NEW.queue)) EXECUTE FUNCTION kg_api.hold_job();

-- +goose Down
DROP TRIGGER hold_job ON kg_api.jobs;
DROP TRIGGER hold_new_job ON kg_api.jobs;
DROP FUNCTION kg_api.hold_job, kg_api.hold_new_job, kg_api.pause_of;
UPDATE kg_api.jobs SET due = run_at <= clock_timestamp() WHERE held_by IS NOT NULL AND status = 'approved';
DROP INDEX kg_api.jobs_run_at_idx;
CREATE INDEX jobs_run_at_idx ON kg_api.jobs (run_at) WHERE status = 'approved' AND NOT due;
DROP INDEX kg_api.jobs_held_idx;
DROP VIEW kg_api.shown_jobs;
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens, j.retry_of
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;
ALTER TABLE kg_api.jobs DROP COLUMN held_by;
DROP TABLE kg_api.pauses;
