-- name: ArtifactFileInsert :one
-- Begins a file, which belongs to no artifact yet.
INSERT INTO kg_api.artifact_files (content_type) VALUES (@content_type) RETURNING id;

-- name: ArtifactPieceInsert :exec
-- Adds a piece. It may be repeated when the answer was lost.
INSERT INTO kg_api.artifact_pieces (file_id, n, body) VALUES (@file_id, @n, @body)
ON CONFLICT (file_id, n) DO NOTHING;

-- name: ArtifactFileReplace :exec
-- Deletes the file that an earlier attempt kept for an artifact.
DELETE FROM kg_api.artifact_files f WHERE f.artifact_id = @artifact_id::bigint AND f.id <> @id;

-- name: ArtifactFileFinish :one
-- Gives a file to its artifact.
UPDATE kg_api.artifact_files SET artifact_id = @artifact_id::bigint, bytes = @bytes
WHERE artifact_files.id = @id
RETURNING artifact_files.id;

-- name: ArtifactFile :one
SELECT f.id, f.content_type, f.bytes FROM kg_api.artifact_files f WHERE f.artifact_id = @artifact_id::bigint;

-- name: ArtifactPiece :one
SELECT p.body FROM kg_api.artifact_pieces p WHERE p.file_id = @file_id AND p.n = @n;

-- name: ArtifactFilePurge :exec
-- Deletes files whose writer has gone.
DELETE FROM kg_api.artifact_files f WHERE f.artifact_id IS NULL AND f.created_at < statement_timestamp() - interval '1 day';

-- name: ArtifactFileOpen :one
-- A file that belongs to no artifact yet, as an archive that is to be restored.
SELECT id, content_type, bytes FROM kg_api.artifact_files WHERE id = @id AND artifact_id IS NULL;

-- name: ArtifactFileClose :exec
-- Says how long a file is that stays without an artifact.
UPDATE kg_api.artifact_files SET bytes = @bytes WHERE id = @id AND artifact_id IS NULL;

-- name: ArtifactFileDrop :execrows
-- Deletes a file that belongs to no artifact, with its pieces.
DELETE FROM kg_api.artifact_files WHERE id = @id AND artifact_id IS NULL;

-- name: ArtifactFilesWaiting :many
-- The files of a type that belong to no artifact, the newest first.
SELECT id, bytes, created_at FROM kg_api.artifact_files WHERE artifact_id IS NULL AND content_type = @content_type AND bytes > 0 ORDER BY id DESC LIMIT 100;
