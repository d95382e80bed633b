-- +goose Up
-- The words of chunks are in the index of passages: nobody searches the texts of chunks
-- themselves any more, and each chunk wrote its words twice. Servers of before 00014 did.
SELECT pg_advisory_xact_lock(100000002);
ALTER TABLE kg_api.sources DROP COLUMN words_index;
DROP FUNCTION kg_api.words_of, kg_api.spaced;
UPDATE kg_api.schema_floor SET version = 14 WHERE version < 14;

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
UPDATE kg_api.schema_floor SET version = 1 WHERE version = 14;
CREATE FUNCTION kg_api.spaced(t text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(t, '/\.@:-_#&=+~*|<>', '               ');
CREATE FUNCTION kg_api.words_of(t text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector('pg_catalog.simple', kg_api.spaced(t)) || to_tsvector('pg_catalog.english', kg_api.spaced(t));
ALTER TABLE kg_api.sources ADD COLUMN words_index tsvector GENERATED ALWAYS AS (kg_api.words_of(full_text)) STORED;
CREATE INDEX sources_words_idx ON kg_api.sources USING gin (words_index);
