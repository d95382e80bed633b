-- +goose Up
-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- Where both ends of a relationship stand in its quote, in bytes of the quote: by a name,
-- by a word that refers to them, or in the sentence before, which is kept then. What was
-- written before this was kept says nothing of it, nor when it was read.
ALTER TABLE kg_api.edge_evidence
    ADD COLUMN from_kind text NOT NULL DEFAULT '',
    ADD COLUMN from_start smallint NOT NULL DEFAULT 0,
    ADD COLUMN from_end smallint NOT NULL DEFAULT 0,
    ADD COLUMN to_kind text NOT NULL DEFAULT '',
    ADD COLUMN to_start smallint NOT NULL DEFAULT 0,
    ADD COLUMN to_end smallint NOT NULL DEFAULT 0,
    ADD COLUMN before_quote text NOT NULL DEFAULT '',
    ADD COLUMN before_start integer NOT NULL DEFAULT 0,
    ADD COLUMN created_at timestamptz,
    ADD CONSTRAINT kinds_of_marks_are_known CHECK (from_kind IN ('', 'name', 'reference', 'before') AND to_kind IN ('', 'name', 'reference', 'before')),
    ADD CONSTRAINT marks_stand_in_the_quote CHECK (0 <= from_start AND from_start <= from_end AND from_end <= octet_length(quote)
        AND 0 <= to_start AND to_start <= to_end AND to_end <= octet_length(quote));
ALTER TABLE kg_api.edge_evidence ALTER COLUMN created_at SET DEFAULT clock_timestamp();

-- +goose Down
ALTER TABLE kg_api.edge_evidence
    DROP COLUMN from_kind, DROP COLUMN from_start, DROP COLUMN from_end, DROP COLUMN to_kind, DROP COLUMN to_start, DROP COLUMN to_end,
    DROP COLUMN before_quote, DROP COLUMN before_start, DROP COLUMN created_at;
