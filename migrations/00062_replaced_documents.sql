-- +goose Up
-- Earlier versions of a file are found by where it came from. A path may be longer than an
-- entry of an index.
CREATE INDEX documents_source_idx ON kg_api.documents (ontology_id, md5(source_path)) WHERE source_path IS NOT NULL;

-- +goose Down
DROP INDEX kg_api.documents_source_idx;
