-- +goose Up
-- The embeddings of passages, where a model that knows meaning is configured. They are made with
-- the chunk, or later by a job. While one model takes the place of another a passage has one of
-- each. What compares them is a copy of the signatures in each server's memory, which follows
-- this table by the log of the graph; the vectors are read of the few that are nearest.

-- Who writes chunks has this lock first, and then the tables.
SELECT pg_advisory_xact_lock(100000002);

-- "embed source" names a chunk whose passages have other embeddings. An older server passes over it.
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept', 'touch source', 'embed source'));

-- A passage never changes, so its embedding is of its text as long as both are there.
CREATE TABLE kg_api.passage_embeddings (
    passage   integer NOT NULL REFERENCES kg_api.passages (id) ON DELETE CASCADE,
    model     text NOT NULL,
    signature bytea NOT NULL CONSTRAINT signature_has_768_bits CHECK (octet_length(signature) = 96),
    vector    real[] NOT NULL CONSTRAINT vector_is_not_empty CHECK (cardinality(vector) > 0),
    PRIMARY KEY (passage, model)
);
-- Compressing them takes time and saves nothing.
ALTER TABLE kg_api.passage_embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_passage_embeddings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT DISTINCT 'embed source', p.source FROM changed c JOIN kg_api.passages p ON p.id = c.passage;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER log_passages_embedded AFTER INSERT ON kg_api.passage_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_passage_embeddings();
CREATE TRIGGER log_passages_reembedded AFTER UPDATE ON kg_api.passage_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_passage_embeddings();
CREATE TRIGGER log_embeddings_emptied AFTER TRUNCATE ON kg_api.passage_embeddings
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DELETE FROM kg_api.graph_log WHERE op = 'embed source';
DROP TABLE kg_api.passage_embeddings;
DROP FUNCTION kg_api.log_passage_embeddings;
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept', 'touch source'));
