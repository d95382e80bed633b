-- +goose Up
-- The model that made the embeddings of the graph. Those of two models cannot be
-- compared, so there is one: what another one made is refused, and a job (reembed) makes
-- all of them anew for a new model. NULL: the first server says, see EmbeddingSpaceBegin.

-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

CREATE TABLE kg_api.embedding_space (
    one         boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    model       text,
    dimensions  integer,
    reembedding boolean NOT NULL DEFAULT false -- older embeddings of another model are left
);
INSERT INTO kg_api.embedding_space (model, dimensions)
SELECT e.model, cardinality(e.vector) FROM kg_api.concept_embeddings e
GROUP BY e.model, cardinality(e.vector) ORDER BY count(*) DESC LIMIT 1;
INSERT INTO kg_api.embedding_space DEFAULT VALUES ON CONFLICT DO NOTHING;

ALTER TABLE kg_api.concept_embeddings ADD COLUMN dimensions integer GENERATED ALWAYS AS (cardinality(vector)) STORED;

-- +goose StatementBegin
CREATE FUNCTION kg_api.check_embedding_space() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    space kg_api.embedding_space;
BEGIN
    SELECT s.* INTO space FROM kg_api.embedding_space s;
    IF space.model IS NULL THEN
        RETURN NULL;
    END IF;
    IF space.dimensions IS NULL THEN
        UPDATE kg_api.embedding_space s SET dimensions = (SELECT c.dimensions FROM changed c LIMIT 1)
        WHERE s.dimensions IS NULL RETURNING s.dimensions INTO space.dimensions;
    END IF;
    IF EXISTS (SELECT 1 FROM changed c WHERE c.model <> space.model OR c.dimensions <> space.dimensions) THEN
        RAISE EXCEPTION 'embeddings of another model than that of the graph' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER check_space_added AFTER INSERT ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_embedding_space();
CREATE TRIGGER check_space_changed AFTER UPDATE ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_embedding_space();

-- +goose Down
DROP TRIGGER check_space_changed ON kg_api.concept_embeddings;
DROP TRIGGER check_space_added ON kg_api.concept_embeddings;
DROP FUNCTION kg_api.check_embedding_space;
ALTER TABLE kg_api.concept_embeddings DROP COLUMN dimensions;
DROP TABLE kg_api.embedding_space;
