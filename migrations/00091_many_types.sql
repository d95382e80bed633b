-- +goose Up
-- A relationship type has a number of 32 bits: the 32,768th that was ever added failed, and
-- with it every ingestion that brought a new one. It rewrites the relationships and their
-- evidence, about a minute for ten million.

-- Whoever writes the graph holds this lock from the beginning.
SELECT pg_advisory_xact_lock(100000002);

DROP VIEW kg_api.unused_types;
DROP TRIGGER log_edges_moved ON kg_api.edges; -- PostgreSQL changes no type of a column that a trigger names
ALTER TABLE kg_api.relationship_types ALTER COLUMN id TYPE integer, ALTER COLUMN merged_into TYPE integer;
ALTER TABLE kg_api.edges ALTER COLUMN type TYPE integer;
ALTER TABLE kg_api.edge_evidence ALTER COLUMN type TYPE integer;
ALTER TABLE kg_api.graph_log ALTER COLUMN type TYPE integer;
ALTER TABLE kg_api.type_embeddings ALTER COLUMN type TYPE integer;
ALTER TABLE kg_api.type_measures ALTER COLUMN type TYPE integer;
ALTER TABLE kg_api.vocabulary_merges ALTER COLUMN source TYPE integer, ALTER COLUMN target TYPE integer;
ALTER TABLE kg_api.vocabulary_reviews ALTER COLUMN source TYPE integer, ALTER COLUMN target TYPE integer;
CREATE TRIGGER log_edges_moved AFTER UPDATE OF src, dst, type OR TRUNCATE ON kg_api.edges
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();

DROP FUNCTION kg_api.current_type(smallint);
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_type(t integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    next integer;
BEGIN
    LOOP
        SELECT r.merged_into INTO next FROM kg_api.relationship_types r WHERE r.id = t;
        EXIT WHEN next IS NULL;
        t := next;
    END LOOP;
    RETURN t;
END $$;
-- +goose StatementEnd

CREATE VIEW kg_api.unused_types AS
SELECT t.id, t.name
FROM kg_api.relationship_types t
WHERE NOT t.is_builtin AND t.added_by IS NULL AND t.merged_into IS NULL
    AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.type = t.id)
    AND NOT EXISTS (SELECT FROM kg_api.vocabulary_merges m WHERE t.id IN (m.source, m.target))
    AND NOT EXISTS (SELECT FROM kg_api.concept_merge_rows r WHERE r.kind = 'edge' AND (r.content ->> 'type')::int = t.id);

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP VIEW kg_api.unused_types;
DROP FUNCTION kg_api.current_type(integer);
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_type(t smallint) RETURNS smallint LANGUAGE plpgsql STABLE AS $$
DECLARE
    next smallint;
BEGIN
    LOOP
        SELECT r.merged_into INTO next FROM kg_api.relationship_types r WHERE r.id = t;
        EXIT WHEN next IS NULL;
        t := next;
    END LOOP;
    RETURN t;
END $$;
-- +goose StatementEnd
DROP TRIGGER log_edges_moved ON kg_api.edges;
ALTER TABLE kg_api.vocabulary_reviews ALTER COLUMN target TYPE smallint, ALTER COLUMN source TYPE smallint;
ALTER TABLE kg_api.vocabulary_merges ALTER COLUMN target TYPE smallint, ALTER COLUMN source TYPE smallint;
ALTER TABLE kg_api.type_measures ALTER COLUMN type TYPE smallint;
ALTER TABLE kg_api.type_embeddings ALTER COLUMN type TYPE smallint;
ALTER TABLE kg_api.graph_log ALTER COLUMN type TYPE smallint;
ALTER TABLE kg_api.edge_evidence ALTER COLUMN type TYPE smallint;
ALTER TABLE kg_api.edges ALTER COLUMN type TYPE smallint;
ALTER TABLE kg_api.relationship_types ALTER COLUMN merged_into TYPE smallint, ALTER COLUMN id TYPE smallint;
CREATE TRIGGER log_edges_moved AFTER UPDATE OF src, dst, type OR TRUNCATE ON kg_api.edges
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();
CREATE VIEW kg_api.unused_types AS
SELECT t.id, t.name
FROM kg_api.relationship_types t
WHERE NOT t.is_builtin AND t.added_by IS NULL AND t.merged_into IS NULL
    AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.type = t.id)
    AND NOT EXISTS (SELECT FROM kg_api.vocabulary_merges m WHERE t.id IN (m.source, m.target))
    AND NOT EXISTS (SELECT FROM kg_api.concept_merge_rows r WHERE r.kind = 'edge' AND (r.content ->> 'type')::smallint = t.id);
