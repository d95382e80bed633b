-- +goose Up
-- What is kept of an artifact as a file: in pieces, so that nobody ever holds all of it. A
-- file belongs to its artifact once all pieces are there; one that never does is deleted.
CREATE TABLE kg_api.artifact_files (
    id           bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    artifact_id  bigint UNIQUE REFERENCES kg_api.artifacts (id) ON DELETE CASCADE, -- NULL: it is being written
    content_type text NOT NULL CONSTRAINT content_type_is_1_to_100_bytes CHECK (octet_length(content_type) BETWEEN 1 AND 100),
    bytes        bigint NOT NULL DEFAULT 0 CONSTRAINT file_has_0_or_more_bytes CHECK (bytes >= 0),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE kg_api.artifact_pieces (
    file_id bigint NOT NULL REFERENCES kg_api.artifact_files (id) ON DELETE CASCADE,
    n       integer NOT NULL, -- from 0, without gaps
    body    bytea NOT NULL CONSTRAINT piece_has_at_most_1_mib CHECK (octet_length(body) <= 1048576),
    PRIMARY KEY (file_id, n)
);
-- The files are compressed already.
ALTER TABLE kg_api.artifact_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes)
VALUES ('datasets', '{dataset_query}', 2, 2000, 30)
ON CONFLICT (name) DO NOTHING;

-- +goose Down
DELETE FROM kg_api.worker_lanes WHERE name = 'datasets';
DROP TABLE kg_api.artifact_pieces;
DROP TABLE kg_api.artifact_files;
