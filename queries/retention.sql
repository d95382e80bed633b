-- name: JobsPrune :one
-- Reads the next jobs after a key, oldest first, and deletes those that
-- ended longer ago than they are kept, with their events. The key is that of
-- the list of jobs, so that the busy tables need no index for this. A job that
-- somebody has locked stays for the next time. Returns what is gone, how many
-- were read, and the last key.
WITH part AS MATERIALIZED (
    SELECT j.job_id, j.created_at FROM kg_api.jobs j
    WHERE (j.created_at, j.job_id) > (@after_at::timestamptz, @after_id::text) AND j.status <> 'processing'
        AND j.created_at < statement_timestamp() - least(@keep_completed::interval, @keep_failed::interval)
    ORDER BY j.created_at, j.job_id LIMIT @max_jobs
), ended AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id IN (SELECT p.job_id FROM part p)
        AND ((j.status IN ('completed', 'cancelled') AND j.completed_at < statement_timestamp() - @keep_completed)
            OR (j.status = 'failed' AND j.completed_at < statement_timestamp() - @keep_failed))
    FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM kg_api.jobs j USING ended e WHERE j.job_id = e.job_id
    RETURNING j.job_id
), events AS (
    DELETE FROM kg_api.job_events e USING gone g WHERE e.job_id = g.job_id
), logs AS (
    DELETE FROM kg_api.run_logs l USING gone g WHERE l.job_id = g.job_id
), steps AS (
    DELETE FROM kg_api.run_steps s USING gone g WHERE s.job_id = g.job_id
), dataclips AS (
    DELETE FROM kg_api.run_dataclips d USING gone g WHERE d.job_id = g.job_id
), final AS (
    SELECT p.created_at, p.job_id FROM part p ORDER BY p.created_at DESC, p.job_id DESC LIMIT 1
)
SELECT (SELECT coalesce(array_agg(g.job_id), '{}') FROM gone g)::text[] AS deleted, (SELECT count(*) FROM part) AS seen,
    coalesce((SELECT f.created_at FROM final f), @after_at)::timestamptz AS last_at,
    coalesce((SELECT f.job_id FROM final f), @after_id)::text AS last_id;

-- name: ContentKeys :many
-- The next contents after a key.
SELECT c.content_hash FROM kg_api.contents c
WHERE c.content_hash > @after ORDER BY c.content_hash LIMIT @max_contents;

-- name: ContentsUnused :many
-- Locks those of the contents that no job, no document and no version refers to. What came
-- lately may belong to a submission that is under way.
SELECT c.content_hash FROM kg_api.contents c
WHERE c.content_hash = ANY (@content_hashes::text[]) AND c.created_at < statement_timestamp() - interval '1 hour'
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.content_hash = c.content_hash)
    AND NOT EXISTS (SELECT 1 FROM kg_api.documents d WHERE d.document_id = c.content_hash)
    AND NOT EXISTS (SELECT 1 FROM kg_api.document_versions v WHERE v.document_id = c.content_hash)
FOR UPDATE SKIP LOCKED;

-- name: ContentsDelete :execrows
-- Deletes locked contents that are still unused: a statement of its own, so
-- that it sees references that came before the lock.
DELETE FROM kg_api.contents c
WHERE c.content_hash = ANY (@content_hashes::text[])
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.content_hash = c.content_hash)
    AND NOT EXISTS (SELECT 1 FROM kg_api.documents d WHERE d.document_id = c.content_hash)
    AND NOT EXISTS (SELECT 1 FROM kg_api.document_versions v WHERE v.document_id = c.content_hash);

-- name: ScheduleRunsPrune :execrows
DELETE FROM kg_api.schedule_runs r
USING (SELECT o.schedule_id, o.scheduled_for FROM kg_api.schedule_runs o
    WHERE o.at < statement_timestamp() - @keep::interval
    LIMIT @max_runs FOR UPDATE SKIP LOCKED) old
WHERE r.schedule_id = old.schedule_id AND r.scheduled_for = old.scheduled_for;

-- name: CleanupPlan :one
-- Plans the next pass one interval after the last one, and returns how long
-- until then; a database that was never cleaned up is due at once. A last pass in
-- the future is of a clock that was wrong then, and counts as one just now.
UPDATE kg_api.scheduler_state s
SET next_cleanup_at = CASE WHEN s.last_cleanup_at IS NULL THEN clock_timestamp()
    ELSE least(s.last_cleanup_at, clock_timestamp()) + @every::interval END
RETURNING (extract(epoch FROM s.next_cleanup_at - clock_timestamp()) * 1000)::bigint AS wait_ms;

-- name: CleanupDone :exec
UPDATE kg_api.scheduler_state s
SET last_cleanup_at = clock_timestamp(), next_cleanup_at = clock_timestamp() + @every::interval;

-- name: SchedulerState :one
-- A server leads while it holds the leader's lock, see LeaderSession, whatever has
-- become of its worker's lease.
SELECT s.last_cleanup_at, s.next_cleanup_at, l.term,
    EXISTS (SELECT 1 FROM pg_catalog.pg_locks k
        WHERE k.locktype = 'advisory' AND k.granted AND k.classid = 0 AND k.objid = 100000001 AND k.objsubid = 1
            AND k.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())) AS leads
FROM kg_api.scheduler_state s CROSS JOIN kg_api.leader l;
