-- +goose Up
-- Lists are read in the order of an index.

-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- The chunks of the newest document first. It serves what sources_document_idx did.
CREATE INDEX sources_listed_idx ON kg_api.sources (document DESC, chunk_number, id);
DROP INDEX kg_api.sources_document_idx;

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
CREATE INDEX sources_document_idx ON kg_api.sources (document, chunk_number);
DROP INDEX kg_api.sources_listed_idx;
