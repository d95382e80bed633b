-- name: DocumentList :many
-- The documents of an ontology, or of all for '', newest first. What is counted is
-- counted for the page alone, which is read by the index of its order: one of both has rows.
WITH page AS MATERIALIZED (
    (SELECT d.id FROM kg_api.documents d
    WHERE @ontology::text = '' AND d.id < @before::bigint
    ORDER BY d.id DESC LIMIT @most OFFSET @skip)
    UNION ALL
    (SELECT d.id FROM kg_api.documents d
    WHERE @ontology <> '' AND d.ontology_id = (SELECT o.id FROM kg_api.ontologies o WHERE o.name = @ontology) AND d.id < @before
    ORDER BY d.ontology_id DESC, d.id DESC LIMIT @most OFFSET @skip)
)
SELECT d.id, d.document_id, d.filename, coalesce(d.source_path, '')::text AS source_path, d.version, o.name AS ontology, d.content_type, d.created_at, d.job_id,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS sources,
    (SELECT count(DISTINCT i.concept) FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id WHERE s.document = d.id) AS concepts
FROM page p JOIN kg_api.documents d ON d.id = p.id JOIN kg_api.ontologies o ON o.id = d.ontology_id
ORDER BY d.id DESC;

-- name: DocumentNamesakes :many
-- The paths of the documents of an ontology, or of all for '', that are called as some are.
SELECT DISTINCT coalesce(d.source_path, '')::text AS source_path, d.filename
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.filename = ANY (@filenames::text[]) AND (@ontology::text = '' OR o.name = @ontology)
LIMIT @most;

-- name: DocumentCount :one
SELECT coalesce(sum(t.documents), 0)::bigint AS documents FROM kg_api.ontologies o JOIN kg_api.ontology_totals t ON t.ontology = o.id
WHERE @ontology::text = '' OR o.name = @ontology;

-- name: DocumentFind :one
-- A document in an ontology, or for '' in the one that took it last.
SELECT d.id, d.document_id, d.filename, o.name AS ontology, d.content_type, d.job_id
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND (@ontology::text = '' OR o.name = @ontology)
ORDER BY d.id DESC LIMIT 1;

-- name: DocumentChunks :many
SELECT s.source_id, s.chunk_number, s.full_text, s.start_char, s.end_char, s.start_byte, s.end_byte
FROM kg_api.sources s WHERE s.document = @document ORDER BY s.chunk_number, s.id;

-- name: DocumentConcepts :many
-- The concepts that a document shows, each with the chunk that shows it first, in the
-- order of their weight: what the document is about comes first.
SELECT c.concept_id,
    (CASE WHEN @ontology::text = '' OR NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.name <> @ontology) THEN c.label ELSE kg_api.label_in(c.id, c.label, @ontology) END)::text AS label,
    count(*) AS instances,
    ((array_agg(s.source_id ORDER BY s.chunk_number, i.start_byte, i.id))[1])::text AS source_id,
    coalesce((SELECT sum(m.weight) FROM kg_api.mentions m JOIN kg_api.sources f ON f.id = m.source
        WHERE m.concept = c.id AND f.document = @document), 0)::float8 AS weight
FROM kg_api.sources s
JOIN kg_api.instances i ON i.source = s.id
JOIN kg_api.concepts c ON c.id = i.concept
WHERE s.document = @document
GROUP BY c.id
ORDER BY weight DESC, count(*) DESC, c.label, c.id;

-- name: DocumentQuotes :many
-- What a document is quoted for, in the order of its text: each quote once for each concept
-- that it shows and each relationship that it states, which has another end and a type. A page
-- has so many places of the text, whatever is said at each; chunks before it are not read, and
-- a name is looked up once for each concept.
WITH quoted AS MATERIALIZED (
    SELECT i.start_byte, i.end_byte, i.quote, s.source_id, i.concept, 0 AS other, 0 AS type, 0::real AS confidence
    FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id
    WHERE s.document = @document::int AND s.end_byte > @after_start::bigint AND (i.start_byte, i.end_byte) > (@after_start, @after_end::bigint)
    UNION ALL
    SELECT e.start_byte, e.end_byte, e.quote, s.source_id, e.src, e.dst, e.type, e.confidence
    FROM kg_api.sources s JOIN kg_api.edge_evidence e ON e.source = s.id
    WHERE s.document = @document AND s.end_byte > @after_start AND (e.start_byte, e.end_byte) > (@after_start, @after_end) AND e.quote <> ''
), page AS MATERIALIZED (
    SELECT DISTINCT q.start_byte, q.end_byte FROM quoted q ORDER BY q.start_byte, q.end_byte LIMIT @most
), shown AS MATERIALIZED (
    SELECT q.* FROM page p JOIN quoted q ON q.start_byte = p.start_byte AND q.end_byte = p.end_byte
), named AS MATERIALIZED (
    SELECT c.id, c.concept_id,
        (CASE WHEN NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.name <> @ontology::text) THEN c.label ELSE kg_api.label_in(c.id, c.label, @ontology) END)::text AS label
    FROM (SELECT w.concept FROM shown w UNION SELECT w.other FROM shown w) u JOIN kg_api.concepts c ON c.id = u.concept
)
SELECT w.start_byte, w.end_byte, w.quote, w.source_id, w.confidence::float8 AS confidence, n.concept_id, n.label,
    coalesce(o.concept_id, '') AS other_id, coalesce(o.label, '') AS other_label, coalesce(t.name, '') AS type
FROM shown w
JOIN named n ON n.id = w.concept
LEFT JOIN named o ON o.id = w.other
LEFT JOIN kg_api.relationship_types t ON t.id = w.type
ORDER BY w.start_byte, w.end_byte, w.other <> 0, n.label, n.concept_id, o.label, o.concept_id, t.name, w.source_id;

-- name: SourceList :many
-- A page of chunks in the order of sources_listed_idx. What a list shows besides is read for
-- the page alone.
WITH page AS (
    SELECT s.id, s.document, s.chunk_number, s.source_id
    FROM kg_api.sources s
    WHERE s.document <= @from_document::bigint AND (s.document < @from_document OR (s.chunk_number, s.id) > (@after_chunk::bigint, @after_id::bigint))
    ORDER BY s.document DESC, s.chunk_number, s.id LIMIT @most OFFSET @skip
)
SELECT s.source_id, d.ontology, s.chunk_number, d.content_type, d.filename, d.document_id, s.document, s.id
FROM page s
CROSS JOIN LATERAL (
    SELECT x.content_type, x.filename, x.document_id, (SELECT o.name FROM kg_api.ontologies o WHERE o.id = x.ontology_id)::text AS ontology
    FROM kg_api.documents x WHERE x.id = s.document OFFSET 0
) d
ORDER BY s.document DESC, s.chunk_number, s.id;

-- name: SourceListIn :many
-- SourceList of an ontology, in the order of its documents. Each of them has a chunk, so that
-- as many documents are enough as the page and what is before it have chunks, and one more,
-- of which the page before may have shown all.
SELECT s.source_id, s.chunk_number, d.content_type, d.filename, d.document_id, d.id AS document, s.id
FROM (
    SELECT x.id, x.content_type, x.filename, x.document_id FROM kg_api.documents x
    WHERE x.ontology_id = @ontology::int AND x.id <= @from_document::bigint
        AND (SELECT true FROM kg_api.sources f WHERE f.document = x.id LIMIT 1)
    ORDER BY x.id DESC LIMIT @documents::int
) d
CROSS JOIN LATERAL (
    SELECT c.id, c.chunk_number, c.source_id FROM kg_api.sources c
    WHERE c.document = d.id AND (d.id < @from_document OR (c.chunk_number, c.id) > (@after_chunk::bigint, @after_id::bigint))
    ORDER BY c.chunk_number, c.id OFFSET 0
) s
ORDER BY d.id DESC, s.chunk_number, s.id LIMIT @most OFFSET @skip;

-- name: SourceFind :one
SELECT s.source_id, o.name AS ontology, s.chunk_number, s.full_text, s.start_char, s.end_char, s.start_byte, s.end_byte,
    d.document_id, d.filename, d.source_path, d.content_type
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE s.source_id = @source_id;

-- name: SourcesOfConcepts :many
-- The chunks that show given concepts, each once for each of them, with a quote: those of
-- the first concept first, so that the limit takes none from it for the sake of the others.
-- OFFSET 0 has what shows a concept read by its number: planned once for any concepts, the
-- statement would begin at the ontologies and read all that stands in them.
SELECT q.source, q.concept_id, q.quote, q.start_byte FROM (
SELECT DISTINCT ON (i.concept, i.source) a.place, i.source, c.concept_id, i.quote, (i.start_byte - s.start_byte)::int AS start_byte
FROM unnest(@concept_ids::text[]) WITH ORDINALITY AS a (concept_id, place)
CROSS JOIN LATERAL (SELECT w.id, w.concept_id FROM kg_api.concepts w WHERE w.concept_id = a.concept_id OFFSET 0) c
CROSS JOIN LATERAL (SELECT x.id, x.concept, x.source, x.quote, x.start_byte FROM kg_api.instances x WHERE x.concept = c.id OFFSET 0) i
CROSS JOIN LATERAL (SELECT y.document, y.start_byte FROM kg_api.sources y WHERE y.id = i.source OFFSET 0) s
CROSS JOIN LATERAL (SELECT z.document_id, z.ontology_id FROM kg_api.documents z WHERE z.id = s.document OFFSET 0) d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE (@ontology::text = '' OR o.name = @ontology)
    AND (cardinality(@documents::text[]) = 0 OR d.document_id = ANY (@documents))
ORDER BY i.concept, i.source, i.start_byte, i.id, a.place
) q
ORDER BY q.place, q.source
LIMIT @most;

-- name: SourcesShown :many
-- What is shown of chunks that a search found.
SELECT s.id, s.source_id, o.name AS ontology, s.chunk_number, s.full_text, s.start_byte, d.document_id, d.filename, d.content_type
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE s.id = ANY (@ids::int[]);

-- name: DocumentsOfSources :many
-- In which documents chunks stand: nothing of their texts is read.
SELECT s.id, o.name AS ontology, d.document_id, d.filename, d.content_type
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE s.id = ANY (@ids::int[]);

-- name: PlacesOfSources :many
-- The pages and sections of chunks, in the order of their texts.
SELECT source, start_byte, page, section FROM kg_api.source_places WHERE source = ANY (@ids::int[]) ORDER BY source, start_byte;

-- name: SourceConcepts :many
-- The concepts that chunks show, with the first quote of each; called as in an ontology, or
-- for '' as everywhere: by their own names where no other ontology could have given them. A
-- function is called for each concept else, and not for each quote.
SELECT f.source, c.concept_id,
    (CASE WHEN @ontology::text = '' OR NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.name <> @ontology) THEN c.label ELSE kg_api.label_in(c.id, c.label, @ontology) END)::text AS label,
    (CASE WHEN @ontology = '' OR NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.name <> @ontology) THEN c.description ELSE kg_api.description_in(c.id, c.description, @ontology) END)::text AS description,
    f.quote
FROM (
    SELECT DISTINCT ON (i.source, i.concept) i.source, i.concept, i.quote
    FROM kg_api.instances i WHERE i.source = ANY (@ids::int[]) ORDER BY i.source, i.concept, i.start_byte, i.id
) f
JOIN kg_api.concepts c ON c.id = f.concept
ORDER BY f.source, f.concept;
