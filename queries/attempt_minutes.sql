-- name: AttemptMinutesAdd :exec
-- Stores how long attempts took, and forgets what is older than is kept.
WITH old AS (
    DELETE FROM kg_api.attempt_minutes m WHERE m.at < statement_timestamp() - @kept::interval
)
INSERT INTO kg_api.attempt_minutes (lane, job_type, ended, waited, ran)
SELECT unnest(@lanes::text[]), unnest(@job_types::text[]), unnest(@ended::text[])::jsonb, unnest(@waited::text[])::jsonb, unnest(@ran::text[])::jsonb;

-- name: AttemptMinutes :many
-- How long attempts took since some time ago.
SELECT m.at, m.lane, m.job_type, m.ended, m.waited, m.ran
FROM kg_api.attempt_minutes m
WHERE m.at >= statement_timestamp() - @since::interval
    AND (@lane::text = '' OR m.lane = @lane) AND (@job_type::text = '' OR m.job_type = @job_type);

-- name: AttemptMinutesNow :one
SELECT statement_timestamp()::timestamptz AS now;
