-- +goose Up
-- How long the attempts of each minute waited and ran, by lane and type: each server tells
-- once a minute, when attempts have ended. waited and ran are counts by bucket, see
-- work.Durations. A row is of no use after a day.
CREATE TABLE kg_api.attempt_minutes (
    at       timestamptz NOT NULL DEFAULT statement_timestamp(),
    lane     text NOT NULL,
    job_type text NOT NULL,
    ended    jsonb NOT NULL,
    waited   jsonb NOT NULL,
    ran      jsonb NOT NULL
);
CREATE INDEX attempt_minutes_at_idx ON kg_api.attempt_minutes (at);

-- +goose Down
DROP TABLE kg_api.attempt_minutes;
