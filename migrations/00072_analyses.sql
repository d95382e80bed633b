-- +goose Up
-- The oldest documents of each user that wait for their analysis, and how many wait.
CREATE INDEX jobs_pending_user_idx ON kg_api.jobs (user_id, created_at) WHERE status = 'pending';

-- The analyses that a server has claimed, and what is known of those that go on later.
-- Most pending jobs have no row. What is lost in a crash is claimed again, so these tables
-- need no log; for the same reason no key holds them to the jobs: rows of jobs that are
-- pending no more are swept.
CREATE UNLOGGED TABLE kg_api.analyses (
    job_id      text PRIMARY KEY,
    server      uuid NOT NULL,        -- which has claimed it last
    lease_until timestamptz NOT NULL, -- nobody else claims it before
    late_since  timestamptz,          -- when it had missed its first limit
    tries       integer NOT NULL DEFAULT 0 -- that failed for a reason that may pass
) WITH (fillfactor = 50);
CREATE INDEX analyses_late_idx ON kg_api.analyses (late_since) WHERE late_since IS NOT NULL;

-- How long the documents of a user have been analysed of late. It is halved as time passes.
CREATE UNLOGGED TABLE kg_api.analysis_use (
    user_id integer PRIMARY KEY,
    seconds double precision NOT NULL,
    mean    double precision NOT NULL, -- of a document of the last ones
    at      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- What is left of seconds that were used up to an instant: half after two minutes.
CREATE FUNCTION kg_api.analysis_seconds(seconds double precision, at timestamptz) RETURNS double precision
LANGUAGE sql VOLATILE RETURN seconds * power(0.5, LEAST(extract(epoch FROM clock_timestamp() - at)::double precision / 120, 100));

-- +goose Down
DROP FUNCTION kg_api.analysis_seconds;
DROP TABLE kg_api.analysis_use, kg_api.analyses;
DROP INDEX kg_api.jobs_pending_user_idx;
