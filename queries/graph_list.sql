-- name: ConceptsByEvidence :many
-- The concepts that most chunks show, then most quotes; an empty ontology
-- stands for all. A concept shown all over a document matters more than one
-- that a single passage repeats.
SELECT c.id, c.concept_id, count(DISTINCT i.source) AS sources
FROM kg_api.instances i
JOIN kg_api.concepts c ON c.id = i.concept
WHERE @ontology::text = '' OR i.source IN (
    SELECT s.id FROM kg_api.sources s
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE o.name = @ontology)
GROUP BY c.id
ORDER BY sources DESC, count(i.id) DESC, c.id
LIMIT @most OFFSET @skip;

-- name: ConceptsCount :one
SELECT count(DISTINCT i.concept)
FROM kg_api.instances i
WHERE @ontology::text = '' OR i.source IN (
    SELECT s.id FROM kg_api.sources s
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE o.name = @ontology);
