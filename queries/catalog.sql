-- name: CatalogOntology :one
-- An ontology by its number or by its name. A name that looks like a number is found
-- after the number.
SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch, o.created_at,
    (SELECT count(*) FROM kg_api.documents d WHERE d.ontology_id = o.id) AS children
FROM kg_api.ontologies o
WHERE o.id::text = @id::text OR o.name = @id
ORDER BY (o.id::text = @id) DESC LIMIT 1;

-- name: CatalogDocument :one
-- A document in an ontology, or for '' in the one that took it last.
SELECT d.id, d.document_id, d.filename, d.content_type, d.created_at, d.job_id, o.id AS ontology_id, o.name AS ontology,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS children
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND (@ontology::text = '' OR o.name = @ontology)
ORDER BY d.id DESC LIMIT 1;

-- name: CatalogSource :one
SELECT s.source_id, s.chunk_number, s.words, s.created_at, d.document_id, d.filename, d.content_type, o.name AS ontology,
    (SELECT count(DISTINCT i.concept) FROM kg_api.instances i WHERE i.source = s.id) AS concepts
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE s.source_id = @source_id;

-- name: CatalogOntologies :many
WITH found AS (
    SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch, o.created_at,
        (SELECT count(*) FROM kg_api.documents d WHERE d.ontology_id = o.id) AS children
    FROM kg_api.ontologies o
    WHERE @fragment::text = '' OR strpos(lower(o.name), lower(@fragment)) > 0
)
SELECT f.id, f.name, f.lifecycle_state, f.creation_epoch, f.created_at, f.children, count(*) OVER () AS total
FROM found f
ORDER BY CASE WHEN @sort::text = 'child_count' THEN f.children END DESC, CASE WHEN @sort = 'created' THEN f.created_at END DESC, f.name
LIMIT @most OFFSET @skip;

-- name: CatalogDocuments :many
WITH found AS (
    SELECT d.id, d.document_id, d.filename, d.content_type, d.created_at, d.job_id,
        (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS children
    FROM kg_api.documents d
    WHERE d.ontology_id = @ontology AND (@fragment::text = '' OR strpos(lower(d.filename), lower(@fragment)) > 0)
)
SELECT f.id, f.document_id, f.filename, f.content_type, f.created_at, f.job_id, f.children, count(*) OVER () AS total
FROM found f
ORDER BY CASE WHEN @sort::text = 'child_count' THEN f.children END DESC, CASE WHEN @sort = 'created' THEN f.created_at END DESC, f.filename, f.id
LIMIT @most OFFSET @skip;

-- name: CatalogSources :many
-- The chunks of a document in their order; by how many concepts they show, or newest
-- first. A fragment is looked for in their texts.
WITH found AS (
    SELECT s.id, s.source_id, s.chunk_number, s.words, s.created_at,
        (SELECT count(DISTINCT i.concept) FROM kg_api.instances i WHERE i.source = s.id) AS concepts
    FROM kg_api.sources s
    WHERE s.document = @document AND (@fragment::text = '' OR strpos(lower(s.full_text), lower(@fragment)) > 0)
)
SELECT f.id, f.source_id, f.chunk_number, f.words, f.created_at, f.concepts, count(*) OVER () AS total
FROM found f
ORDER BY CASE WHEN @sort::text = 'child_count' THEN f.concepts END DESC, CASE WHEN @sort = 'created' THEN f.created_at END DESC, f.chunk_number, f.id
LIMIT @most OFFSET @skip;

-- name: ConceptsNewest :many
-- The concepts that were made last; for an ontology, those that it shows.
SELECT c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at,
    coalesce((SELECT o.name FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id AND (@ontology::text = '' OR o.name = @ontology)
        ORDER BY o.name LIMIT 1), '')::text AS ontology
FROM kg_api.concepts c
WHERE @ontology = '' OR EXISTS (
    SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE i.concept = c.id AND o.name = @ontology)
ORDER BY c.id DESC LIMIT @most;

-- name: ConceptsByID :many
-- What is shown of concepts, in no order; those that are gone are not there. Within an
-- ontology, those that it shows.
SELECT c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at,
    coalesce((SELECT o.name FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id AND (@ontology::text = '' OR o.name = @ontology)
        ORDER BY o.name LIMIT 1), '')::text AS ontology
FROM kg_api.concepts c
WHERE c.concept_id = ANY (@concept_ids::text[]) AND (@ontology = '' OR EXISTS (
    SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE i.concept = c.id AND o.name = @ontology));
