-- +goose Up
-- Which version of the rules has cut the passages of a chunk: what an older one has cut, the leader
-- cuts again, a document after the other. Older servers, which know no version, write 0.

-- Who writes chunks has this lock first, and then the tables.
SELECT pg_advisory_xact_lock(100000002);
ALTER TABLE kg_api.sources ADD COLUMN cutter smallint NOT NULL DEFAULT 0;
CREATE INDEX sources_cutter_idx ON kg_api.sources (cutter, document);

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
ALTER TABLE kg_api.sources DROP COLUMN cutter;
