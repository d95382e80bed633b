-- +goose Up
-- The job types that a worker's program has handlers for, so that jobs which nobody
-- works on are reported. NULL: a program from before, which does not say.
ALTER TABLE kg_api.workers ADD COLUMN job_types text[];

-- +goose Down
ALTER TABLE kg_api.workers DROP COLUMN job_types;
