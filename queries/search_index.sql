-- name: SearchPage :many
-- What a search compares of the concepts that follow a number.
SELECT c.id, c.concept_id, c.label, c.term_keys, e.vector, e.signature,
    ARRAY(SELECT DISTINCT d.ontology_id
        FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id)::int[] AS ontologies
FROM kg_api.concepts c
LEFT JOIN kg_api.concept_embeddings e ON e.concept = c.id AND e.model = @model
WHERE c.id > @after
ORDER BY c.id
LIMIT @most;

-- name: SearchEntries :many
-- The same of given concepts.
SELECT c.id, c.concept_id, c.label, c.term_keys, e.vector, e.signature,
    ARRAY(SELECT DISTINCT d.ontology_id
        FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id)::int[] AS ontologies
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
LEFT JOIN kg_api.concept_embeddings e ON e.concept = c.id AND e.model = @model;

-- name: OntologyNumbers :many
SELECT o.id, o.name FROM kg_api.ontologies o;
