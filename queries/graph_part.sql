-- name: PartConcepts :many
-- The concepts that an ontology shows, with their ids.
SELECT c.id, c.concept_id
FROM (
    SELECT DISTINCT i.concept
    FROM kg_api.documents d
    JOIN kg_api.sources s ON s.document = d.id
    JOIN kg_api.instances i ON i.source = s.id
    WHERE d.ontology_id = @ontology
) shown
JOIN kg_api.concepts c ON c.id = shown.concept;

-- name: PartEdges :many
-- The relationships that were read in an ontology, each as sure as its documents are.
SELECT v.src, v.dst, v.type, max(v.confidence)::real AS confidence
FROM kg_api.documents d
JOIN kg_api.sources s ON s.document = d.id
JOIN kg_api.edge_evidence v ON v.source = s.id
WHERE d.ontology_id = @ontology
GROUP BY v.src, v.dst, v.type;

-- name: PartMark :one
-- Whether anything but documents that were read into other ontologies has raised the epoch since
-- another one, and how much the ontology holds. A document that it has itself may be the one that
-- was read. After very many epochs nobody looks.
SELECT (CASE WHEN g.epoch - @since::bigint NOT BETWEEN 0 AND 1000 THEN true ELSE
        g.epoch - @since::bigint <> (SELECT count(*) FROM kg_api.epoch_log e WHERE e.epoch > @since::bigint AND e.act = 'document.ingest'
            AND NOT EXISTS (SELECT FROM kg_api.documents d WHERE d.document_id = e.object AND d.ontology_id = @ontology)) END)::bool AS changed,
    (coalesce(c.documents, 0) + p.documents)::bigint AS documents, (coalesce(c.sources, 0) + p.sources)::bigint AS chunks, (coalesce(c.quotes, 0) + p.quotes)::bigint AS quotes
FROM kg_api.graph_epoch g
LEFT JOIN kg_api.ontology_counts c ON c.ontology = @ontology
CROSS JOIN (SELECT coalesce(sum(n.change) FILTER (WHERE n.kind = 'document'), 0) AS documents, coalesce(sum(n.change) FILTER (WHERE n.kind = 'source'), 0) AS sources,
    coalesce(sum(n.change) FILTER (WHERE n.kind = 'quote'), 0) AS quotes FROM kg_api.ontology_changes n WHERE n.ontology = @ontology) p;

-- name: PartProvenance :many
-- ConceptProvenance of one ontology.
SELECT d.document_id, d.filename, o.name AS ontology, d.source_type, d.source_path, d.source_hostname, u.username AS ingested_by,
    d.created_at, d.job_id, p.sources
FROM (
    SELECT s.document, count(DISTINCT s.id) AS sources
    FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents f ON f.id = s.document
    WHERE i.concept = @concept AND f.ontology_id = @ontology
    GROUP BY s.document
    ORDER BY s.document LIMIT @most
) p
JOIN kg_api.documents d ON d.id = p.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN kg_api.users u ON u.id = d.user_id
ORDER BY d.id;

-- name: PartRelationships :many
-- What is shown of given relationships that point away from a concept, in the order of the
-- lists: with the moment at which the ontology first said so.
SELECT w.place::int AS place, c.concept_id, t.category, m.avg_grounding, m.status, f.created_at::timestamptz AS created_at
FROM (SELECT unnest(@targets::int[]) AS dst, unnest(@types::text[]) AS type, generate_subscripts(@targets::int[], 1) AS place) w
JOIN kg_api.concepts c ON c.id = w.dst
JOIN kg_api.relationship_types t ON t.name = w.type
LEFT JOIN kg_api.type_measures m ON m.type = t.id
CROSS JOIN LATERAL (
    SELECT coalesce(min(coalesce(v.created_at, s.created_at)), now()) AS created_at
    FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source
    JOIN kg_api.documents d ON d.id = s.document
    WHERE v.src = @src AND v.dst = w.dst AND v.type = t.id AND d.ontology_id = @ontology
) f
ORDER BY w.place;

-- name: PartEdgeShow :one
-- EdgeShow of one ontology.
SELECT t.name, t.category, v.confidence::real AS confidence, v.created_at::timestamptz AS created_at, v.evidence, v.sources, v.documents
FROM kg_api.relationship_types t
CROSS JOIN LATERAL (
    SELECT max(e.confidence) AS confidence, min(coalesce(e.created_at, s.created_at)) AS created_at,
        count(*)::int AS evidence, count(DISTINCT e.source)::int AS sources, count(DISTINCT s.document)::int AS documents
    FROM kg_api.edge_evidence e
    JOIN kg_api.sources s ON s.id = e.source
    JOIN kg_api.documents d ON d.id = s.document
    WHERE e.src = @src AND e.dst = @dst AND e.type = t.id AND d.ontology_id = @ontology
) v
WHERE t.name = @type_name AND v.evidence > 0;
