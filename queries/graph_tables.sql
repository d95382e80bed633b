-- The rows of the tables of the graph, each statement a whole table, which is read row by row.
-- They take the same two parameters first: the numbers of the ontologies, of which alone is said
-- what is said, and those of the concepts, of which alone rows are; without any, of all.

-- name: TablesBegin :exec
-- Has each statement planned for what it is asked for: a list that is empty or not decides
-- most of its plan.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true);

-- name: TablesMark :one
-- What the tables are of. The names of the ontologies stand in them, and are not part of the
-- epoch.
SELECT g.epoch, transaction_timestamp()::timestamptz AS at,
    (SELECT coalesce(md5(string_agg(o.id || ' ' || o.name, E'\n' ORDER BY o.id)), '') FROM kg_api.ontologies o)::text AS names
FROM kg_api.graph_epoch g;

-- name: TableConcepts :many
-- What a concept is called within ontologies is what NarrowedNames says of one. When it came
-- about is then when they first showed it.
WITH shown AS MATERIALIZED (
    SELECT i.concept, count(*) AS quotes, count(DISTINCT d.id) AS documents, array_agg(DISTINCT o.name ORDER BY o.name) AS ontologies, min(s.created_at) AS first_at
    FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE (cardinality(@ontologies::int[]) = 0 OR d.ontology_id = ANY (@ontologies))
        AND (cardinality(@concepts::int[]) = 0 OR i.concept = ANY (@concepts))
    GROUP BY i.concept
)
SELECT c.concept_id, (CASE
        WHEN cardinality(@ontologies) = 0 THEN c.label
        WHEN (SELECT true FROM kg_api.mentions m
            WHERE m.concept = c.id AND m.label = c.label
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
            ORDER BY m.id LIMIT 1) THEN c.label
        WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.label = c.label ORDER BY m.id LIMIT 1) THEN coalesce((
            SELECT m.label FROM kg_api.mentions m
            WHERE m.concept = c.id
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
            ORDER BY m.id LIMIT 1), c.label)
        ELSE c.label END)::text AS label, (CASE
        WHEN cardinality(@ontologies) = 0 OR c.description = '' THEN c.description
        WHEN (SELECT true FROM kg_api.mentions m
            WHERE m.concept = c.id AND m.description = c.description
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
            ORDER BY m.id LIMIT 1) THEN c.description
        WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.description = c.description ORDER BY m.id LIMIT 1) THEN coalesce((
            SELECT m.description FROM kg_api.mentions m
            WHERE m.concept = c.id AND m.description <> ''
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
            ORDER BY m.id LIMIT 1), '')
        ELSE c.description END)::text AS description, c.creation_method,
    (CASE WHEN cardinality(@ontologies) = 0 THEN c.search_terms ELSE ARRAY(
        SELECT t.term FROM unnest(c.search_terms) WITH ORDINALITY AS t (term, place)
        WHERE (
            SELECT true FROM kg_api.mentions x
            WHERE x.concept = c.id AND (x.label = t.term OR t.term = ANY (x.search_terms))
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = x.source) = ANY (@ontologies)
            ORDER BY x.id LIMIT 1)
            OR (SELECT true FROM kg_api.mentions x WHERE x.concept = c.id AND (x.label = t.term OR t.term = ANY (x.search_terms)) ORDER BY x.id LIMIT 1) IS NULL
        ORDER BY t.place) END)::text[] AS search_terms,
    coalesce(w.ontologies, '{}')::text[] AS ontologies, coalesce(w.quotes, 0)::int AS quotes, coalesce(w.documents, 0)::int AS documents,
    (CASE WHEN cardinality(@ontologies) = 0 THEN c.created_at ELSE w.first_at END)::timestamptz AS created_at
FROM kg_api.concepts c
LEFT JOIN shown w ON w.concept = c.id
WHERE (cardinality(@ontologies) = 0 OR w.concept IS NOT NULL) AND (cardinality(@concepts) = 0 OR c.id = ANY (@concepts))
ORDER BY c.id;

-- name: TableRelationships :many
-- The names of the ends are found once for each concept. See TableConcepts.
WITH stated AS MATERIALIZED (
    SELECT v.src, v.dst, v.type, max(v.confidence) AS confidence, count(*) AS sentences, count(DISTINCT d.id) AS documents,
        array_agg(DISTINCT o.name ORDER BY o.name) AS ontologies, min(coalesce(v.created_at, s.created_at)) AS first_at
    FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE (cardinality(@ontologies::int[]) = 0 OR d.ontology_id = ANY (@ontologies))
        AND (cardinality(@concepts::int[]) = 0 OR (v.src = ANY (@concepts) AND v.dst = ANY (@concepts)))
    GROUP BY v.src, v.dst, v.type
), named AS MATERIALIZED (
    SELECT c.id, c.concept_id, (CASE
            WHEN cardinality(@ontologies) = 0 THEN c.label
            WHEN (SELECT true FROM kg_api.mentions m
                WHERE m.concept = c.id AND m.label = c.label
                    AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
                ORDER BY m.id LIMIT 1) THEN c.label
            WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.label = c.label ORDER BY m.id LIMIT 1) THEN coalesce((
                SELECT m.label FROM kg_api.mentions m
                WHERE m.concept = c.id
                    AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ANY (@ontologies)
                ORDER BY m.id LIMIT 1), c.label)
            ELSE c.label END)::text AS label
    FROM kg_api.concepts c
    WHERE cardinality(@ontologies) = 0 OR c.id IN (SELECT x.src FROM stated x UNION SELECT y.dst FROM stated y)
)
SELECT a.concept_id AS from_id, a.label AS from_label, t.name, t.category, b.concept_id AS to_id, b.label AS to_label,
    (CASE WHEN cardinality(@ontologies) = 0 THEN e.confidence ELSE w.confidence END)::real AS confidence,
    coalesce(w.ontologies, '{}')::text[] AS ontologies, coalesce(w.sentences, 0)::int AS sentences, coalesce(w.documents, 0)::int AS documents,
    (CASE WHEN cardinality(@ontologies) = 0 THEN e.created_at ELSE w.first_at END)::timestamptz AS created_at
FROM kg_api.edges e
JOIN kg_api.relationship_types t ON t.id = e.type
JOIN named a ON a.id = e.src
JOIN named b ON b.id = e.dst
LEFT JOIN stated w ON w.src = e.src AND w.dst = e.dst AND w.type = e.type
WHERE (cardinality(@ontologies) = 0 OR w.src IS NOT NULL)
    AND (cardinality(@concepts) = 0 OR (e.src = ANY (@concepts) AND e.dst = ANY (@concepts)))
    AND (cardinality(@types::text[]) = 0 OR t.name = ANY (@types))
ORDER BY e.src, e.dst, e.type;

-- name: TableConceptEvidence :many
SELECT c.concept_id, i.quote, d.document_id, o.name, s.source_id, s.chunk_number, i.start_byte, i.end_byte, s.created_at
FROM kg_api.instances i
JOIN kg_api.concepts c ON c.id = i.concept
JOIN kg_api.sources s ON s.id = i.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE (cardinality(@ontologies::int[]) = 0 OR d.ontology_id = ANY (@ontologies))
    AND (cardinality(@concepts::int[]) = 0 OR i.concept = ANY (@concepts))
ORDER BY i.concept, i.id;

-- name: TableRelationshipEvidence :many
SELECT a.concept_id AS from_id, t.name AS type, b.concept_id AS to_id, v.quote, v.confidence,
    d.document_id, o.name, s.source_id, s.chunk_number, v.start_byte, v.end_byte, coalesce(v.created_at, s.created_at)::timestamptz AS created_at
FROM kg_api.edge_evidence v
JOIN kg_api.relationship_types t ON t.id = v.type
JOIN kg_api.concepts a ON a.id = v.src
JOIN kg_api.concepts b ON b.id = v.dst
JOIN kg_api.sources s ON s.id = v.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE (cardinality(@ontologies::int[]) = 0 OR d.ontology_id = ANY (@ontologies))
    AND (cardinality(@concepts::int[]) = 0 OR (v.src = ANY (@concepts) AND v.dst = ANY (@concepts)))
    AND (cardinality(@types::text[]) = 0 OR t.name = ANY (@types))
ORDER BY v.src, v.dst, v.type, v.source;

-- name: TableDocuments :many
-- Of concepts, the documents that show one of them, or state a relationship between two.
SELECT d.document_id, o.name, d.filename, coalesce(d.document_key, '')::text AS document_key, coalesce(d.source_type, '')::text AS source_type,
    coalesce(d.source_path, '')::text AS source_path, d.version, d.content_type, k.chunks, k.words, d.job_id, d.created_at
FROM kg_api.documents d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
CROSS JOIN LATERAL (SELECT count(*)::int AS chunks, coalesce(sum(s.words), 0)::int AS words FROM kg_api.sources s WHERE s.document = d.id) k
WHERE (cardinality(@ontologies::int[]) = 0 OR d.ontology_id = ANY (@ontologies))
    AND (cardinality(@concepts::int[]) = 0 OR d.id IN (
        SELECT s.document FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source WHERE i.concept = ANY (@concepts)
        UNION SELECT s.document FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source WHERE v.src = ANY (@concepts) AND v.dst = ANY (@concepts)))
ORDER BY d.id;
