-- name: UserList :many
SELECT u.* FROM kg_api.users u WHERE (@role::text = '' OR u.role = @role) AND (@username::text = '' OR lower(u.username) = lower(@username))
ORDER BY u.id LIMIT @max_users OFFSET @skip;

-- name: UserCount :one
SELECT count(*) FROM kg_api.users u
WHERE (@role::text = '' OR u.role = @role) AND (@username::text = '' OR lower(u.username) = lower(@username));

-- name: UserNames :many
-- The names that a new one may look like: of two that are plain ASCII none is asked.
SELECT u.id, u.username FROM kg_api.users u WHERE NOT @ascii::boolean OR u.username ~ '[^ -~]' ORDER BY u.id;

-- name: UserByID :one
SELECT u.* FROM kg_api.users u WHERE u.id = @id;

-- name: UserForUpdate :one
SELECT u.* FROM kg_api.users u WHERE u.id = @id FOR UPDATE;

-- name: UserInsert :one
INSERT INTO kg_api.users (username, role, password_hash, long_password) VALUES (@username, @role, @password_hash::text, @long_password::boolean)
RETURNING users.*;

-- name: UserUpdate :one
UPDATE kg_api.users u SET username = @username, role = @role, disabled = @disabled,
    password_hash = coalesce(sqlc.narg(password_hash)::text, u.password_hash),
    long_password = CASE WHEN sqlc.narg(password_hash)::text IS NULL THEN u.long_password ELSE @long_password::boolean END
WHERE u.id = @id
RETURNING u.*;

-- name: UserDelete :execrows
DELETE FROM kg_api.users u WHERE u.id = @id;

-- name: UserJobsToSystem :execrows
-- The jobs of an account that goes stay, as those of the system.
UPDATE kg_api.jobs j SET user_id = 1 WHERE j.user_id = @id;

-- name: OtherAdmins :one
-- How many enabled accounts of platform administrators there are besides one. They stay
-- locked, so that of two who remove each other one comes second.
SELECT count(*) FROM (
    SELECT u.id FROM kg_api.users u
    WHERE u.role = 'platform_admin' AND NOT u.disabled AND u.id NOT IN (1, @id)
    ORDER BY u.id FOR UPDATE
) others;

-- name: UserClientsDelete :execrows
-- Ends what acts for a user, but for the client that asks.
DELETE FROM kg_api.oauth_clients c WHERE c.user_id = @user_id AND c.client_id <> @asks;
