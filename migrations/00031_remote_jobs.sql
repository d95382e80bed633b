-- +goose Up
-- Jobs for workers on other machines are in no lane. They alone are in the index that
-- is read by queue, so that it costs the others nothing.
ALTER TABLE kg_api.jobs
    ADD COLUMN remote      boolean NOT NULL DEFAULT false,
    ADD COLUMN deadline_ms integer CONSTRAINT deadline_is_1_s_to_7_days CHECK (deadline_ms BETWEEN 1000 AND 604800000), -- of an attempt; NULL: the default
    ADD COLUMN parent_id   text COLLATE "C"; -- the job that made this one for a part of its work
UPDATE kg_api.jobs SET queue = left(regexp_replace(queue, '[^A-Za-z0-9_]', '_', 'g'), 64) WHERE queue !~ '^[A-Za-z0-9_]{1,64}$';
ALTER TABLE kg_api.jobs
    DROP CONSTRAINT status_has_its_facts,
    ADD CONSTRAINT status_has_its_facts CHECK (CASE status
        WHEN 'processing' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
            AND (lane IS NOT NULL OR remote) AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL
        WHEN 'completed' THEN completed_at IS NOT NULL
        WHEN 'approved' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
        WHEN 'awaiting_approval' THEN completed_at IS NULL
        WHEN 'pending' THEN completed_at IS NULL
        WHEN 'failed' THEN completed_at IS NOT NULL
        WHEN 'cancelled' THEN completed_at IS NOT NULL
        ELSE false END),
    -- Cheap for the queue that nearly every job has: it is checked at every change.
    ADD CONSTRAINT queue_is_1_to_64_letters_digits_and_underscores CHECK (queue = 'default' OR (octet_length(queue) BETWEEN 1 AND 64
        AND translate(queue, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_', '') = ''));
-- Its condition is one that no other index is for: who names it reads this one, whatever
-- the planner believes of the queues.
CREATE INDEX jobs_queue_idx ON kg_api.jobs (job_type, queue, priority DESC, created_at, job_id)
    WHERE CASE WHEN remote AND due THEN status = 'approved' ELSE false END;
CREATE INDEX jobs_remote_idx ON kg_api.jobs (claimed_by) WHERE status = 'processing' AND remote;
CREATE INDEX jobs_parent_idx ON kg_api.jobs (parent_id, created_at) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_children_idx ON kg_api.jobs (parent_id)
    WHERE parent_id IS NOT NULL AND status IN ('awaiting_approval', 'approved', 'processing') AND NOT cancel_requested;

-- +goose Down
DELETE FROM kg_api.jobs WHERE remote AND status = 'processing' AND lane IS NULL;
DROP INDEX kg_api.jobs_children_idx, kg_api.jobs_parent_idx, kg_api.jobs_remote_idx, kg_api.jobs_queue_idx;
ALTER TABLE kg_api.jobs
    DROP CONSTRAINT queue_is_1_to_64_letters_digits_and_underscores,
    DROP CONSTRAINT status_has_its_facts,
    ADD CONSTRAINT status_has_its_facts CHECK (CASE status
        WHEN 'processing' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
            AND lane IS NOT NULL AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL
        WHEN 'completed' THEN completed_at IS NOT NULL
        WHEN 'approved' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
        WHEN 'awaiting_approval' THEN completed_at IS NULL
        WHEN 'pending' THEN completed_at IS NULL
        WHEN 'failed' THEN completed_at IS NOT NULL
        WHEN 'cancelled' THEN completed_at IS NOT NULL
        ELSE false END),
    DROP COLUMN remote, DROP COLUMN deadline_ms, DROP COLUMN parent_id;
