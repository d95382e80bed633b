-- +goose Up
-- A page of documents is read in its order: those of an ontology newest first, and its files
-- by their paths, of which an index keeps as much as fits.
CREATE INDEX documents_newest_idx ON kg_api.documents (ontology_id, id);
CREATE INDEX documents_path_idx ON kg_api.documents (ontology_id, left(coalesce(source_path, filename), 500), id);

-- +goose Down
DROP INDEX kg_api.documents_path_idx, kg_api.documents_newest_idx;
