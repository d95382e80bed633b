-- name: CatalogOntology :one
-- An ontology by its number or by its name. A name that looks like a number is found
-- after the number.
SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch, o.created_at,
    (SELECT t.documents FROM kg_api.ontology_totals t WHERE t.ontology = o.id)::bigint AS children
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
    SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch, o.created_at, t.documents AS children
    FROM kg_api.ontologies o JOIN kg_api.ontology_totals t ON t.ontology = o.id
    WHERE @fragment::text = '' OR strpos(lower(o.name), lower(@fragment)) > 0
)
SELECT f.id, f.name, f.lifecycle_state, f.creation_epoch, f.created_at, f.children, count(*) OVER () AS total
FROM found f
ORDER BY CASE WHEN @sort::text = 'child_count' THEN f.children END DESC, CASE WHEN @sort = 'created' THEN f.created_at END DESC, f.name
LIMIT @most OFFSET @skip;

-- name: CatalogDocuments :many
-- A page of the documents of an ontology by the index of their names, of which an index keeps
-- as much as fits. How many there are in all is kept.
SELECT d.id, d.document_id, d.filename, d.content_type, d.created_at, d.job_id,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS children,
    (SELECT t.documents FROM kg_api.ontology_totals t WHERE t.ontology = @ontology::int)::bigint AS total
FROM (
    SELECT x.id, x.document_id, x.filename, x.content_type, x.created_at, x.job_id FROM kg_api.documents x
    WHERE x.ontology_id = @ontology
    ORDER BY x.ontology_id, left(x.filename, 500), x.id LIMIT @most OFFSET @skip
) d
ORDER BY left(d.filename, 500), d.id;

-- name: CatalogDocumentsSorted :many
-- CatalogDocuments in another order, or of names with a fragment: it looks at each document of
-- the ontology, and counts the chunks of all only to put them in the order of that.
WITH found AS (
    SELECT d.id, d.filename, count(*) OVER () AS total,
        CASE WHEN @sort::text = 'child_count' THEN (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) END AS weight,
        CASE WHEN @sort = 'created' THEN d.created_at END AS since
    FROM kg_api.documents d
    WHERE d.ontology_id = @ontology AND (@fragment::text = '' OR strpos(lower(d.filename), lower(@fragment)) > 0)
), page AS MATERIALIZED (
    SELECT f.id, f.filename, f.total, f.weight, f.since FROM found f
    ORDER BY f.weight DESC, f.since DESC, left(f.filename, 500), f.id LIMIT @most OFFSET @skip
)
SELECT p.id, d.document_id, p.filename, d.content_type, d.created_at, d.job_id,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = p.id) AS children, p.total
FROM page p
CROSS JOIN LATERAL (SELECT x.document_id, x.content_type, x.created_at, x.job_id FROM kg_api.documents x WHERE x.id = p.id OFFSET 0) d
ORDER BY p.weight DESC, p.since DESC, left(p.filename, 500), p.id;

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
-- The concepts that were made last.
SELECT c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at,
    coalesce((SELECT o.name FROM kg_api.shown_concepts x JOIN kg_api.ontologies o ON o.id = x.ontology
        WHERE x.concept = c.id ORDER BY o.name LIMIT 1), '')::text AS ontology
FROM kg_api.concepts c
ORDER BY c.id DESC LIMIT @most;

-- name: ConceptsNewestIn :many
-- The concepts that were made last of those that an ontology shows: of what is kept of it, and
-- of what has changed since. A condition of ConceptsNewest would read all concepts of a graph
-- for an ontology with few.
WITH o AS MATERIALIZED (
    SELECT x.id, x.name FROM kg_api.ontologies x WHERE x.name = @ontology::text
), changed AS MATERIALIZED (
    SELECT n.concept, n.before, (n.before + n.change) AS later FROM kg_api.ontology_pending n WHERE n.kind = 'quote' AND n.ontology = (SELECT o.id FROM o)
), shown AS (
    (SELECT h.concept FROM kg_api.ontology_holdings h
    WHERE h.ontology = (SELECT o.id FROM o) AND h.other = 0 AND h.concept NOT IN (SELECT c.concept FROM changed c WHERE c.later <= 0)
    ORDER BY h.ontology DESC, h.concept DESC, h.other DESC, h.type DESC LIMIT @most)
    UNION ALL
    (SELECT c.concept FROM changed c WHERE c.before <= 0 AND c.later > 0)
)
SELECT c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at, (SELECT o.name FROM o)::text AS ontology
FROM (SELECT s.concept FROM shown s ORDER BY s.concept DESC LIMIT @most) w
CROSS JOIN LATERAL (SELECT y.id, y.concept_id, y.label, y.description, y.search_terms, y.creation_method, y.created_at FROM kg_api.concepts y WHERE y.id = w.concept OFFSET 0) c
ORDER BY c.id DESC;

-- name: ConceptsByID :many
-- What is shown of concepts, in no order; those that are gone are not there. Within an
-- ontology, those that it shows. Which ontologies show a concept is kept: of its quotes, none
-- is read.
SELECT c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at, coalesce(n.ontology, '')::text AS ontology
FROM kg_api.concepts c
LEFT JOIN LATERAL (
    SELECT o.name AS ontology FROM kg_api.shown_concepts x JOIN kg_api.ontologies o ON o.id = x.ontology
    WHERE x.concept = c.id AND (@ontology::text = '' OR o.name = @ontology)
    ORDER BY o.name LIMIT 1
) n ON true
WHERE c.concept_id = ANY (@concept_ids::text[]) AND (@ontology = '' OR n.ontology IS NOT NULL);
