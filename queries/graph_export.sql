-- name: OntologyNumber :one
SELECT o.id FROM kg_api.ontologies o WHERE o.name = @name;

-- name: AllConcepts :many
SELECT c.id FROM kg_api.concepts c ORDER BY c.id;

-- name: ConceptsIn :many
-- The concepts that an ontology shows.
SELECT DISTINCT i.concept
FROM kg_api.documents d
JOIN kg_api.sources s ON s.document = d.id
JOIN kg_api.instances i ON i.source = s.id
WHERE d.ontology_id = @ontology
ORDER BY i.concept;

-- name: StrongestConcepts :many
-- Those of some concepts that have the most relationships. All relationships are
-- counted at once, since that is less than an index scan for each concept of an
-- ontology.
SELECT w.id::int AS concept
FROM unnest(@concepts::int[]) AS w (id)
LEFT JOIN (
    SELECT u.id, count(*) AS relationships
    FROM (SELECT e.src AS id FROM kg_api.edges e UNION ALL SELECT e.dst FROM kg_api.edges e) u
    GROUP BY u.id
) k ON k.id = w.id
ORDER BY coalesce(k.relationships, 0) DESC, w.id
LIMIT @most;

-- name: EdgesFrom :many
-- The relationships that point away from some concepts, with the ids of their ends.
-- An ontology of 0 stands for all. What points elsewhere than to some concepts is dropped
-- before its names are read; adding 0 keeps their list out of the index search.
SELECT e.src, e.dst, a.concept_id AS from_id, b.concept_id AS to_id, t.name,
    (CASE WHEN @ontology::int = 0 THEN e.confidence ELSE (
        SELECT max(v.confidence) FROM kg_api.edge_evidence v
        JOIN kg_api.sources s ON s.id = v.source
        JOIN kg_api.documents d ON d.id = s.document
        WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type AND d.ontology_id = @ontology) END)::real AS confidence
FROM unnest(@concepts::int[]) AS w (id)
JOIN kg_api.edges e ON e.src = w.id
JOIN kg_api.relationship_types t ON t.id = e.type
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
WHERE (cardinality(@types::text[]) = 0 OR t.name = ANY (@types))
    AND (cardinality(@targets::int[]) = 0 OR e.dst + 0 = ANY (@targets))
    AND (@ontology = 0 OR EXISTS (
        SELECT FROM kg_api.edge_evidence v
        JOIN kg_api.sources s ON s.id = v.source
        JOIN kg_api.documents d ON d.id = s.document
        WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type AND d.ontology_id = @ontology))
ORDER BY e.src, e.dst, t.name;

-- name: DegreesIn :many
-- How many relationships of each concept were read in an ontology, of how many types, and the
-- grounding that they give it; see ConceptSummaries.
SELECT w.id::int AS concept, count(e.type)::int AS relationships, count(DISTINCT e.type)::int AS types,
    coalesce(sum(e.weight * m.projection) / nullif(sum(e.weight) FILTER (WHERE m.projection IS NOT NULL), 0), 0)::float8 AS grounding
FROM unnest(@concepts::int[]) AS w (id)
LEFT JOIN LATERAL (
    SELECT o.src, o.dst, o.type, 0::float8 AS weight FROM kg_api.edges o WHERE o.src = w.id
    UNION ALL
    SELECT i.src, i.dst, i.type, i.confidence::float8 FROM kg_api.edges i WHERE i.dst = w.id
) e ON EXISTS (
    SELECT FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source
    JOIN kg_api.documents d ON d.id = s.document
    WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type AND d.ontology_id = @ontology)
LEFT JOIN kg_api.type_measures m ON m.type = e.type
GROUP BY w.id;

-- name: NetworkEdgesIn :many
-- The relationships that were read in an ontology, up to most, as numbers.
SELECT v.src, v.dst, max(v.confidence)::real AS confidence
FROM kg_api.documents d
JOIN kg_api.sources s ON s.document = d.id
JOIN kg_api.edge_evidence v ON v.source = s.id
WHERE d.ontology_id = @ontology
GROUP BY v.src, v.dst, v.type
ORDER BY v.src, v.dst, v.type LIMIT @most;

-- name: NetworkEdges :many
-- The relationships of the whole graph, up to most, as numbers: what an analysis of it
-- reads.
SELECT e.src, e.dst, e.confidence FROM kg_api.edges e ORDER BY e.src, e.dst, e.type LIMIT @most;
