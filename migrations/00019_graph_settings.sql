-- +goose Up
-- How questions are put to the tables of the graph. Every server follows a change
-- within a second: it is notified on kg_graph_settings.
CREATE TABLE kg_api.graph_settings (
    one                   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    max_workers           integer NOT NULL DEFAULT 8 CONSTRAINT workers_are_1_to_32 CHECK (max_workers BETWEEN 1 AND 32),
    timeout_seconds       integer NOT NULL DEFAULT 30 CONSTRAINT timeout_is_5_to_120_seconds CHECK (timeout_seconds BETWEEN 5 AND 120),
    parallel_from         integer NOT NULL DEFAULT 4000 CONSTRAINT parallel_from_is_1_to_1000000 CHECK (parallel_from BETWEEN 1 AND 1000000),
    chunk_size            integer NOT NULL DEFAULT 1000 CONSTRAINT chunk_size_is_1_to_100000 CHECK (chunk_size BETWEEN 1 AND 100000),
    chunk_timeout_seconds integer NOT NULL DEFAULT 5 CONSTRAINT chunk_timeout_is_1_to_120_seconds CHECK (chunk_timeout_seconds BETWEEN 1 AND 120),
    max_results_per_chunk integer NOT NULL DEFAULT 500000 CONSTRAINT chunk_results_are_100_to_5000000 CHECK (max_results_per_chunk BETWEEN 100 AND 5000000),
    updated_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO kg_api.graph_settings DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.graph_settings;
