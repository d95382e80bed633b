-- +goose Up
-- What a search holds in memory is read anew of the concepts that a change has touched, and
-- no more of all of them when documents were moved, concepts merged, or a document was
-- removed: its last statement deletes an ontology that is empty, and seldom finds one.

-- Whoever writes the graph holds this lock from the beginning.
SELECT pg_advisory_xact_lock(100000002);

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_instances_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT DISTINCT 'touch concept', t.concept
    FROM changed n JOIN previous p ON p.id = n.id CROSS JOIN LATERAL unnest(ARRAY[n.concept, p.concept]) AS t (concept)
    WHERE (n.concept, n.source) IS DISTINCT FROM (p.concept, p.source);
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_sources_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT DISTINCT 'touch concept', i.concept
    FROM changed n JOIN previous p ON p.id = n.id JOIN kg_api.instances i ON i.source = n.id
    WHERE n.document <> p.document;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_documents_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT DISTINCT 'touch concept', i.concept
    FROM changed n JOIN previous p ON p.id = n.id
    JOIN kg_api.sources s ON s.document = n.id
    JOIN kg_api.instances i ON i.source = s.id
    WHERE n.ontology_id <> p.ontology_id;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- One that is deleted is shown by no concept any more, and those that it was were logged.
-- +goose StatementBegin
CREATE FUNCTION kg_api.log_ontologies_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op)
    SELECT 'touch concept' WHERE EXISTS (SELECT 1 FROM changed n JOIN previous p ON p.id = n.id WHERE n.name <> p.name);
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

DROP TRIGGER log_instances_moved ON kg_api.instances;
CREATE TRIGGER log_instances_moved AFTER UPDATE ON kg_api.instances
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_instances_moved();
CREATE TRIGGER log_instances_truncated AFTER TRUNCATE ON kg_api.instances FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();

DROP TRIGGER log_sources_moved ON kg_api.sources;
CREATE TRIGGER log_sources_moved AFTER UPDATE ON kg_api.sources
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_sources_moved();

DROP TRIGGER log_documents_moved ON kg_api.documents;
CREATE TRIGGER log_documents_moved AFTER UPDATE ON kg_api.documents
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_documents_moved();

DROP TRIGGER log_ontologies_renamed ON kg_api.ontologies;
CREATE TRIGGER log_ontologies_renamed AFTER UPDATE ON kg_api.ontologies
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_ontologies_renamed();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP TRIGGER log_ontologies_renamed ON kg_api.ontologies;
DROP TRIGGER log_documents_moved ON kg_api.documents;
DROP TRIGGER log_sources_moved ON kg_api.sources;
DROP TRIGGER log_instances_truncated ON kg_api.instances;
DROP TRIGGER log_instances_moved ON kg_api.instances;
CREATE TRIGGER log_instances_moved AFTER UPDATE OF concept, source OR TRUNCATE ON kg_api.instances
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
CREATE TRIGGER log_sources_moved AFTER UPDATE OF document ON kg_api.sources
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
CREATE TRIGGER log_documents_moved AFTER UPDATE OF ontology_id ON kg_api.documents
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
CREATE TRIGGER log_ontologies_renamed AFTER UPDATE OF name OR DELETE ON kg_api.ontologies
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();
DROP FUNCTION kg_api.log_ontologies_renamed, kg_api.log_documents_moved, kg_api.log_sources_moved, kg_api.log_instances_moved;
