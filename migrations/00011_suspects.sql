-- +goose Up
-- The jobs that have crashed and are not over, by the number of their crashes: the
-- scheduler finds the suspects among them, which take turns. Few jobs are ever in
-- here, and no other change of a job touches it.
CREATE INDEX jobs_crashed_idx ON kg_api.jobs (crash_count) WHERE crash_count > 0 AND status IN ('approved', 'processing');

-- Suspects that wait for a slot wait for their turn from here on.
UPDATE kg_api.jobs SET due = false
WHERE crash_count >= 2 AND crash_since > clock_timestamp() - interval '24 hours' AND status = 'approved' AND due;

-- +goose Down
DROP INDEX kg_api.jobs_crashed_idx;
