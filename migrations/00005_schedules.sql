-- +goose Up
-- Jobs that are submitted by the clock. A schedule is identified by its id, so
-- that a new one under an old name does not inherit the old one's runs.
CREATE TABLE kg_api.scheduled_jobs (
    schedule_id  integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL UNIQUE CONSTRAINT name_is_1_to_100_characters CHECK (char_length(name) BETWEEN 1 AND 100),
    job_type     text NOT NULL,
    cron         text NOT NULL, -- five fields, read in time_zone
    time_zone    text NOT NULL DEFAULT 'UTC',
    enabled      boolean NOT NULL DEFAULT true,
    condition    text, -- NULL: always
    data         jsonb,
    priority     smallint NOT NULL DEFAULT 0 CONSTRAINT priority_is_in_range CHECK (priority BETWEEN -100 AND 100),

    next_run_at  timestamptz NOT NULL, -- the first due instant that has no answer yet
    last_run_at  timestamptz, -- the last due instant, or the last run by hand
    last_job_id  text,        -- the last job; its row may be gone
    last_outcome text CONSTRAINT last_outcome_is_known CHECK (last_outcome IN ('submitted', 'skipped')),
    last_reason  text,        -- why it was skipped
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT a_skip_has_a_reason CHECK ((last_outcome IS NOT DISTINCT FROM 'skipped') = (last_reason IS NOT NULL))
);

-- How each due instant was answered: by one job, or by a skip with its reason.
-- The primary key is what keeps two leaders from doubling a run.
CREATE TABLE kg_api.schedule_runs (
    schedule_id   integer NOT NULL REFERENCES kg_api.scheduled_jobs (schedule_id) ON DELETE CASCADE,
    scheduled_for timestamptz NOT NULL,
    job_id        text, -- the job's row may be gone
    skip_reason   text,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (schedule_id, scheduled_for),
    CONSTRAINT a_run_is_a_job_or_a_skip CHECK ((job_id IS NULL) <> (skip_reason IS NULL))
);

-- When the leader cleaned up, and when it will again.
CREATE TABLE kg_api.scheduler_state (
    one             boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_state CHECK (one),
    last_cleanup_at timestamptz,
    next_cleanup_at timestamptz
);
INSERT INTO kg_api.scheduler_state DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.scheduler_state, kg_api.schedule_runs, kg_api.scheduled_jobs;
