-- +goose Up
-- Servers keep the concepts and relationships in memory, and follow the tables by
-- this log: a row for each change, written in the transaction that makes it.
--
-- Transactions do not commit in the order of their ids, so a reader remembers the
-- snapshot of its last read and takes the rows of all transactions that were not
-- visible in it. Row locks make the order of id the order of the changes of one edge.

-- Whoever writes the graph holds this lock from the beginning: without it, a chunk
-- that is being written and this migration could wait for each other.
SELECT pg_advisory_xact_lock(100000002);

CREATE TABLE kg_api.graph_log (
    id         bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    txid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
    op         text NOT NULL CONSTRAINT op_is_known CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload')),
    src        integer, -- or the concept that was added or removed
    dst        integer,
    type       smallint,
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

-- +goose Down
DROP TRIGGER log_edges_moved ON kg_api.edges;
DROP TRIGGER log_edges_removed ON kg_api.edges;
DROP TRIGGER log_edges_changed ON kg_api.edges;
DROP TRIGGER log_edges_added ON kg_api.edges;
DROP TRIGGER log_concepts_renumbered ON kg_api.concepts;
DROP TRIGGER log_concepts_removed ON kg_api.concepts;
DROP TRIGGER log_concepts_added ON kg_api.concepts;
DROP FUNCTION kg_api.log_reload, kg_api.reload_graph, kg_api.log_concepts_removed, kg_api.log_concepts_added,
    kg_api.log_edges_removed, kg_api.log_edges_set;
DROP TABLE kg_api.graph_log_floor, kg_api.graph_log;
