-- name: VocabularySettings :one
-- The settings with the curve that they name.
SELECT s.vocab_min, s.vocab_max, s.vocab_emergency, s.profile, s.auto_threshold, s.review_threshold, s.updated_at, s.updated_by,
    p.x1, p.y1, p.x2, p.y2
FROM kg_api.vocabulary_settings s
JOIN kg_api.vocabulary_profiles p ON p.name = s.profile;

-- name: VocabularySettingsLock :exec
SELECT FROM kg_api.vocabulary_settings FOR UPDATE;

-- name: VocabularySettingsStore :exec
UPDATE kg_api.vocabulary_settings
SET vocab_min = @vocab_min, vocab_max = @vocab_max, vocab_emergency = @vocab_emergency, profile = @profile,
    auto_threshold = @auto_threshold, review_threshold = @review_threshold, updated_at = clock_timestamp(), updated_by = sqlc.narg(updated_by);

-- name: ProfileList :many
SELECT p.* FROM kg_api.vocabulary_profiles p ORDER BY p.is_builtin DESC, p.name;

-- name: ProfileInsert :one
INSERT INTO kg_api.vocabulary_profiles (name, x1, y1, x2, y2, description, created_by)
VALUES (@name, @x1, @y1, @x2, @y2, @description, sqlc.narg(created_by))
RETURNING vocabulary_profiles.*;

-- name: ProfileForUpdate :one
SELECT p.* FROM kg_api.vocabulary_profiles p WHERE p.name = @name FOR UPDATE;

-- name: ProfileDelete :exec
DELETE FROM kg_api.vocabulary_profiles p WHERE p.name = @name;

-- name: TypeAdd :exec
INSERT INTO kg_api.relationship_types (name, category, is_builtin, description, added_by)
VALUES (@name, @category, false, sqlc.narg(description), sqlc.narg(added_by));
