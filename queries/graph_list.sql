-- name: ConceptsByEvidence :many
-- The concepts that most chunks show, then most quotes; an empty ontology or label
-- stands for all. A concept shown all over a document matters more than one
-- that a single passage repeats. What a list shows besides is read for the page alone.
WITH page AS (
    SELECT c.id, count(DISTINCT i.source) AS sources, count(i.id) AS quotes
    FROM kg_api.instances i
    JOIN kg_api.concepts c ON c.id = i.concept
    WHERE (@ontology::text = '' OR i.source IN (
            SELECT s.id FROM kg_api.sources s
            JOIN kg_api.documents d ON d.id = s.document
            JOIN kg_api.ontologies o ON o.id = d.ontology_id
            WHERE o.name = @ontology))
        AND (@label_contains::text = '' OR strpos(lower(c.label), lower(@label_contains)) > 0)
        AND (@creation_method::text = '' OR c.creation_method = @creation_method)
    GROUP BY c.id
    HAVING (count(DISTINCT i.source), count(i.id), -c.id) < (@before_sources::bigint, @before_quotes::bigint, @before_negative::bigint)
    ORDER BY sources DESC, quotes DESC, c.id
    LIMIT @most OFFSET @skip
)
SELECT p.id, c.concept_id, p.sources, p.quotes, c.search_terms, c.creation_method,
    EXISTS (SELECT 1 FROM kg_api.concept_embeddings e WHERE e.concept = p.id) AS has_embedding
FROM page p JOIN kg_api.concepts c ON c.id = p.id
ORDER BY p.sources DESC, p.quotes DESC, p.id;

-- name: ConceptsCount :one
-- How many concepts ConceptsByEvidence lists in all.
SELECT count(DISTINCT i.concept)
FROM kg_api.instances i
JOIN kg_api.concepts c ON c.id = i.concept
WHERE (@ontology::text = '' OR i.source IN (
        SELECT s.id FROM kg_api.sources s
        JOIN kg_api.documents d ON d.id = s.document
        JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE o.name = @ontology))
    AND (@label_contains::text = '' OR strpos(lower(c.label), lower(@label_contains)) > 0)
    AND (@creation_method::text = '' OR c.creation_method = @creation_method);
