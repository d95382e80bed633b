-- name: DataclipAccountLock :exec
-- Uploads of one account are counted one after the other: two at once would each find room
-- for themselves.
SELECT u.id FROM kg_api.users u WHERE u.id = @user_id FOR NO KEY UPDATE;

-- name: DataclipInsert :one
-- No row when the account's clips would have more bytes than its quota.
INSERT INTO kg_api.dataclips (dataclip_id, user_id, body)
SELECT @dataclip_id, @user_id, @body::bytea
WHERE (SELECT coalesce(sum(c.bytes), 0) FROM kg_api.dataclips c WHERE c.user_id = @user_id) + octet_length(@body::bytea) <= @quota::bigint
RETURNING created_at;

-- name: DataclipList :many
-- The clips of an account, newest first.
SELECT c.dataclip_id, c.bytes, c.jobs, c.created_at FROM kg_api.dataclips c
WHERE c.user_id = @user_id ORDER BY c.created_at DESC, c.dataclip_id DESC LIMIT @most OFFSET @first;

-- name: DataclipTotals :one
SELECT count(*)::int AS clips, coalesce(sum(c.bytes), 0)::bigint AS bytes FROM kg_api.dataclips c WHERE c.user_id = @user_id;

-- name: DataclipDelete :one
-- Deletes a clip that no job refers to; deleted is false for one that a job does.
WITH found AS (
    SELECT c.dataclip_id FROM kg_api.dataclips c WHERE c.dataclip_id = @dataclip_id AND c.user_id = @user_id
), gone AS (
    DELETE FROM kg_api.dataclips c USING found f WHERE c.dataclip_id = f.dataclip_id AND c.jobs = 0 RETURNING c.dataclip_id
)
SELECT EXISTS (SELECT FROM gone) AS deleted FROM found;

-- name: DataclipsUse :execrows
-- Has a new job refer to clips of its submitter; those that are not there make no row.
WITH used AS (
    UPDATE kg_api.dataclips c SET jobs = c.jobs + 1, used = true
    WHERE c.dataclip_id = ANY (@dataclip_ids::text[]) AND c.user_id = @user_id
    RETURNING c.dataclip_id
)
INSERT INTO kg_api.job_dataclips (job_id, dataclip_id) SELECT @job_id, u.dataclip_id FROM used u;

-- name: DataclipsUseAgain :exec
-- Has a job refer to the clips of another one, which is submitted again as this one.
WITH added AS (
    INSERT INTO kg_api.job_dataclips (job_id, dataclip_id)
    SELECT @new_id, r.dataclip_id FROM kg_api.job_dataclips r WHERE r.job_id = @old_id
    RETURNING dataclip_id
)
UPDATE kg_api.dataclips c SET jobs = c.jobs + 1 FROM added a WHERE c.dataclip_id = a.dataclip_id;

-- name: DataclipsRelease :exec
-- Jobs that are deleted refer to nothing any more: those that are given, or with none given
-- all that are gone.
WITH ended AS (
    DELETE FROM kg_api.job_dataclips r
    WHERE (cardinality(@job_ids::text[]) = 0 OR r.job_id = ANY (@job_ids))
        AND NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_id = r.job_id)
    RETURNING r.dataclip_id
), counted AS (
    SELECT e.dataclip_id, count(*)::int AS jobs FROM ended e GROUP BY e.dataclip_id
)
UPDATE kg_api.dataclips c SET jobs = c.jobs - n.jobs FROM counted n WHERE c.dataclip_id = n.dataclip_id;

-- name: DataclipsPurge :exec
-- Deletes clips whose jobs are all gone, and those that no job has used for a time. A job that refers to one this
-- moment has changed its row, whose condition is then read again.
DELETE FROM kg_api.dataclips c WHERE c.jobs = 0 AND (c.used OR c.created_at < clock_timestamp() - @keep::interval);

-- name: DataclipOfJob :one
-- A clip that a job refers to.
SELECT c.body FROM kg_api.job_dataclips r
JOIN kg_api.dataclips c ON c.dataclip_id = r.dataclip_id
WHERE r.job_id = @job_id AND r.dataclip_id = @dataclip_id;
