-- name: RemoteConnect :one
-- Takes the next generation of a remote worker: of the row that holds its identity, or
-- of a new one. No row: the worker names its own id, and that one is over.
WITH renewed AS (
    UPDATE kg_api.workers w
    SET generation = w.generation + 1, lease_until = clock_timestamp() + w.lease, heartbeat_at = clock_timestamp(), connected = true,
        connected_at = clock_timestamp(), seen_at = clock_timestamp(), server = @server, address = @address, version = @version
    WHERE w.identity = @identity::text AND w.state = 'live' AND w.kind = 'remote'
    RETURNING w.worker_id, w.generation, w.draining, w.orders, w.asked_groups
), added AS (
    INSERT INTO kg_api.workers (worker_id, hostname, pid, version, job_types, lease, lease_until, kind, identity, generation, name,
        server, address, connected, connected_at, seen_at)
    SELECT @worker_id::uuid, @name, 0, @version, '{}', @lease::interval, clock_timestamp() + @lease::interval, 'remote', @identity, 1, @name,
        @server, @address, true, clock_timestamp(), clock_timestamp()
    WHERE NOT EXISTS (SELECT 1 FROM renewed)
    ON CONFLICT (worker_id) DO NOTHING
    RETURNING workers.worker_id, workers.generation, workers.draining, workers.orders, workers.asked_groups
)
SELECT r.worker_id, r.generation, r.draining, r.orders, r.asked_groups, true AS known FROM renewed r
UNION ALL SELECT a.worker_id, a.generation, a.draining, a.orders, a.asked_groups, false FROM added a;

-- name: RemoteKnown :one
-- What is known of an identity: whether it has connected, which is kept for a day after it
-- has gone, and whether an operator refuses it.
SELECT EXISTS (SELECT 1 FROM kg_api.blocked_workers b WHERE b.identity = @identity::text) AS blocked,
    EXISTS (SELECT 1 FROM kg_api.workers w WHERE w.identity = @identity AND w.kind = 'remote') AS seen;

-- name: RemoteBlock :exec
INSERT INTO kg_api.blocked_workers (identity, blocked_by) VALUES (@identity, @blocked_by) ON CONFLICT (identity) DO NOTHING;

-- name: RemoteJoin :execrows
-- Stores what a worker said when it joined. No row: a newer connection has joined, or
-- the worker is over.
UPDATE kg_api.workers w
SET profile = @profile, name = @name, job_types = @job_types::text[], labels = @labels::jsonb, groups = @groups::jsonb, capacity = @capacity,
    version = @version, lease = @lease::interval, lease_until = clock_timestamp() + @lease::interval, heartbeat_at = clock_timestamp()
WHERE w.worker_id = @worker_id::uuid AND w.generation = @generation AND w.state = 'live';

-- name: RemoteExtend :many
-- Renews the leases of workers, each of its own length, as long as the connection is
-- the latest, and returns what an operator wants of each, and the runs that it holds: a row
-- for each, or one without a job. Those that are left out are over, or have a newer
-- connection.
WITH renewed AS (
    UPDATE kg_api.workers w
    SET lease_until = clock_timestamp() + w.lease, heartbeat_at = clock_timestamp()
    FROM (SELECT unnest(@worker_ids::uuid[]) AS worker_id, unnest(@generations::bigint[]) AS generation) c
    WHERE w.worker_id = c.worker_id AND w.generation = c.generation AND w.state = 'live'
    RETURNING w.worker_id, w.draining, w.orders, w.asked_groups
)
SELECT r.worker_id, r.draining, r.orders, r.asked_groups, coalesce(h.job_id, '')::text AS job_id, coalesce(h.claim_token, 0)::bigint AS claim_token,
    coalesce(h.cancel_requested, false)::boolean AS cancel_requested, coalesce(h.worker_seq, 0)::bigint AS worker_seq,
    coalesce(h.group_key, '')::text AS group_key, coalesce(h.confirmed, false)::boolean AS confirmed
FROM renewed r LEFT JOIN LATERAL (
    SELECT j.job_id, j.claim_token, j.cancel_requested, c.worker_seq, c.group_key, c.confirmed_at IS NOT NULL AS confirmed
    FROM kg_api.jobs j JOIN kg_api.run_claims c ON c.claim_token = j.claim_token
    WHERE j.status = 'processing' AND j.remote AND j.claimed_by = r.worker_id
) h ON true;

-- name: RemoteSeen :many
-- Stores what a server knows of its connections, and renews the leases of the workers
-- that do not do that themselves. It returns the connections that are still the
-- latest of their workers.
UPDATE kg_api.workers w
SET seen_at = greatest(w.seen_at, clock_timestamp() - c.silent_ms * interval '1 millisecond'), usage = c.usage::jsonb,
    completed = w.completed + c.completed, failed = w.failed + c.failed, late = w.late + c.late,
    lease_until = CASE WHEN c.renew THEN clock_timestamp() + w.lease ELSE w.lease_until END,
    heartbeat_at = CASE WHEN c.renew THEN clock_timestamp() ELSE w.heartbeat_at END
FROM (SELECT unnest(@worker_ids::uuid[]) AS worker_id, unnest(@generations::bigint[]) AS generation, unnest(@silent_ms::bigint[]) AS silent_ms,
    unnest(@usages::text[]) AS usage, unnest(@completed::bigint[]) AS completed, unnest(@failed::bigint[]) AS failed,
    unnest(@late::bigint[]) AS late, unnest(@renew::boolean[]) AS renew) c
WHERE w.worker_id = c.worker_id AND w.generation = c.generation AND w.state = 'live'
RETURNING w.worker_id, w.draining, w.orders, w.asked_groups;

-- name: RemoteDisconnect :exec
-- Says that a connection is gone. A newer one of the same worker is not touched.
UPDATE kg_api.workers w SET connected = false, server = '', seen_at = clock_timestamp()
WHERE w.worker_id = @worker_id::uuid AND w.generation = @generation AND w.kind = 'remote';

-- name: RemoteHeld :many
-- The runs that workers hold.
SELECT j.job_id, j.claim_token::bigint AS claim_token, j.claimed_by::uuid AS worker_id, j.cancel_requested, c.worker_seq, c.group_key,
    (c.confirmed_at IS NOT NULL)::boolean AS confirmed
FROM kg_api.jobs j JOIN kg_api.run_claims c ON c.claim_token = j.claim_token
WHERE j.status = 'processing' AND j.remote AND j.claimed_by = ANY (@worker_ids::uuid[]);

-- name: RemoteMarks :many
-- What waits for remote workers, by type and queue: one step in the index for each.
WITH RECURSIVE pair AS (
    (SELECT o.job_type, o.queue FROM kg_api.jobs o WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END ORDER BY o.job_type, o.queue LIMIT 1)
    UNION ALL
    SELECT n.job_type, n.queue FROM pair p CROSS JOIN LATERAL (
        SELECT o.job_type, o.queue FROM kg_api.jobs o
        WHERE CASE WHEN o.remote AND o.due THEN o.status = 'approved' ELSE false END AND (o.job_type, o.queue) > (p.job_type, p.queue)
        ORDER BY o.job_type, o.queue LIMIT 1) n
)
SELECT p.job_type, p.queue FROM pair p;

-- name: RemoteWaiting :many
-- How much waits for remote workers, by type and queue, and since when. What limits hold
-- waits for them too: they claim it as soon as there is room.
SELECT w.job_type, w.queue, count(*) AS jobs, min(w.approved_at)::timestamptz AS oldest FROM (
    SELECT j.job_type, j.queue, j.approved_at FROM kg_api.jobs j WHERE CASE WHEN j.remote AND j.due THEN j.status = 'approved' ELSE false END
    UNION ALL
    SELECT j.job_type, j.queue, j.approved_at FROM kg_api.jobs j WHERE j.status = 'approved' AND j.held_by = 0 AND j.remote
) w
GROUP BY w.job_type, w.queue ORDER BY w.job_type, w.queue;

-- name: RemoteList :many
-- The remote workers, those that are gone within the day too.
SELECT w.*, b.identity IS NOT NULL AS blocked,
    (extract(epoch FROM w.lease_until - clock_timestamp()) * 1000)::bigint AS lease_left_ms,
    (extract(epoch FROM clock_timestamp() - coalesce(w.seen_at, w.started_at)) * 1000)::bigint AS silent_ms
FROM kg_api.workers w LEFT JOIN kg_api.blocked_workers b ON b.identity = w.identity
WHERE w.kind = 'remote' ORDER BY w.started_at, w.worker_id;

-- name: RemoteOrders :one
-- What an operator wants of a worker.
SELECT w.draining, w.orders, w.asked_groups FROM kg_api.workers w WHERE w.worker_id = @worker_id::uuid AND w.kind = 'remote';

-- name: RemoteDrain :exec
-- Has a worker take nothing new, or work again.
UPDATE kg_api.workers w SET draining = @draining, orders = w.orders + 1 WHERE w.worker_id = @worker_id::uuid AND w.kind = 'remote';

-- name: RemoteRegroup :exec
-- Gives a worker slot groups in place of its own, or those back.
UPDATE kg_api.workers w SET asked_groups = sqlc.narg(asked_groups)::jsonb, orders = w.orders + 1
WHERE w.worker_id = @worker_id::uuid AND w.kind = 'remote';

-- name: RemoteAsk :one
-- Has the server that a worker is connected to do something, and returns the worker as it
-- was before that, locked. No row: there is no such worker.
SELECT coalesce(w.identity, '')::text AS identity, w.profile, w.draining, w.asked_groups, pg_notify('kg_remote', @what::text || ' ' || w.worker_id)::text AS notified
FROM kg_api.workers w WHERE w.worker_id = @worker_id::uuid AND w.kind = 'remote'
FOR UPDATE OF w;

-- name: RemoteAdopt :exec
-- Makes the jobs of types that remote workers take theirs: those that were submitted
-- before the type was listed.
UPDATE kg_api.jobs j SET remote = true
WHERE j.status IN ('pending', 'awaiting_approval', 'approved') AND NOT j.remote AND j.job_type = ANY (@job_types::text[]);
