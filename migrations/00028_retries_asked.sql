-- +goose Up
-- Whether a job was submitted with a number of retries of its own, which it then keeps whatever
-- its type says. Jobs from before follow their type if the number is 3.
ALTER TABLE kg_api.jobs ADD COLUMN retries_asked boolean NOT NULL DEFAULT false;

-- How often a job may be retried.
CREATE FUNCTION kg_api.retries_of(job_type text, max_retries integer, asked boolean) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN asked THEN max_retries ELSE kg_api.retries_of(job_type, max_retries) END;

-- +goose Down
DROP FUNCTION kg_api.retries_of(text, integer, boolean);
ALTER TABLE kg_api.jobs DROP COLUMN retries_asked;
