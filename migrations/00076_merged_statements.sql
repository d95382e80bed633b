-- +goose Up
-- A merge of relationship types keeps all that it takes to be undone: see 00075.
ALTER TABLE kg_api.merged_evidence
    ADD COLUMN from_kind text NOT NULL DEFAULT '',
    ADD COLUMN from_start smallint NOT NULL DEFAULT 0,
    ADD COLUMN from_end smallint NOT NULL DEFAULT 0,
    ADD COLUMN to_kind text NOT NULL DEFAULT '',
    ADD COLUMN to_start smallint NOT NULL DEFAULT 0,
    ADD COLUMN to_end smallint NOT NULL DEFAULT 0,
    ADD COLUMN before_quote text NOT NULL DEFAULT '',
    ADD COLUMN before_start integer NOT NULL DEFAULT 0,
    ADD COLUMN created_at timestamptz;

-- +goose Down
ALTER TABLE kg_api.merged_evidence
    DROP COLUMN from_kind, DROP COLUMN from_start, DROP COLUMN from_end, DROP COLUMN to_kind, DROP COLUMN to_start, DROP COLUMN to_end,
    DROP COLUMN before_quote, DROP COLUMN before_start, DROP COLUMN created_at;
