-- +goose Up
-- An ontology has a key that stays whatever it is called, also in a backup and in another
-- database. The ids of new chunks are made of it: made of the name, a document of a new
-- ontology had the ids of one that was renamed, and took its chunks.

-- Whoever writes the graph holds this lock from the beginning.
SELECT pg_advisory_xact_lock(100000002);

ALTER TABLE kg_api.ontologies ADD COLUMN key uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT ontologies_key_key UNIQUE;

-- A chunk is found by its document and where it begins, and not by its id: those that are
-- there keep theirs, and one that was moved is not taken back.
CREATE INDEX sources_span_idx ON kg_api.sources (document, start_byte);

-- What was moved is moved back by an undo unless it was read again since: job_id is the job
-- that had written it last, from_job the one of the document that it was in, and newest the
-- number of the newest chunk of all at that time. NULL: moved before this was kept.
ALTER TABLE kg_api.moved_documents ADD COLUMN job_id text;
ALTER TABLE kg_api.moved_sources ADD COLUMN job_id text, ADD COLUMN from_job text, ADD COLUMN newest integer;

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
ALTER TABLE kg_api.moved_sources DROP COLUMN newest, DROP COLUMN from_job, DROP COLUMN job_id;
ALTER TABLE kg_api.moved_documents DROP COLUMN job_id;
DROP INDEX kg_api.sources_span_idx;
ALTER TABLE kg_api.ontologies DROP COLUMN key;
