-- +goose Up
-- Within a priority the owners of jobs take turns: a claim reads the first jobs of each
-- owner, so those of one stand together.
DROP INDEX kg_api.jobs_claim_idx;
CREATE INDEX jobs_claim_idx ON kg_api.jobs (job_type, priority DESC, user_id DESC, created_at, job_id)
    WHERE status = 'approved' AND due;

-- Remote workers claim what stands in other queues than those that they name in this order.
CREATE INDEX jobs_remote_claim_idx ON kg_api.jobs (job_type, priority DESC, created_at, job_id)
    WHERE status = 'approved' AND due AND remote;

-- +goose Down
DROP INDEX kg_api.jobs_remote_claim_idx;
DROP INDEX kg_api.jobs_claim_idx;
CREATE INDEX jobs_claim_idx ON kg_api.jobs (job_type, priority DESC, created_at, job_id)
    WHERE status = 'approved' AND due;
