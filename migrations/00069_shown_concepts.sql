-- +goose Up
-- A quote that is added says in the log of the graph which ontology shows its concept now,
-- so that a reader of the log need not count all quotes of the concept again.

-- Whoever writes the graph holds this lock from the beginning: without it, a chunk
-- that is being written and this migration could wait for each other.
SELECT pg_advisory_xact_lock(100000002);

ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept', 'show concept'));

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

DROP TRIGGER log_instances_added ON kg_api.instances;
CREATE TRIGGER log_instances_added AFTER INSERT ON kg_api.instances
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_shown();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP TRIGGER log_instances_added ON kg_api.instances;
CREATE TRIGGER log_instances_added AFTER INSERT ON kg_api.instances
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.log_touched();
DROP FUNCTION kg_api.log_shown;
UPDATE kg_api.graph_log SET op = 'touch concept', dst = NULL WHERE op = 'show concept';
ALTER TABLE kg_api.graph_log DROP CONSTRAINT op_is_known;
ALTER TABLE kg_api.graph_log ADD CONSTRAINT op_is_known
    CHECK (op IN ('add concept', 'remove concept', 'set edge', 'remove edge', 'reload', 'touch concept'));
