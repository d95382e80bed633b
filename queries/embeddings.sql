-- name: EmbeddingSpaceBegin :exec
-- Makes a model that of the graph, which has no embeddings yet. A graph whose last
-- concept is gone has none either.
UPDATE kg_api.embedding_space s SET model = @model, dimensions = NULL, reembedding = false
WHERE (s.model IS NULL OR s.model <> @model) AND NOT EXISTS (SELECT 1 FROM kg_api.concept_embeddings);

-- name: EmbeddingSpace :one
SELECT coalesce(s.model, '')::text AS model, coalesce(s.dimensions, 0)::int AS dimensions, s.reembedding FROM kg_api.embedding_space s;

-- name: EmbeddingSpaceChange :exec
-- From here on embeddings of the old model are refused, in all processes.
UPDATE kg_api.embedding_space s
SET model = @model, reembedding = true, dimensions = CASE WHEN s.model = @model THEN s.dimensions END;

-- name: EmbeddingSpaceDone :exec
UPDATE kg_api.embedding_space s SET reembedding = false
WHERE s.model = @model AND NOT EXISTS (SELECT 1 FROM kg_api.concept_embeddings e WHERE e.model <> @model);

-- name: EmbeddingsOutdated :many
-- Concepts whose embedding is of another model, in the order of their numbers, and how
-- many of them there are.
SELECT c.id, c.label, c.description, c.search_terms, count(*) OVER () AS outdated
FROM kg_api.concept_embeddings e JOIN kg_api.concepts c ON c.id = e.concept
WHERE e.model <> @model
ORDER BY c.id LIMIT @most;

-- name: ConceptTexts :many
-- What concepts say whose embedding is of another model.
SELECT c.id, c.label, c.description, c.search_terms
FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id
WHERE c.id = ANY (@ids::int[]) AND e.model <> @model;
