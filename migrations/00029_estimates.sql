-- +goose Up
-- What ingestions were estimated at and what they took, by model, so that the next
-- estimates are better. expected is the tokens that were sent by the analysis: the chunks,
-- overlap included, and the prompt with each.
CREATE TABLE kg_api.estimates (
    job_id          text PRIMARY KEY,
    model           text NOT NULL,
    chunks          integer NOT NULL,
    words           integer NOT NULL,
    concepts        integer NOT NULL,
    text_tokens     integer NOT NULL DEFAULT 0,
    expected_tokens integer NOT NULL DEFAULT 0,
    input_tokens    bigint NOT NULL DEFAULT 0,
    output_tokens   bigint NOT NULL DEFAULT 0,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT something_was_read CHECK (chunks > 0 AND words > 0)
);
CREATE INDEX estimates_model_idx ON kg_api.estimates (model, at DESC);

-- +goose Down
DROP TABLE kg_api.estimates;
