-- +goose Up
-- Servers keep what a search compares of each concept in memory: its names, its
-- embedding, and which ontologies show it. The log of the graph names the concepts
-- whose share of that has changed, besides those that are added and removed; readers
-- read them anew. Without a concept, it is all of them.

-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept'));

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src) SELECT DISTINCT 'touch concept', c.concept FROM changed c;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_names_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT 'touch concept', n.id FROM changed n JOIN previous p ON p.id = n.id
    WHERE (n.label, n.term_keys) IS DISTINCT FROM (p.label, p.term_keys);
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_all_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op) VALUES ('touch concept');
    PERFORM pg_notify('kg_graph', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER log_names_changed AFTER UPDATE ON kg_api.concepts
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_names_changed();

CREATE TRIGGER log_embeddings_added AFTER INSERT ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_embeddings_changed AFTER UPDATE ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_embeddings_removed AFTER DELETE ON kg_api.concept_embeddings
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_embeddings_moved AFTER UPDATE OF concept OR TRUNCATE ON kg_api.concept_embeddings
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();

CREATE TRIGGER log_instances_added AFTER INSERT ON kg_api.instances
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_instances_removed AFTER DELETE ON kg_api.instances
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_instances_moved AFTER UPDATE OF concept, source OR TRUNCATE ON kg_api.instances
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();

CREATE TRIGGER log_sources_moved AFTER UPDATE OF document ON kg_api.sources
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
CREATE TRIGGER log_documents_moved AFTER UPDATE OF ontology_id ON kg_api.documents
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
CREATE TRIGGER log_ontologies_renamed AFTER UPDATE OF name OR DELETE ON kg_api.ontologies
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();

-- What is set for searches while servers run.
CREATE TABLE kg_api.search_settings (
    one       boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    threshold double precision CONSTRAINT threshold_is_0_to_1 CHECK (threshold BETWEEN 0 AND 1) -- NULL: the default
);
INSERT INTO kg_api.search_settings DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.search_settings;
DROP TRIGGER log_ontologies_renamed ON kg_api.ontologies;
DROP TRIGGER log_documents_moved ON kg_api.documents;
DROP TRIGGER log_sources_moved ON kg_api.sources;
DROP TRIGGER log_instances_moved ON kg_api.instances;
DROP TRIGGER log_instances_removed ON kg_api.instances;
DROP TRIGGER log_instances_added ON kg_api.instances;
DROP TRIGGER log_embeddings_moved ON kg_api.concept_embeddings;
DROP TRIGGER log_embeddings_removed ON kg_api.concept_embeddings;
DROP TRIGGER log_embeddings_changed ON kg_api.concept_embeddings;
DROP TRIGGER log_embeddings_added ON kg_api.concept_embeddings;
DROP TRIGGER log_names_changed ON kg_api.concepts;
DROP FUNCTION kg_api.log_all_touched, kg_api.log_names_changed, kg_api.log_touched;
DELETE FROM kg_api.graph_log WHERE op = 'touch concept';
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload'));
