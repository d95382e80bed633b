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

-- name: EmbeddingCoverage :one
-- How much of the graph, or of one ontology, is embedded with a model.
SELECT
    (SELECT count(*) FROM kg_api.concepts c WHERE @ontology::text = '' OR c.id IN (SELECT i.concept FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = @ontology))::int AS concepts,
    (SELECT count(*) FROM kg_api.concept_embeddings e WHERE e.model = @model
        AND (@ontology::text = '' OR e.concept IN (SELECT i.concept FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = @ontology)))::int AS concepts_embedded,
    (SELECT count(*) FROM kg_api.concept_embeddings e WHERE e.model <> @model
        AND (@ontology::text = '' OR e.concept IN (SELECT i.concept FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = @ontology)))::int AS concepts_other,
    x.sources, x.sources_embedded, x.sources_stale, x.sources_other,
    (SELECT count(*) FROM kg_api.relationship_types)::int AS types,
    (SELECT count(*) FROM kg_api.type_embeddings e WHERE e.model = @model)::int AS types_embedded,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE NOT EXISTS (SELECT FROM kg_api.type_embeddings e WHERE e.type = t.id AND e.model = @model)
        AND EXISTS (SELECT FROM kg_api.type_embeddings e WHERE e.type = t.id))::int AS types_other
FROM (
    SELECT count(*)::int AS sources,
        (count(*) FILTER (WHERE e.fresh))::int AS sources_embedded,
        (count(*) FILTER (WHERE e.stale AND NOT e.fresh))::int AS sources_stale,
        (count(*) FILTER (WHERE e.other AND NOT e.fresh AND NOT e.stale))::int AS sources_other
    FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(e.model = @model AND e.text_md5 = s.text_md5), false) AS fresh,
            coalesce(bool_or(e.model = @model AND e.text_md5 <> s.text_md5), false) AS stale,
            coalesce(bool_or(e.model <> @model), false) AS other
        FROM kg_api.source_embeddings e WHERE e.source = s.id
    ) e
    WHERE (@ontology::text = '' OR o.name = @ontology) AND s.full_text <> ''
) x;

-- name: ConceptTexts :many
-- What concepts say whose embedding is of another model.
SELECT c.id, c.label, c.description, c.search_terms
FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id
WHERE c.id = ANY (@ids::int[]) AND e.model <> @model;
