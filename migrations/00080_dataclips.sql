-- +goose Up
-- Inputs of runs that are too large for the data of their job. Each is uploaded by itself,
-- and jobs refer to it by its id. jobs counts them: a clip goes with the last of them, and
-- one that no job has ever used goes after a day.
CREATE TABLE kg_api.dataclips (
    dataclip_id text PRIMARY KEY,
    user_id     int NOT NULL,
    body        bytea NOT NULL,
    bytes       int NOT NULL GENERATED ALWAYS AS (octet_length(body)) STORED,
    jobs        int NOT NULL DEFAULT 0,
    used        boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT dataclip_jobs_not_negative CHECK (jobs >= 0)
);
CREATE INDEX dataclips_user_idx ON kg_api.dataclips (user_id, created_at);
CREATE INDEX dataclips_free_idx ON kg_api.dataclips (created_at) WHERE jobs = 0;

CREATE TABLE kg_api.job_dataclips (
    job_id      text NOT NULL,
    dataclip_id text NOT NULL,
    PRIMARY KEY (job_id, dataclip_id)
);

-- +goose Down
DROP TABLE kg_api.job_dataclips, kg_api.dataclips;
