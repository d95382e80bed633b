-- +goose Up
-- A key may be used for what makes no job, whose job_id is empty, and its answer is kept: whoever sends a request
-- again gets the first answer.
ALTER TABLE kg_api.submissions ADD COLUMN request_id text; -- that carried it out
ALTER TABLE kg_api.submissions ADD COLUMN status smallint; -- of the answer; null until it is known
ALTER TABLE kg_api.submissions ADD COLUMN answer bytea;
ALTER TABLE kg_api.submissions ADD CONSTRAINT answer_has_a_status CHECK ((status IS NULL) = (answer IS NULL));

-- +goose Down
DELETE FROM kg_api.submissions WHERE job_id = '';
ALTER TABLE kg_api.submissions DROP CONSTRAINT answer_has_a_status;
ALTER TABLE kg_api.submissions DROP COLUMN answer;
ALTER TABLE kg_api.submissions DROP COLUMN status;
ALTER TABLE kg_api.submissions DROP COLUMN request_id;
