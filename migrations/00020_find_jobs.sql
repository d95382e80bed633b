-- +goose Up
-- What an operator looks for among a million jobs: those of a status, and what has failed,
-- by its error. Claims and completions enter a job in none of these indexes: who has many
-- jobs that wait, were cancelled or failed pays once when they come there.

-- The list of jobs of each status but the two that jobs_processing_idx and jobs_list_idx are for.
CREATE INDEX jobs_status_idx ON kg_api.jobs (status, created_at DESC, job_id DESC)
    WHERE status IN ('pending', 'awaiting_approval', 'approved', 'failed', 'cancelled');

-- The error of a job that has failed without what differs from one failure to the next. It
-- is folded at one place: quoted texts, times, ids, numbers and durations each become one sign.
-- What is folded once stays as it is when it is folded again.
CREATE FUNCTION kg_api.fold_error(error text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN rtrim(left(btrim(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
        left(coalesce(error, ''), 2000),
        '"[^"]*"', '…', 'g'),
        '[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?( ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?', '#', 'g'),
        '(?<![0-9A-Za-z])(0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{7,})(?![0-9A-Za-z])', '#', 'g'),
        '(?<![0-9A-Za-z])([0-9]+([.][0-9]+)?(ns|us|µs|ms|s|m|h))+(?![0-9A-Za-z])', '#', 'g'),
        '[0-9]+([.,:][0-9]+)*', '#', 'g'),
        '(?<![^\s(:=,])''[/\\.~][^''\s]*''', '…', 'g'), -- a path: an apostrophe is no quotation mark
        '\s+', ' ', 'g')), 200));

ALTER TABLE kg_api.jobs ADD COLUMN error_key text; -- of a failed job alone; see fold_error
UPDATE kg_api.jobs SET error_key = kg_api.fold_error(error) WHERE status = 'failed';
CREATE INDEX jobs_failed_idx ON kg_api.jobs (job_type, error_key, completed_at) WHERE status = 'failed';

-- +goose Down
DROP INDEX kg_api.jobs_failed_idx;
ALTER TABLE kg_api.jobs DROP COLUMN error_key;
DROP FUNCTION kg_api.fold_error;
DROP INDEX kg_api.jobs_status_idx;
