-- name: ModelSettings :one
SELECT m.revision, m.max_calls FROM kg_api.model_settings m;

-- name: ModelSettingsTouch :one
-- Begins a change of what models are used: nobody else changes it meanwhile, and every
-- server reads it when the transaction is committed.
WITH touched AS (
    UPDATE kg_api.model_settings m SET revision = m.revision + 1 RETURNING m.revision
), woken AS (
    SELECT pg_notify('kg_models', '') FROM touched
)
SELECT t.revision, (SELECT count(*) FROM woken) AS notified FROM touched t;

-- name: ModelMaxCallsSet :exec
UPDATE kg_api.model_settings m SET max_calls = sqlc.narg('max_calls');

-- name: ModelProfiles :many
SELECT p.* FROM kg_api.model_profiles p WHERE p.slot = @slot ORDER BY p.profile_id;

-- name: ModelProfilesActive :many
SELECT p.* FROM kg_api.model_profiles p WHERE p.active ORDER BY p.slot;

-- name: ModelProfile :one
SELECT p.* FROM kg_api.model_profiles p WHERE p.profile_id = @profile_id AND p.slot = @slot FOR UPDATE;

-- name: ModelProfileInsert :one
INSERT INTO kg_api.model_profiles (slot, name, provider, model, max_tokens, dimensions, updated_by)
VALUES (@slot, @name, @provider, @model, @max_tokens, @dimensions, @updated_by)
RETURNING model_profiles.*;

-- name: ModelProfileDeactivate :many
-- No profile of the slot is active any more; returns the one that was.
UPDATE kg_api.model_profiles p SET active = false, change_protected = false, updated_at = clock_timestamp()
WHERE p.slot = @slot AND p.active RETURNING p.profile_id;

-- name: ModelProfileActivate :one
UPDATE kg_api.model_profiles p
SET active = true, delete_protected = @protect, change_protected = @protect, dimensions = @dimensions, updated_at = clock_timestamp(), updated_by = @updated_by
WHERE p.profile_id = @profile_id RETURNING p.*;

-- name: ModelProfileProtect :one
UPDATE kg_api.model_profiles p
SET delete_protected = coalesce(sqlc.narg('delete_protected'), p.delete_protected), change_protected = coalesce(sqlc.narg('change_protected'), p.change_protected),
    updated_at = clock_timestamp(), updated_by = @updated_by
WHERE p.profile_id = @profile_id RETURNING p.*;

-- name: ModelProfileDelete :exec
DELETE FROM kg_api.model_profiles p WHERE p.profile_id = @profile_id;

-- name: ProviderSettings :many
SELECT p.* FROM kg_api.provider_settings p ORDER BY p.provider;

-- name: ProviderSettingsSet :exec
INSERT INTO kg_api.provider_settings (provider, url, context, max_calls, requests_per_minute, tokens_per_minute)
VALUES (@provider, sqlc.narg('url'), sqlc.narg('context'), sqlc.narg('max_calls'), sqlc.narg('requests_per_minute'), sqlc.narg('tokens_per_minute'))
ON CONFLICT (provider) DO UPDATE
SET url = excluded.url, context = excluded.context, max_calls = excluded.max_calls,
    requests_per_minute = excluded.requests_per_minute, tokens_per_minute = excluded.tokens_per_minute;

-- name: ModelPrices :many
SELECT p.* FROM kg_api.model_prices p ORDER BY p.provider, p.model;

-- name: ModelPriceSet :exec
INSERT INTO kg_api.model_prices (provider, model, input, output) VALUES (@provider, @model, @input, @output)
ON CONFLICT (provider, model) DO UPDATE SET input = excluded.input, output = excluded.output;

-- name: ModelPriceDelete :execrows
DELETE FROM kg_api.model_prices p WHERE p.provider = @provider AND p.model = @model;

-- name: ProviderKeys :many
SELECT k.* FROM kg_api.provider_keys k ORDER BY k.provider;

-- name: ProviderKeySet :exec
INSERT INTO kg_api.provider_keys (provider, key_id, sealed, last_four, updated_by) VALUES (@provider, @key_id, @sealed, @last_four, @updated_by)
ON CONFLICT (provider) DO UPDATE
SET key_id = excluded.key_id, sealed = excluded.sealed, last_four = excluded.last_four, updated_by = excluded.updated_by,
    validated_at = clock_timestamp(), updated_at = clock_timestamp();

-- name: ProviderKeyReseal :exec
-- Stores a key that was encrypted anew; it is the same one as before.
UPDATE kg_api.provider_keys k SET key_id = @key_id, sealed = @sealed WHERE k.provider = @provider;

-- name: ProviderKeyDelete :execrows
DELETE FROM kg_api.provider_keys k WHERE k.provider = @provider;
