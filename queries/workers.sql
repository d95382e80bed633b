-- name: WorkerRegister :exec
INSERT INTO kg_api.workers (worker_id, hostname, pid, version, job_types, lease_until)
VALUES (@worker_id::uuid, @hostname, @pid, @version, @job_types::text[], clock_timestamp() + @lease::interval);

-- name: WorkerHeartbeat :one
-- Renews a lease that has not ended. No row: it has, and the worker must stop
-- its jobs and take a new identity.
UPDATE kg_api.workers w
SET lease_until = clock_timestamp() + @lease::interval, heartbeat_at = clock_timestamp()
WHERE w.worker_id = @worker_id::uuid AND w.state = 'live' AND w.lease_until > clock_timestamp()
RETURNING w.worker_id;

-- name: WorkerClaims :many
-- The jobs that a worker holds, since when, and which of them are to stop.
SELECT j.job_id, j.claim_token::bigint AS claim_token, j.cancel_requested, (clock_timestamp() - j.claimed_at)::interval AS age
FROM kg_api.jobs j WHERE j.status = 'processing' AND j.claimed_by = @worker_id::uuid;

-- name: WorkerStop :exec
UPDATE kg_api.workers w SET state = 'stopped', lease_until = clock_timestamp()
WHERE w.worker_id = @worker_id::uuid AND w.state = 'live';

-- name: WorkerDead :exec
-- Marks every server's worker dead: for a database that no other process can reach.
-- Remote workers are other machines', and come back.
UPDATE kg_api.workers w SET state = 'dead' WHERE w.state = 'live' AND w.kind = 'server';

-- name: WorkerReap :exec
-- Marks workers dead whose lease has ended, and forgets those that hold no job
-- any more. After a restart of the database it waits for hold_off, in which
-- live workers renew. So it does when nobody may have reached the database, so
-- that live workers can hand their jobs back: unless the leader has led since half
-- of hold_off, which is a lease, before the end of the worker's, or another worker
-- held its lease between then and a quarter of it before that end. (The worker's
-- own heartbeat is a whole lease before it.) Where leaders follow each other too
-- quickly for that, it is enough that workers held theirs since the end of this
-- one: one of them a whole hold_off ago, and one in the first half of it since.
WITH dead AS (
    UPDATE kg_api.workers w SET state = 'dead'
    WHERE w.state = 'live' AND w.lease_until <= clock_timestamp()
        AND pg_postmaster_start_time() < clock_timestamp() - sqlc.arg(hold_off)::interval
        AND (EXISTS (SELECT 1 FROM kg_api.leader l
                WHERE coalesce(l.since, '-infinity') < greatest(w.lease_until - sqlc.arg(hold_off)::interval / 2, clock_timestamp() - sqlc.arg(hold_off)::interval))
            OR EXISTS (SELECT 1 FROM kg_api.workers o
                WHERE o.heartbeat_at >= w.lease_until - sqlc.arg(hold_off)::interval / 2
                    AND o.started_at <= w.lease_until - sqlc.arg(hold_off)::interval / 4)
            OR EXISTS (SELECT 1 FROM kg_api.workers o
                WHERE o.heartbeat_at >= w.lease_until AND o.started_at <= clock_timestamp() - sqlc.arg(hold_off)::interval)
            AND EXISTS (SELECT 1 FROM kg_api.workers o
                WHERE o.heartbeat_at >= clock_timestamp() - sqlc.arg(hold_off)::interval
                    AND o.started_at <= clock_timestamp() - sqlc.arg(hold_off)::interval / 2))
)
DELETE FROM kg_api.workers w
WHERE w.state <> 'live' AND w.lease_until < clock_timestamp() - CASE w.kind WHEN 'remote' THEN interval '24 hours' ELSE interval '1 hour' END
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.claimed_by = w.worker_id AND j.status = 'processing');

-- name: WorkerList :many
SELECT w.worker_id, w.hostname, w.pid, w.version, w.job_types, w.started_at,
    extract(epoch FROM clock_timestamp() - w.heartbeat_at)::float8 AS heartbeat_age,
    (SELECT count(*) FROM kg_api.jobs j WHERE j.status = 'processing' AND j.claimed_by = w.worker_id)::int AS running
FROM kg_api.workers w WHERE w.kind = 'server' AND w.state = 'live' AND w.lease_until > clock_timestamp()
ORDER BY w.started_at, w.worker_id;

-- name: LeaderTake :one
-- Issues the next term to the holder of the advisory lock. It waits for writes
-- under the last term that are still open.
UPDATE kg_api.leader l SET term = l.term + 1, worker_id = @worker_id::uuid, since = clock_timestamp()
RETURNING l.term;

-- name: LeaderRename :execrows
-- Stores the leader's worker again after it went on under a new identity. It does
-- not wait for writes under the term that are still open: the next check tries again.
WITH own AS MATERIALIZED (
    SELECT t.term FROM kg_api.leader t WHERE t.term = @term FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE kg_api.leader l SET worker_id = @worker_id::uuid
FROM own WHERE l.term = own.term;

-- name: LeaderNow :one
-- The leader, as far as somebody holds its lock; see LeaderSession.
SELECT l.worker_id, l.term, l.since FROM kg_api.leader l
WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_locks k
    WHERE k.locktype = 'advisory' AND k.granted AND k.classid = 0 AND k.objid = 100000001 AND k.objsubid = 1
        AND k.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database()));

-- name: RunningJobs :many
-- The jobs that run, those that have run for longest, and how many there are.
SELECT j.job_id, j.job_type, j.lane, j.claimed_by, j.claimed_at, j.started_at, j.priority,
    coalesce(extract(epoch FROM clock_timestamp() - w.heartbeat_at), -1)::float8 AS heartbeat_age, -- -1: worker unknown
    count(*) OVER () AS running
FROM kg_api.jobs j LEFT JOIN kg_api.workers w ON w.worker_id = j.claimed_by
WHERE j.status = 'processing'
ORDER BY j.claimed_at, j.job_id LIMIT 1000;
