-- +goose Up
-- The jobs that wait for a provider of models: from the first call that it did not take, or
-- that was not made because it takes none, up to its first answer to a call of the job. told
-- and warned say what those who follow the job have been told. There is no foreign key: a
-- provider's calls wait for no job's row.
CREATE TABLE kg_api.provider_waits (
    job_id   text NOT NULL,
    provider text NOT NULL,
    reason   text NOT NULL,
    since    timestamptz NOT NULL DEFAULT clock_timestamp(),
    until    timestamptz NOT NULL, -- the provider is not called before
    told     boolean NOT NULL DEFAULT false,
    warned   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (job_id, provider)
);

ALTER TABLE kg_api.job_events DROP CONSTRAINT kind_is_known;
ALTER TABLE kg_api.job_events
    ADD CONSTRAINT kind_is_known CHECK (kind IN ('status', 'progress', 'warning', 'completed', 'failed', 'cancelled')) NOT VALID;

-- +goose Down
DELETE FROM kg_api.job_events WHERE kind = 'warning';
ALTER TABLE kg_api.job_events DROP CONSTRAINT kind_is_known;
ALTER TABLE kg_api.job_events
    ADD CONSTRAINT kind_is_known CHECK (kind IN ('status', 'progress', 'completed', 'failed', 'cancelled')) NOT VALID;
DROP TABLE kg_api.provider_waits;
