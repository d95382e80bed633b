-- +goose Up
-- The ledger of effects: which steps of a job are done for good, and under
-- which claim. A row commits together with the checkpoint that records its
-- step, so that a step counts once, however often it was begun.
CREATE TABLE kg_api.job_effects (
    job_id      text NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE,
    step        text NOT NULL CONSTRAINT step_is_1_to_200_characters CHECK (char_length(step) BETWEEN 1 AND 200),
    claim_token bigint NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, step)
);

-- +goose Down
DROP TABLE kg_api.job_effects;
