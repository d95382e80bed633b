-- +goose Up
-- Passages: the paragraphs, lists, rows of tables and blocks of code of a document, which is
-- what a question is answered with. They are cut once over the whole text of a document, and
-- written with the chunk in which they end: chunks overlap, passages do not. What finds them is
-- an index in each server's files, which follows these tables by the log of the graph.

-- Who writes chunks has this lock first, and then the tables.
SELECT pg_advisory_xact_lock(100000002);

-- "touch source" names a chunk whose passages, or what is said of its document, have changed.
-- An older server passes over it.
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept', 'touch source'));

-- Whether passages were cut of a chunk: those of an older database, of an archive without
-- passages, and of an older server are cut by the leader.
ALTER TABLE kg_api.sources ADD COLUMN is_cut boolean NOT NULL DEFAULT false;
CREATE INDEX sources_uncut_idx ON kg_api.sources (document) WHERE NOT is_cut;

-- Rows are never updated: a passage that has changed is another one. Offsets are half-open and
-- count from the document's first byte and first character; a passage may begin before its chunk.
CREATE TABLE kg_api.passages (
    id         integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    number     integer NOT NULL, -- in the document, from 1
    start_byte integer NOT NULL,
    end_byte   integer NOT NULL,
    start_char integer NOT NULL,
    end_char   integer NOT NULL,
    page       integer CONSTRAINT pages_count_from_1 CHECK (page >= 1),
    section    text NOT NULL DEFAULT '', -- the path of headings, "Setup > Install"
    class      text NOT NULL CONSTRAINT class_is_known
        CHECK (class IN ('prose', 'list', 'table', 'code', 'navigation', 'notice', 'contents', 'references', 'licence', 'markup')),
    language   text NOT NULL DEFAULT '', -- ISO 639-1
    columns    text[] NOT NULL DEFAULT '{}', -- of a table, by name
    defines    text[] NOT NULL DEFAULT '{}', -- the terms that it defines
    body       text NOT NULL,
    CONSTRAINT passages_count_from_1 CHECK (number >= 1),
    CONSTRAINT span_is_not_empty CHECK (0 <= start_byte AND start_byte < end_byte AND 0 <= start_char AND start_char < end_char),
    CONSTRAINT body_is_the_span CHECK (octet_length(body) = end_byte - start_byte),
    -- Which passages there are, and of which chunks, is read of all of them when a server starts:
    -- from the index, without their texts.
    PRIMARY KEY (id) INCLUDE (source),
    UNIQUE (source, number)
);

-- What is said of a document besides its text, in a number: who keeps that knows by it when
-- it has changed.
CREATE FUNCTION kg_api.document_stamp(filename text, source_path text, ontology integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtext(concat_ws(E'\x1f', ontology::text, filename, coalesce(source_path, '')));

-- +goose StatementBegin
CREATE FUNCTION kg_api.log_passages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src) SELECT DISTINCT 'touch source', c.source FROM changed c;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER log_passages_added AFTER INSERT ON kg_api.passages
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_passages();
CREATE TRIGGER log_passages_changed AFTER UPDATE ON kg_api.passages
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_passages();
CREATE TRIGGER log_passages_removed AFTER DELETE ON kg_api.passages
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_passages();
CREATE TRIGGER log_passages_renumbered AFTER UPDATE OF id, source OR TRUNCATE ON kg_api.passages
    FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_reload();

-- What is said of a document, as its name and its ontology, is found with its passages.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.log_sources_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO kg_api.graph_log (op, src)
    SELECT DISTINCT 'touch concept', i.concept
    FROM changed n JOIN previous p ON p.id = n.id JOIN kg_api.instances i ON i.source = n.id
    WHERE n.document <> p.document;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    INSERT INTO kg_api.graph_log (op, src)
    SELECT 'touch source', n.id FROM changed n JOIN previous p ON p.id = n.id
    WHERE n.document <> p.document;
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.log_documents_moved() RETURNS trigger LANGUAGE plpgsql AS $$
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
    INSERT INTO kg_api.graph_log (op, src)
    SELECT 'touch source', s.id FROM changed n JOIN previous p ON p.id = n.id JOIN kg_api.sources s ON s.document = n.id
    WHERE (n.ontology_id, n.filename, n.source_path) IS DISTINCT FROM (p.ontology_id, p.filename, p.source_path);
    IF found THEN
        PERFORM pg_notify('kg_graph', '');
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DELETE FROM kg_api.graph_log WHERE op = 'touch source';
DROP TABLE kg_api.passages;
DROP FUNCTION kg_api.log_passages, kg_api.document_stamp;
ALTER TABLE kg_api.sources DROP COLUMN is_cut;
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept'));
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION kg_api.log_sources_moved() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION kg_api.log_documents_moved() RETURNS trigger LANGUAGE plpgsql AS $$
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
