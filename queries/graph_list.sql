-- name: ConceptRanks :many
-- How many chunks and quotes show each concept, in order of the key of the quotes: nothing
-- is sorted.
SELECT n.concept, n.sources, n.quotes, c.creation_method
FROM (
    SELECT p.concept, count(*)::int AS sources, sum(p.quotes)::int AS quotes
    FROM (SELECT i.concept, i.source, count(*) AS quotes FROM kg_api.instances i GROUP BY i.concept, i.source) p
    GROUP BY p.concept
) n
JOIN kg_api.concepts c ON c.id = n.concept;

-- name: ConceptRanksOf :many
-- ConceptRanks of given concepts.
SELECT c.id AS concept, n.sources, n.quotes, c.creation_method
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
CROSS JOIN LATERAL (SELECT count(DISTINCT i.source)::int AS sources, count(*)::int AS quotes FROM kg_api.instances i WHERE i.concept = w.id) n
WHERE n.quotes > 0;

-- name: ConceptRanksIn :many
-- ConceptRanks of what an ontology shows.
SELECT n.concept, n.sources, n.quotes, c.creation_method
FROM (
    SELECT i.concept, count(DISTINCT i.source)::int AS sources, count(*)::int AS quotes
    FROM kg_api.documents d
    JOIN kg_api.sources s ON s.document = d.id
    JOIN kg_api.instances i ON i.source = s.id
    WHERE d.ontology_id = @ontology
    GROUP BY i.concept
) n
JOIN kg_api.concepts c ON c.id = n.concept;

-- name: ConceptRanksOfIn :many
-- ConceptRanksOf of what an ontology shows.
SELECT c.id AS concept, n.sources, n.quotes, c.creation_method
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
CROSS JOIN LATERAL (
    SELECT count(DISTINCT i.source)::int AS sources, count(*)::int AS quotes
    FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document
    WHERE i.concept = w.id AND d.ontology_id = @ontology
) n
WHERE n.quotes > 0;

-- name: ConceptLabels :many
-- The labels of all concepts, for whoever remembers them.
SELECT c.id, c.label FROM kg_api.concepts c;

-- name: ConceptLabelsOf :many
SELECT c.id, c.label FROM kg_api.concepts c WHERE c.id = ANY (@ids::int[]);

-- name: ConceptsListed :many
-- What a list shows of the concepts of a page besides their place, in the given order. Each
-- is read by its number, whatever the statistics say: OFFSET 0 leaves no other way.
SELECT w.id::int AS id, c.concept_id, c.label, c.description, c.search_terms, c.creation_method,
    coalesce((SELECT true FROM kg_api.concept_embeddings e WHERE e.concept = w.id), false)::bool AS has_embedding
FROM unnest(@ids::int[]) WITH ORDINALITY AS w (id, place)
CROSS JOIN LATERAL (SELECT o.concept_id, o.label, o.description, o.search_terms, o.creation_method FROM kg_api.concepts o WHERE o.id = w.id OFFSET 0) c
ORDER BY w.place;
