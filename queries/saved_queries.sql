-- name: SavedQueryAccountLock :exec
-- Queries of one account are counted one after the other: two at once would each find room
-- for themselves.
SELECT u.id FROM kg_api.users u WHERE u.id = @user_id FOR NO KEY UPDATE;

-- name: SavedQueryInsert :one
-- Keeps a query. Without a name it is called after its type and its number. No row when the
-- account has as many as it may.
WITH next AS (
    SELECT nextval(pg_get_serial_sequence('kg_api.saved_queries', 'id')) AS id
    WHERE (SELECT count(*) FROM kg_api.saved_queries o WHERE o.owner_id = @owner_id::int) < @most::bigint
)
INSERT INTO kg_api.saved_queries (id, name, definition_type, definition, parameters, metadata, owner_id)
SELECT n.id, CASE WHEN @name::text = '' THEN initcap(@definition_type::text) || ' ' || n.id ELSE @name END,
    @definition_type, @definition, @parameters, sqlc.narg(metadata), @owner_id
FROM next n
RETURNING saved_queries.*;

-- name: SavedQueryByID :one
SELECT q.* FROM kg_api.saved_queries q WHERE q.id = @id;

-- name: SavedQueryUpdate :one
-- Changes what is given. No row when the query was changed since the caller read it, or is gone.
UPDATE kg_api.saved_queries q
SET name = coalesce(sqlc.narg(name), q.name), definition = coalesce(sqlc.narg(definition), q.definition),
    parameters = coalesce(sqlc.narg(parameters), q.parameters), metadata = coalesce(sqlc.narg(metadata), q.metadata),
    updated_at = greatest(clock_timestamp(), q.updated_at + interval '1 microsecond')
WHERE q.id = @id AND q.updated_at = @read_at
RETURNING q.*;

-- name: SavedQueryDelete :one
DELETE FROM kg_api.saved_queries q WHERE q.id = @id RETURNING q.id;

-- name: SavedQueryList :many
-- A page of what is selected, newest first.
SELECT q.* FROM kg_api.saved_queries q
WHERE (@definition_type::text = '' OR q.definition_type = @definition_type)
    AND (@name::text = '' OR q.name = @name)
    AND (@search::text = '' OR strpos(lower(q.name), lower(@search)) > 0 OR strpos(lower(coalesce(q.metadata ->> 'description', q.definition -> 'metadata' ->> 'description', '')), lower(@search)) > 0)
    AND (sqlc.narg(owner_id)::int IS NULL OR q.owner_id = sqlc.narg(owner_id))
    AND (NOT @narrowed::bool OR q.owner_id = @viewer::int OR q.id::text = ANY (@visible::text[]) OR q.definition_type = ANY (@visible_types::text[]))
    AND q.id < @before::bigint
ORDER BY q.id DESC
LIMIT @most OFFSET @skip;

-- name: SavedQueryCount :one
SELECT count(*) FROM kg_api.saved_queries q
WHERE (@definition_type::text = '' OR q.definition_type = @definition_type)
    AND (@name::text = '' OR q.name = @name)
    AND (@search::text = '' OR strpos(lower(q.name), lower(@search)) > 0 OR strpos(lower(coalesce(q.metadata ->> 'description', q.definition -> 'metadata' ->> 'description', '')), lower(@search)) > 0)
    AND (sqlc.narg(owner_id)::int IS NULL OR q.owner_id = sqlc.narg(owner_id))
    AND (NOT @narrowed::bool OR q.owner_id = @viewer::int OR q.id::text = ANY (@visible::text[]) OR q.definition_type = ANY (@visible_types::text[]));
