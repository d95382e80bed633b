-- +goose Up
-- Remote workers serve owners in turn too: a claim reads the first jobs of each owner within
-- a priority, so those of one stand together. What stands in other queues than those that a
-- worker names is read in jobs_claim_idx, which has that order already.
DROP INDEX kg_api.jobs_queue_idx;
CREATE INDEX jobs_queue_idx ON kg_api.jobs (job_type, queue, priority DESC, user_id DESC, created_at, job_id)
    WHERE CASE WHEN remote AND due THEN status = 'approved' ELSE false END;
DROP INDEX kg_api.jobs_remote_claim_idx;

-- +goose Down
CREATE INDEX jobs_remote_claim_idx ON kg_api.jobs (job_type, priority DESC, created_at, job_id)
    WHERE status = 'approved' AND due AND remote;
DROP INDEX kg_api.jobs_queue_idx;
CREATE INDEX jobs_queue_idx ON kg_api.jobs (job_type, queue, priority DESC, created_at, job_id)
    WHERE CASE WHEN remote AND due THEN status = 'approved' ELSE false END;
