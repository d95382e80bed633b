-- +goose Up
-- The relationships of one type are listed, and merged into another type, by this index:
-- most types are rare, and who looks for one of them would read all relationships.
CREATE INDEX edges_type_idx ON kg_api.edges (type, src, dst);

-- +goose Down
DROP INDEX kg_api.edges_type_idx;
