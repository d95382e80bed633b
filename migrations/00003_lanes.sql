-- +goose Up
CREATE TABLE kg_api.worker_lanes (
    name                  text PRIMARY KEY,
    job_types             text[] NOT NULL,
    max_slots             integer NOT NULL DEFAULT 1 CONSTRAINT max_slots_is_0_or_more CHECK (max_slots >= 0),
    poll_interval_ms      integer NOT NULL DEFAULT 5000
        CONSTRAINT poll_interval_is_500_to_120000_ms CHECK (poll_interval_ms BETWEEN 500 AND 120000),
    stale_timeout_minutes integer NOT NULL DEFAULT 30
        CONSTRAINT stale_timeout_is_5_to_1440_minutes CHECK (stale_timeout_minutes BETWEEN 5 AND 1440),
    enabled               boolean NOT NULL DEFAULT true,
    updated_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);

INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes) VALUES
    ('interactive', '{ingestion,ingest_image,polarity}', 2, 2000, 30),
    ('maintenance', '{projection,vocab_refresh,vocab_embedding,epistemic_remeasurement,ontology_annealing,proposal_execution}', 1, 15000, 60),
    ('system', '{restore,vocab_consolidate,artifact_cleanup,source_embedding}', 1, 30000, 120);

-- +goose Down
DROP TABLE kg_api.worker_lanes;
