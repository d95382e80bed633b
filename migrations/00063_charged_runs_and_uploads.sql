-- +goose Up
-- The jobs of remote workers whose spending is counted for their parents, each once.
CREATE TABLE kg_api.charged_runs (
    job_id text PRIMARY KEY REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE
);

-- The pieces of a large document on its way in, for the time of one transaction: a server
-- sends a statement from a copy of all that it holds.
CREATE UNLOGGED TABLE kg_api.content_pieces (
    content_hash text NOT NULL,
    place        integer NOT NULL,
    body         bytea NOT NULL,
    PRIMARY KEY (content_hash, place)
);
ALTER TABLE kg_api.content_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

-- +goose Down
DROP TABLE kg_api.content_pieces;
DROP TABLE kg_api.charged_runs;
