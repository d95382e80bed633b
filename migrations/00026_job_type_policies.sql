-- +goose Up
-- How jobs of a type are tried again, and how long an attempt may take, where an operator has
-- chosen otherwise than the program. A column that is NULL is the program's own value.
CREATE TABLE kg_api.job_type_policies (
    job_type         text COLLATE "C" PRIMARY KEY,
    max_retries      integer CONSTRAINT max_retries_is_0_to_100 CHECK (max_retries BETWEEN 0 AND 100),
    backoff_first_ms integer CONSTRAINT backoff_first_is_1_ms_to_1_day CHECK (backoff_first_ms BETWEEN 1 AND 86400000),
    backoff_most_ms  integer CONSTRAINT backoff_most_is_1_ms_to_1_day CHECK (backoff_most_ms BETWEEN 1 AND 86400000),
    backoff_factor   float8 CONSTRAINT backoff_factor_is_1_to_10 CHECK (backoff_factor BETWEEN 1 AND 10),
    jitter           float8 CONSTRAINT jitter_is_a_share CHECK (jitter BETWEEN 0 AND 1),
    deadline_ms      integer CONSTRAINT deadline_is_1_s_to_7_days CHECK (deadline_ms BETWEEN 1000 AND 604800000),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How often a job may be retried. Jobs that were submitted without a number have 3, and follow
-- their type; others keep their own.
CREATE FUNCTION kg_api.retries_of(job_type text, max_retries integer) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN max_retries = 3 THEN coalesce((SELECT p.max_retries FROM kg_api.job_type_policies p WHERE p.job_type = $1), 3) ELSE max_retries END;

-- How long an attempt at a job may take, in ms, as its type says; NULL for no such limit.
CREATE FUNCTION kg_api.deadline_of(job_type text) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT p.deadline_ms FROM kg_api.job_type_policies p WHERE p.job_type = $1);

-- +goose Down
DROP FUNCTION kg_api.deadline_of, kg_api.retries_of;
DROP TABLE kg_api.job_type_policies;
