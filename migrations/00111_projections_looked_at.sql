-- +goose Up
-- When somebody last looked at a projection, to the hour: those that nobody looks at are
-- not made again by a schedule. One that is there already counts as looked at now.
ALTER TABLE kg_api.projections ADD COLUMN looked_at timestamptz NOT NULL DEFAULT now();

-- +goose Down
ALTER TABLE kg_api.projections DROP COLUMN looked_at;
