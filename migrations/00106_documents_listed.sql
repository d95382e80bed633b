-- +goose Up
-- The documents of an ontology are read newest first, in the order of an index.
SELECT pg_advisory_xact_lock(100000002);
CREATE INDEX documents_listed_idx ON kg_api.documents (ontology_id, id);
DROP INDEX kg_api.documents_ontology_idx;

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
CREATE INDEX documents_ontology_idx ON kg_api.documents (ontology_id);
DROP INDEX kg_api.documents_listed_idx;
