-- +goose Up
-- Servers keep the concepts and relationships in memory, and what a search compares of each
-- concept: its names, its embedding, and which ontologies show it. They follow the tables by
-- a log: a row for each change, written by triggers in the transaction that makes it.
--
-- Transactions do not commit in the order of their ids, so a reader remembers the
-- snapshot of its last read and takes the rows of all transactions that were not
-- visible in it. Row locks make the order of id the order of the changes of one edge.

-- "touch concept" names a concept of which a search reads anew what it compares; without
-- one, it is all of them. "show concept" says which ontology (dst) shows a concept now that
-- a quote was added, so that a reader need not count all quotes of the concept again.
CREATE TABLE kg_api.graph_log (
    id         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    txid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    op         text NOT NULL CONSTRAINT op_is_known
        CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept')),
    src        integer, -- or the concept that was added or removed
    dst        integer,
    type       integer,
    confidence real,
    concept_id text, -- of a concept that was added
    PRIMARY KEY (txid, id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.2);

-- How far back the log reaches. The floor rises in steps: what lies below
-- next_floor is removed when all its transactions have ended long enough ago.
CREATE TABLE kg_api.graph_log_floor (
    one        boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_floor CHECK (one),
    floor      xid8 NOT NULL, -- rows of transactions below it may be gone
    next_floor xid8 NOT NULL, -- every transaction below it has ended
    since      timestamptz NOT NULL, -- when that was found
    cluster    text NOT NULL DEFAULT '' -- whose transactions they are; '': not known yet
);
INSERT INTO kg_api.graph_log_floor (floor, next_floor, since) VALUES ('0', pg_snapshot_xmin(pg_current_snapshot()), clock_timestamp());

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_edges_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src, dst, type, confidence)
    SELECT 'set edge', e.src, e.dst, e.type, e.confidence FROM changed e;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_edges_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src, dst, type)
    SELECT 'remove edge', e.src, e.dst, e.type FROM changed e;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_concepts_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src, concept_id)
    SELECT 'add concept', c.id, c.concept_id FROM changed c;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_concepts_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT 'remove concept', c.id FROM changed c;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Has every server load the graph anew: for whoever changes the tables past the
-- triggers.
-- +goose StatementBegin
CREATE FUNCTION kg_api.reload_graph() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op) VALUES ('reload');
    PERFORM pg_notify('kg_graph', '');
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_reload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kg_api.reload_graph();
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER log_concepts_added AFTER INSERT ON kg_api.concepts
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_concepts_added();
CREATE TRIGGER log_concepts_removed AFTER DELETE ON kg_api.concepts
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_concepts_removed();
CREATE TRIGGER log_concepts_renumbered AFTER UPDATE OF id, concept_id OR TRUNCATE ON kg_api.concepts
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();

CREATE TRIGGER log_edges_added AFTER INSERT ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_edges_set();
CREATE TRIGGER log_edges_changed AFTER UPDATE ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_edges_set();
CREATE TRIGGER log_edges_removed AFTER DELETE ON kg_api.edges
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_edges_removed();
CREATE TRIGGER log_edges_moved AFTER UPDATE OF src, dst, type OR TRUNCATE ON kg_api.edges
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();

-- What a search compares. It is read anew of the concepts that a change has touched, and of
-- all of them only when nobody can say which.
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
CREATE FUNCTION kg_api.log_shown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src, dst)
    SELECT DISTINCT 'show concept', c.concept, d.ontology_id
    FROM changed c
    JOIN kg_api.sources s ON s.id = c.source
    JOIN kg_api.documents d ON d.id = s.document;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

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

CREATE TRIGGER log_instances_removed AFTER DELETE ON kg_api.instances
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
CREATE TRIGGER log_instances_added AFTER INSERT ON kg_api.instances
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_shown();
CREATE TRIGGER log_instances_moved AFTER UPDATE ON kg_api.instances
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_instances_moved();
CREATE TRIGGER log_instances_truncated AFTER TRUNCATE ON kg_api.instances FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_all_touched();

CREATE TRIGGER log_sources_moved AFTER UPDATE ON kg_api.sources
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_sources_moved();

CREATE TRIGGER log_documents_moved AFTER UPDATE ON kg_api.documents
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_documents_moved();

CREATE TRIGGER log_ontologies_renamed AFTER UPDATE ON kg_api.ontologies
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_ontologies_renamed();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP FUNCTION kg_api.log_ontologies_renamed, kg_api.log_documents_moved, kg_api.log_sources_moved, kg_api.log_instances_moved,
    kg_api.log_shown, kg_api.log_all_touched, kg_api.log_names_changed, kg_api.log_touched, kg_api.log_reload,
    kg_api.log_concepts_removed, kg_api.log_concepts_added, kg_api.log_edges_removed, kg_api.log_edges_set CASCADE; -- with their triggers
DROP FUNCTION kg_api.reload_graph;
DROP TABLE kg_api.graph_log_floor, kg_api.graph_log;
