-- name: AuditInsert :exec
-- Records an act, in the transaction of the act.
INSERT INTO kg_api.audit_log (user_id, username, client_id, request_id, action, object, object_id, before, after)
VALUES (@user_id, @username, @client_id, @request_id, @action, @object, @object_id, sqlc.narg(before), sqlc.narg(after));

-- name: AuditList :many
-- The entries that a filter selects, newest first. An action may be its first word. With an
-- owner they are those of what this user did, and of what was done to the account.
SELECT a.* FROM kg_api.audit_log a
WHERE (@owner::int = 0 OR a.user_id = @owner OR a.object = 'user' AND a.object_id = @owner::text)
    AND (@username::text = '' OR lower(a.username) = lower(@username))
    AND (@action::text = '' OR a.action = @action OR starts_with(a.action, @action || '.'))
    AND (@object::text = '' OR a.object = @object) AND (@object_id::text = '' OR a.object_id = @object_id)
    AND (sqlc.narg(since)::timestamptz IS NULL OR a.at >= sqlc.narg(since))
    AND (sqlc.narg(until)::timestamptz IS NULL OR a.at < sqlc.narg(until))
    AND (@before_id::bigint = 0 OR a.id < @before_id)
ORDER BY a.id DESC LIMIT @max_entries;

-- name: AuditPrune :execrows
-- Deletes the oldest entries that are kept no longer, a part at a time.
DELETE FROM kg_api.audit_log a
WHERE a.id IN (
    SELECT o.id FROM kg_api.audit_log o
    WHERE o.at < statement_timestamp() - @keep::interval
    ORDER BY o.at LIMIT @max_entries
);
