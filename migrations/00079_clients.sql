-- +goose Up
-- What other programs keep with a role of theirs.
ALTER TABLE kg_api.roles
    ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}' CONSTRAINT role_metadata_is_an_object CHECK (jsonb_typeof(metadata) = 'object');

-- The relationship types that documents brought in and that nothing needs any more: no
-- edge has them, and none would by undoing a merge of types or of concepts. A document
-- that uses one again brings it back.
CREATE VIEW kg_api.unused_types AS
SELECT t.id, t.name
FROM kg_api.relationship_types t
WHERE NOT t.is_builtin AND t.added_by IS NULL AND t.merged_into IS NULL
    AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.type = t.id)
    AND NOT EXISTS (SELECT FROM kg_api.vocabulary_merges m WHERE t.id IN (m.source, m.target))
    AND NOT EXISTS (SELECT FROM kg_api.concept_merge_rows r WHERE r.kind = 'edge' AND (r.content ->> 'type')::smallint = t.id);

-- +goose Down
DROP VIEW kg_api.unused_types;
ALTER TABLE kg_api.roles DROP COLUMN metadata;
