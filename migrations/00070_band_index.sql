-- +goose Up
-- The built-in embeddings compare names only, and nothing is matched by them: they need not
-- be in the index on the bands, which costs more than all else that a new concept writes,
-- and more the larger the graph is.
SELECT pg_advisory_xact_lock(100000002);
DROP INDEX kg_api.concept_embeddings_bands_idx;
CREATE INDEX concept_embeddings_bands_idx ON kg_api.concept_embeddings USING gin (bands) WITH (fastupdate = off)
    WHERE model <> 'local-ngram-768';

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP INDEX kg_api.concept_embeddings_bands_idx;
CREATE INDEX concept_embeddings_bands_idx ON kg_api.concept_embeddings USING gin (bands) WITH (fastupdate = off);
