-- +goose Up
-- What the graph counted when somebody last asked for the counters to be refreshed, so
-- that it can be said how much has changed since.
CREATE TABLE kg_api.counter_measurements (
    name        text PRIMARY KEY,
    value       bigint NOT NULL,
    measured_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE kg_api.counter_measurements;
