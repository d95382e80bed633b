-- name: LeaderHolds :one
-- Holds the leader's term for the rest of the transaction: the next term waits
-- for it. No row: another leader has taken over.
SELECT l.term FROM kg_api.leader l WHERE l.term = @term FOR SHARE;

-- name: Now :one
SELECT clock_timestamp()::timestamptz AS now;

-- name: ScheduleList :many
SELECT s.* FROM kg_api.scheduled_jobs s ORDER BY s.name;

-- name: ScheduleNext :many
-- The schedules that come next, and what time it is.
SELECT sqlc.embed(s), clock_timestamp()::timestamptz AS now
FROM kg_api.scheduled_jobs s WHERE s.enabled ORDER BY s.next_run_at, s.schedule_id LIMIT @max_schedules;

-- name: ScheduleByName :one
SELECT s.* FROM kg_api.scheduled_jobs s WHERE s.name = @name;

-- name: ScheduleForUpdate :one
SELECT sqlc.embed(s), clock_timestamp()::timestamptz AS now
FROM kg_api.scheduled_jobs s WHERE s.name = @name FOR UPDATE;

-- name: ScheduleInsert :one
INSERT INTO kg_api.scheduled_jobs (name, job_type, cron, time_zone, enabled, condition, data, priority, next_run_at)
VALUES (@name, @job_type, @cron, @time_zone, @enabled, sqlc.narg(condition), sqlc.narg(data), @priority, @next_run_at)
RETURNING *;

-- name: ScheduleUpdate :one
UPDATE kg_api.scheduled_jobs s
SET job_type = @job_type, cron = @cron, time_zone = @time_zone, enabled = @enabled, condition = sqlc.narg(condition),
    data = sqlc.narg(data), priority = @priority, next_run_at = @next_run_at, updated_at = clock_timestamp()
WHERE s.schedule_id = @schedule_id
RETURNING s.*;

-- name: ScheduleNotify :exec
-- Notifies the leader that a schedule changed, when the transaction commits.
SELECT pg_notify('kg_schedules', @name);

-- name: ScheduleDelete :one
DELETE FROM kg_api.scheduled_jobs s WHERE s.name = @name RETURNING s.*;

-- name: ScheduleLock :one
-- Takes a schedule to answer its next instant. No row: it was changed, paused,
-- removed or answered meanwhile. A change of the job alone leaves the instant as it
-- is, but must not be answered with the job from before.
SELECT s.schedule_id FROM kg_api.scheduled_jobs s
WHERE s.schedule_id = @schedule_id AND s.enabled AND s.next_run_at = @next_run_at AND s.updated_at = @updated_at
FOR UPDATE;

-- name: ScheduleRunInsert :execrows
-- Answers a due instant. No row: it is answered already.
INSERT INTO kg_api.schedule_runs (schedule_id, scheduled_for, job_id, skip_reason)
VALUES (@schedule_id, @scheduled_for, sqlc.narg(job_id), sqlc.narg(skip_reason))
ON CONFLICT DO NOTHING;

-- name: ScheduleRunsMissed :exec
-- Records due instants that nobody was there to answer.
INSERT INTO kg_api.schedule_runs (schedule_id, scheduled_for, skip_reason)
SELECT @schedule_id, m.at, @reason::text FROM unnest(@missed::timestamptz[]) AS m (at)
ON CONFLICT DO NOTHING;

-- name: ScheduleAnswered :exec
-- Notes the last answer of a schedule, and when it runs next. A skip leaves the
-- last job.
UPDATE kg_api.scheduled_jobs s
SET next_run_at = @next_run_at, last_run_at = @last_run_at,
    last_job_id = coalesce(sqlc.narg(job_id), s.last_job_id),
    last_outcome = CASE WHEN sqlc.narg(skip_reason)::text IS NULL THEN 'submitted' ELSE 'skipped' END,
    last_reason = sqlc.narg(skip_reason)::text
WHERE s.schedule_id = @schedule_id;

-- name: ScheduleRunByHand :exec
UPDATE kg_api.scheduled_jobs s
SET last_run_at = clock_timestamp(), last_job_id = @job_id::text, last_outcome = 'submitted', last_reason = NULL
WHERE s.schedule_id = @schedule_id;

-- name: ScheduleRuns :many
-- How the last due instants of a schedule were answered, newest first.
SELECT r.scheduled_for, r.job_id, r.skip_reason
FROM kg_api.schedule_runs r JOIN kg_api.scheduled_jobs s ON s.schedule_id = r.schedule_id
WHERE s.name = @name
ORDER BY r.scheduled_for DESC LIMIT @max_runs;
