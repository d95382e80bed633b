-- +goose Up
-- The schedules that a server has once made by itself: one that an operator has removed
-- does not come back.
CREATE TABLE kg_api.schedule_seeds (
    name text PRIMARY KEY,
    at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- +goose Down
DROP TABLE kg_api.schedule_seeds;
