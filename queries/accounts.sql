-- name: UsersExist :one
-- Whether there is any account besides system, which the migration makes.
SELECT EXISTS (SELECT 1 FROM kg_api.users u WHERE u.id <> 1);

-- name: UserInsertFirst :execrows
-- Makes the first account. Of servers that start at once one inserts; the
-- others meet its row and do nothing. A later start does nothing either, even
-- if this account was deleted in favour of others.
INSERT INTO kg_api.users (id, username, role, password_hash, long_password)
SELECT @id, @username, @role, @password_hash::text, true
WHERE NOT EXISTS (SELECT 1 FROM kg_api.users u WHERE u.id <> 1)
ON CONFLICT DO NOTHING;

-- name: UserByName :one
SELECT u.* FROM kg_api.users u WHERE lower(u.username) = lower(@username);

-- name: UserSetPassword :execrows
UPDATE kg_api.users u SET password_hash = @password_hash::text, long_password = NULL WHERE u.id = @id;

-- name: UserLoggedIn :exec
UPDATE kg_api.users u SET last_login = clock_timestamp() WHERE u.id = @id;

-- name: UserLock :one
-- Two logins of one user wait for each other, so that the limit on its clients
-- is exact.
SELECT u.id FROM kg_api.users u WHERE u.id = @id FOR NO KEY UPDATE;

-- name: ClientInsert :one
INSERT INTO kg_api.oauth_clients (client_id, user_id, name, secret_hash, scopes, kind, expires_at, proved_at)
VALUES (@client_id, @user_id, @name, @secret_hash, @scopes, @kind, sqlc.narg(expires_at), sqlc.narg(proved_at))
RETURNING oauth_clients.*;

-- name: ClientPrune :exec
-- Deletes a user's clients beyond the two that are kept, the newest one and the one
-- that asked for it, and the others used last. What was never used counts from its
-- creation. Only those of one kind count: a login of the console ends none of a program.
DELETE FROM kg_api.oauth_clients c
WHERE c.client_id IN (
    SELECT o.client_id
    FROM kg_api.oauth_clients o
    WHERE o.user_id = @user_id AND o.kind = @kind AND o.client_id NOT IN (@newest, @asking)
    ORDER BY coalesce(o.last_used_at, o.created_at) DESC, o.client_id
    OFFSET @others::int
);

-- name: ClientByID :one
SELECT sqlc.embed(c), sqlc.embed(u)
FROM kg_api.oauth_clients c
JOIN kg_api.users u ON u.id = c.user_id
WHERE c.client_id = @client_id;

-- name: ClientList :many
SELECT c.* FROM kg_api.oauth_clients c WHERE c.user_id = @user_id AND c.kind = @kind ORDER BY c.created_at, c.client_id;

-- name: KeyList :many
-- The API keys of all users, or of one.
SELECT sqlc.embed(c), u.username FROM kg_api.oauth_clients c JOIN kg_api.users u ON u.id = c.user_id
WHERE c.kind = 'key' AND (@user_id::int = 0 OR c.user_id = @user_id) ORDER BY c.created_at, c.client_id;

-- name: KeyCount :one
SELECT count(*) FROM kg_api.oauth_clients c WHERE c.user_id = @user_id AND c.kind = 'key';

-- name: ClientDelete :execrows
DELETE FROM kg_api.oauth_clients c WHERE c.client_id = @client_id AND c.user_id = @user_id;

-- name: ClientRotate :one
-- The next generation makes the tokens of this one void.
UPDATE kg_api.oauth_clients c
SET secret_hash = @secret_hash, generation = c.generation + 1
WHERE c.client_id = @client_id AND c.user_id = @user_id
RETURNING c.*;

-- name: ClientTouch :exec
-- Writes at most once in a while, whatever the number of tokens and servers.
UPDATE kg_api.oauth_clients c
SET last_used_at = clock_timestamp()
WHERE c.client_id = @client_id
    AND (c.last_used_at IS NULL OR c.last_used_at <= clock_timestamp() - @at_most_every::interval);

-- name: SessionTouch :exec
-- A session that is used lasts for a while from then on, but never longer than longest.
UPDATE kg_api.oauth_clients c
SET last_used_at = clock_timestamp(), expires_at = least(clock_timestamp() + @idle::interval, c.created_at + @longest::interval)
WHERE c.client_id = @client_id AND c.kind = 'session' AND c.expires_at > clock_timestamp();

-- name: SessionPurge :exec
-- Sessions that have ended by themselves are refused without a row.
DELETE FROM kg_api.oauth_clients c WHERE c.kind = 'session' AND c.expires_at <= clock_timestamp();

-- name: TokenUser :one
-- The user of a token that is still good: its client exists, in the generation
-- that the token was made for and within its life, and the token was not revoked. The
-- epoch says whether the roles that the server has read are still current.
SELECT sqlc.embed(u), (SELECT a.epoch FROM kg_api.access_epoch a)::bigint AS epoch
FROM kg_api.oauth_clients c
JOIN kg_api.users u ON u.id = c.user_id
WHERE c.client_id = @client_id AND c.generation = @generation
    AND (c.expires_at IS NULL OR c.expires_at > statement_timestamp())
    AND NOT EXISTS (SELECT 1 FROM kg_api.revoked_tokens r WHERE r.token_id = @token_id);

-- name: TokenRevoke :exec
INSERT INTO kg_api.revoked_tokens (token_id, expires_at) VALUES (@token_id, @expires_at)
ON CONFLICT DO NOTHING;

-- name: TokenPurge :exec
-- Revoked tokens that have expired since are refused without a row.
DELETE FROM kg_api.revoked_tokens r WHERE r.expires_at < clock_timestamp();

-- name: SecretEnsure :one
-- Stores a secret unless there is one by that name, and returns the one that
-- counts. The update changes nothing; without it a conflict returns no row.
INSERT INTO kg_api.secrets AS s (name, value) VALUES (@name, @value)
ON CONFLICT (name) DO UPDATE SET name = s.name
RETURNING s.value;

-- name: AccessEpoch :one
-- Differs from an earlier answer when a right was taken from somebody since.
SELECT a.epoch FROM kg_api.access_epoch a;
