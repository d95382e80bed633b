-- +goose Up
-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- Signs that join words are spaces to a search: whoever asks for bar finds foo/bar.
CREATE FUNCTION kg_api.spaced(t text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(t, '/\.@:-_#&=+~*|<>', '               ');

-- The words of a text. Those of a chunk, which has at most 256 KiB, fit into a tsvector.
CREATE FUNCTION kg_api.words_of(t text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector('pg_catalog.simple', kg_api.spaced(t)) || to_tsvector('pg_catalog.english', kg_api.spaced(t));

-- A search for words finds each word of a chunk as it is written ("simple") and by
-- its English stem. The reading is what the reader found in the chunk, compressed: the
-- same text need not be read again by the same reader.
ALTER TABLE kg_api.sources
    ADD COLUMN words_index tsvector GENERATED ALWAYS AS (kg_api.words_of(full_text)) STORED,
    ADD COLUMN text_md5 uuid GENERATED ALWAYS AS (md5(full_text)::uuid) STORED,
    ADD COLUMN reader text NOT NULL DEFAULT '',
    ADD COLUMN reading bytea;
ALTER TABLE kg_api.sources ALTER COLUMN reading SET STORAGE EXTERNAL;
CREATE INDEX sources_words_idx ON kg_api.sources USING gin (words_index);
CREATE INDEX sources_text_idx ON kg_api.sources (text_md5);

-- +goose Down
DROP INDEX kg_api.sources_words_idx, kg_api.sources_text_idx;
ALTER TABLE kg_api.sources DROP COLUMN words_index, DROP COLUMN text_md5, DROP COLUMN reader, DROP COLUMN reading;
DROP FUNCTION kg_api.words_of, kg_api.spaced;
