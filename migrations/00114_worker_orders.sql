-- +goose Up
-- What an operator wants of a remote worker: beside the drain, slot groups in place of its
-- own. Orders are numbered, so that nobody takes an older one for the latest.
ALTER TABLE kg_api.workers
    ADD COLUMN orders       bigint NOT NULL DEFAULT 0,
    ADD COLUMN asked_groups jsonb; -- NULL: its own

-- +goose Down
ALTER TABLE kg_api.workers DROP COLUMN orders, DROP COLUMN asked_groups;
