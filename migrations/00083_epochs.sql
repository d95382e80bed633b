-- +goose Up
-- What raised the graph's epoch, a row each, from here on. The counts are of concepts that
-- came and went, and of relationships that were written and that went.
CREATE TABLE kg_api.epoch_log (
    epoch            bigint PRIMARY KEY,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind             text NOT NULL CONSTRAINT epoch_kind_is_known CHECK (kind IN ('ingestion', 'reasoning', 'breathing', 'edit')),
    act              text NOT NULL, -- as the audit log names it
    actor            text NOT NULL DEFAULT '', -- a user name; '': the server itself
    job_id           text, -- whose row may be gone
    object           text NOT NULL DEFAULT '', -- what it was about
    concepts_added   integer NOT NULL DEFAULT 0,
    concepts_removed integer NOT NULL DEFAULT 0,
    edges_set        integer NOT NULL DEFAULT 0,
    edges_removed    integer NOT NULL DEFAULT 0
);
CREATE INDEX epoch_log_job_idx ON kg_api.epoch_log (job_id, epoch) WHERE job_id IS NOT NULL;
CREATE INDEX epoch_log_note_idx ON kg_api.epoch_log (object, epoch) WHERE act = 'graph.write';
CREATE INDEX epoch_log_kind_idx ON kg_api.epoch_log (kind, epoch);
CREATE INDEX epoch_log_actor_idx ON kg_api.epoch_log (actor, epoch);
CREATE INDEX epoch_log_at_idx ON kg_api.epoch_log (at);

-- Whether a part of a text stands at an offset in bytes.
CREATE FUNCTION kg_api.stands_at(whole text, start integer, bytes integer, part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN start >= 0 AND bytes = octet_length(part)
    AND substring(convert_to(whole, 'UTF8') FROM greatest(start, 0) + 1 FOR greatest(bytes, 0)) = convert_to(part, 'UTF8');

-- +goose Down
DROP FUNCTION kg_api.stands_at;
DROP TABLE kg_api.epoch_log;
