-- name: ImageDescription :one
SELECT d.description FROM kg_api.image_descriptions d WHERE d.content_hash = @content_hash AND d.model = @model;

-- name: ImageDescribed :one
-- Keeps a description, and returns the one that is kept: of two jobs that had the same
-- image described at the same moment, both go on with one text.
WITH added AS (
    INSERT INTO kg_api.image_descriptions (content_hash, model, description)
    VALUES (@content_hash, @model, @description)
    ON CONFLICT (content_hash, model) DO NOTHING
    RETURNING image_descriptions.description
)
SELECT a.description FROM added a
UNION ALL
SELECT d.description FROM kg_api.image_descriptions d WHERE d.content_hash = @content_hash AND d.model = @model
LIMIT 1;
