-- +goose Up
-- The keys under which clients have submitted jobs, so that what is sent again
-- because its answer was lost makes no second job. They are forgotten after a day.
CREATE TABLE kg_api.submissions (
    user_id     integer NOT NULL REFERENCES kg_api.users (id) ON DELETE CASCADE,
    key         text NOT NULL CONSTRAINT key_is_short CHECK (length(key) BETWEEN 1 AND 255),
    fingerprint bytea NOT NULL, -- of what was submitted
    job_id      text NOT NULL,  -- which may be gone
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (user_id, key)
);
CREATE INDEX submissions_created_idx ON kg_api.submissions (created_at);

-- +goose Down
DROP TABLE kg_api.submissions;
