-- Rules that the graph keeps at every moment. Each statement counts what breaks one, and
-- names some of it; all of it is as of one moment, since it is one statement.

-- name: CheckRelationshipEvidence :many
SELECT count(*) OVER () AS total, (a.concept_id || ' ' || t.name || ' ' || b.concept_id)::text AS what
FROM kg_api.edges e
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
JOIN kg_api.relationship_types t ON t.id = e.type
WHERE NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type)
ORDER BY e.src, e.dst, e.type LIMIT @most;

-- name: RepairRelationshipEvidence :execrows
DELETE FROM kg_api.edges e
WHERE NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type);

-- name: CheckConceptQuotes :many
SELECT count(*) OVER () AS total, (c.concept_id || ' ' || c.label)::text AS what
FROM kg_api.concepts c
WHERE NOT EXISTS (SELECT FROM kg_api.instances i WHERE i.concept = c.id)
ORDER BY c.id LIMIT @most;

-- name: CheckConfidence :many
SELECT count(*) OVER () AS total, format('%s %s %s has %s, its best evidence %s', a.concept_id, t.name, b.concept_id, e.confidence, m.best)::text AS what
FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best FROM kg_api.edge_evidence v GROUP BY v.src, v.dst, v.type) m
JOIN kg_api.edges e ON e.src = m.src AND e.dst = m.dst AND e.type = m.type AND e.confidence <> m.best
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
JOIN kg_api.relationship_types t ON t.id = e.type
ORDER BY e.src, e.dst, e.type LIMIT @most;

-- name: RepairConfidence :execrows
UPDATE kg_api.edges e SET confidence = m.best
FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best FROM kg_api.edge_evidence v GROUP BY v.src, v.dst, v.type) m
WHERE e.src = m.src AND e.dst = m.dst AND e.type = m.type AND e.confidence <> m.best;

-- name: CheckRetiredTypes :many
SELECT count(*) OVER () AS total, (a.concept_id || ' ' || t.name || ' ' || b.concept_id)::text AS what
FROM kg_api.edges e
JOIN kg_api.relationship_types t ON t.id = e.type AND t.merged_into IS NOT NULL
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
ORDER BY e.src, e.dst, e.type LIMIT @most;

-- name: CheckSymmetricEnds :many
SELECT count(*) OVER () AS total, (a.concept_id || ' ' || t.name || ' ' || b.concept_id)::text AS what
FROM kg_api.edges e
JOIN kg_api.relationship_types t ON t.id = e.type AND t.is_symmetric
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
WHERE e.src > e.dst
ORDER BY e.src, e.dst, e.type LIMIT @most;

-- name: RepairPlaces :exec
-- Stores the evidence of relationships of types that were merged, and of those that are
-- stored the other way round, where it belongs.
SELECT kg_api.place_evidence(array_agg(to_jsonb(v) || jsonb_build_object('edge_created_at', e.created_at)))
FROM kg_api.edge_evidence v
JOIN kg_api.edges e ON e.src = v.src AND e.dst = v.dst AND e.type = v.type
JOIN kg_api.relationship_types t ON t.id = v.type
WHERE t.merged_into IS NOT NULL OR t.is_symmetric AND v.src > v.dst;

-- name: RepairPlaced :execrows
-- Removes what RepairPlaces has stored elsewhere. What nothing shows stays.
DELETE FROM kg_api.edges e USING kg_api.relationship_types t
WHERE t.id = e.type AND (t.merged_into IS NOT NULL OR t.is_symmetric AND e.src > e.dst)
    AND EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type);

-- name: CheckTypeMerges :many
-- A type that leads to itself would never be resolved; one whose merge does not stand, or
-- that has a standing merge and is in use, belongs to nobody.
WITH RECURSIVE steps AS (
    SELECT t.id AS type, t.merged_into AS next, 1 AS steps FROM kg_api.relationship_types t WHERE t.merged_into IS NOT NULL
    UNION ALL
    SELECT s.type, t.merged_into, s.steps + 1 FROM steps s JOIN kg_api.relationship_types t ON t.id = s.next
    WHERE t.merged_into IS NOT NULL AND s.steps < 1000 AND s.next <> s.type
), wrong AS (
    SELECT s.type FROM steps s WHERE s.next = s.type
    UNION
    SELECT t.id FROM kg_api.relationship_types t
    WHERE EXISTS (SELECT FROM kg_api.vocabulary_merges m WHERE m.source = t.id AND m.undone_at IS NULL) <> (t.merged_into IS NOT NULL)
)
SELECT count(*) OVER () AS total, t.name::text AS what
FROM wrong w JOIN kg_api.relationship_types t ON t.id = w.type
ORDER BY t.name LIMIT @most;

-- name: CheckChunkDocuments :many
SELECT count(*) OVER () AS total, s.source_id::text AS what
FROM kg_api.sources s
LEFT JOIN kg_api.documents d ON d.id = s.document
LEFT JOIN kg_api.contents c ON c.content_hash = d.document_id
LEFT JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.id IS NULL OR c.content_hash IS NULL OR o.id IS NULL
ORDER BY s.id LIMIT @most;

-- name: CheckReferences :many
-- Rows that refer to what is gone; keys between the tables keep that from happening, unless
-- somebody has switched them off.
WITH dangling AS (
    SELECT 'quote ' || i.id AS what FROM kg_api.instances i
    WHERE NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.id = i.concept) OR NOT EXISTS (SELECT FROM kg_api.sources s WHERE s.id = i.source)
    UNION ALL
    SELECT 'mention ' || m.id FROM kg_api.mentions m
    WHERE NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.id = m.concept) OR NOT EXISTS (SELECT FROM kg_api.sources s WHERE s.id = m.source)
    UNION ALL
    SELECT format('relationship %s %s %s', e.src, e.type, e.dst) FROM kg_api.edges e
    WHERE NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.id = e.src) OR NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.id = e.dst)
        OR NOT EXISTS (SELECT FROM kg_api.relationship_types t WHERE t.id = e.type)
    UNION ALL
    SELECT format('evidence %s %s %s %s', v.src, v.type, v.dst, v.source) FROM kg_api.edge_evidence v
    WHERE NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.src = v.src AND e.dst = v.dst AND e.type = v.type)
        OR NOT EXISTS (SELECT FROM kg_api.sources s WHERE s.id = v.source)
    UNION ALL
    SELECT 'embedding of concept ' || e.concept FROM kg_api.concept_embeddings e WHERE NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.id = e.concept)
)
SELECT count(*) OVER () AS total, d.what::text AS what FROM dangling d ORDER BY d.what LIMIT @most;

-- name: CheckContentHashes :many
SELECT count(*) OVER () AS total, c.content_hash::text AS what
FROM kg_api.contents c WHERE c.content_hash <> 'sha256:' || encode(sha256(c.body), 'hex')
ORDER BY c.content_hash LIMIT @most;

-- name: CheckChunkOffsets :many
SELECT count(*) OVER () AS total, format('%s: bytes %s-%s, and its text has %s', s.source_id, s.start_byte, s.end_byte, octet_length(s.full_text))::text AS what
FROM kg_api.sources s
WHERE s.end_byte - s.start_byte <> octet_length(s.full_text) OR s.end_char - s.start_char <> char_length(s.full_text)
ORDER BY s.id LIMIT @most;

-- name: CheckQuoteOffsets :many
-- What stands at the offsets of a quote is the quote.
WITH texts AS (
    SELECT s.id, s.source_id, s.start_byte, convert_to(s.full_text, 'UTF8') AS body FROM kg_api.sources s
), wrong AS (
    SELECT format('%s: quote %s at %s-%s', t.source_id, i.id, i.start_byte, i.end_byte) AS what
    FROM texts t JOIN kg_api.instances i ON i.source = t.id
    WHERE i.start_byte < t.start_byte OR i.end_byte < i.start_byte
        OR substring(t.body FROM greatest(i.start_byte - t.start_byte, 0) + 1 FOR greatest(i.end_byte - i.start_byte, 0)) <> convert_to(i.quote, 'UTF8')
    UNION ALL
    SELECT format('%s: %s %s %s at %s-%s', t.source_id, a.concept_id, r.name, b.concept_id, v.start_byte, v.end_byte)
    FROM texts t JOIN kg_api.edge_evidence v ON v.source = t.id
    JOIN kg_api.concepts a ON a.id = v.src JOIN kg_api.concepts b ON b.id = v.dst JOIN kg_api.relationship_types r ON r.id = v.type
    WHERE v.quote <> '' AND (v.start_byte < t.start_byte OR v.end_byte < v.start_byte
        OR substring(t.body FROM greatest(v.start_byte - t.start_byte, 0) + 1 FOR greatest(v.end_byte - v.start_byte, 0)) <> convert_to(v.quote, 'UTF8'))
)
SELECT count(*) OVER () AS total, w.what::text AS what FROM wrong w ORDER BY w.what LIMIT @most;

-- name: CheckChunkPassages :many
-- Passages that do not end in their chunk, that begin before the one before them ends, or whose
-- text is not what stands there, as far as it stands in their chunk.
SELECT count(*) OVER () AS total, format('%s: passage %s at %s-%s', w.source_id, w.number, w.start_byte, w.end_byte)::text AS what
FROM kg_api.broken_passages w
ORDER BY w.source, w.number LIMIT @most;

-- name: BrokenPassages :many
-- The chunks with such passages.
SELECT DISTINCT w.source FROM kg_api.broken_passages w ORDER BY w.source;

-- name: PassagesUncut :exec
-- Removes the passages of chunks, and has these cut again.
WITH gone AS (
    DELETE FROM kg_api.passages p WHERE p.source = ANY (@sources::int[])
)
UPDATE kg_api.sources s SET is_cut = false WHERE s.id = ANY (@sources::int[]);

-- name: CheckEmbeddings :many
-- While another model embeds the graph, some are of the old one.
SELECT count(*) OVER () AS total, format('%s has %s numbers of %s', c.concept_id, cardinality(e.vector), e.model)::text AS what
FROM kg_api.concept_embeddings e
JOIN kg_api.concepts c ON c.id = e.concept
CROSS JOIN kg_api.embedding_space s
WHERE NOT s.reembedding AND (e.model <> s.model OR cardinality(e.vector) <> s.dimensions)
ORDER BY c.id LIMIT @most;

-- name: CheckEpochs :many
WITH marked AS (
    SELECT 'ontology ' || o.name AS what, o.creation_epoch AS epoch FROM kg_api.ontologies o
    UNION ALL SELECT 'artifact ' || a.id, a.graph_epoch FROM kg_api.artifacts a
    UNION ALL SELECT 'projection ' || p.id, p.graph_epoch FROM kg_api.projections p
    UNION ALL SELECT 'measurement of the vocabulary', m.epoch FROM kg_api.vocabulary_measurement m
)
SELECT count(*) OVER () AS total, format('%s: epoch %s, the graph has %s', m.what, m.epoch, g.epoch)::text AS what
FROM marked m CROSS JOIN kg_api.graph_epoch g
WHERE m.epoch > g.epoch
ORDER BY m.what LIMIT @most;

-- name: CheckCounters :many
-- What is kept of how much there is, and what a recount finds.
WITH kept AS (
    SELECT 'merge ' || m.id || ' of types, relationships' AS what, m.edges::bigint AS kept, (SELECT count(*) FROM kg_api.merged_edges e WHERE e.merge = m.id) AS found
    FROM kg_api.vocabulary_merges m WHERE m.undone_at IS NULL
    UNION ALL
    SELECT 'merge ' || m.id || ' of types, evidence', m.evidence, (SELECT count(*) FROM kg_api.merged_evidence e WHERE e.merge = m.id)
    FROM kg_api.vocabulary_merges m WHERE m.undone_at IS NULL
)
SELECT count(*) OVER () AS total, format('%s: %s are kept, %s counted', k.what, k.found, k.kept)::text AS what
FROM kept k WHERE k.found > k.kept
ORDER BY k.what LIMIT @most;

-- name: CheckOntologyCounts :many
-- What is kept of what the ontologies hold, and what a recount finds. Changes that are not
-- folded in yet belong to what is kept, but for what two ontologies share, which is that of
-- the holdings.
WITH shown AS (
    SELECT d.ontology_id AS ontology, i.concept, 0 AS other, 0 AS type FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
    UNION ALL
    SELECT d.ontology_id, v.src, v.dst, v.type FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document
), figures (what, ontology, concept, other, type, kept, found) AS (
    SELECT 'documents', t.ontology, 0, 0, 0, t.documents, 0::bigint FROM kg_api.ontology_totals t
    UNION ALL SELECT 'documents', d.ontology_id, 0, 0, 0, 0, count(*) FROM kg_api.documents d GROUP BY d.ontology_id
    UNION ALL SELECT 'chunks', t.ontology, 0, 0, 0, t.sources, 0 FROM kg_api.ontology_totals t
    UNION ALL SELECT 'chunks', d.ontology_id, 0, 0, 0, 0, count(*) FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document GROUP BY d.ontology_id
    UNION ALL SELECT 'quotes', c.ontology, 0, 0, 0, c.quotes, 0 FROM kg_api.ontology_counts c
    UNION ALL SELECT 'quotes', h.ontology, 0, 0, 0, 0, sum(h.times) FROM kg_api.ontology_holdings h WHERE h.other = 0 GROUP BY h.ontology
    UNION ALL SELECT 'concepts', c.ontology, 0, 0, 0, c.concepts, 0 FROM kg_api.ontology_counts c
    UNION ALL SELECT 'concepts', h.ontology, 0, 0, 0, 0, count(*) FROM kg_api.ontology_holdings h WHERE h.other = 0 GROUP BY h.ontology
    UNION ALL SELECT 'relationships', c.ontology, 0, 0, 0, c.relationships, 0 FROM kg_api.ontology_counts c
    UNION ALL SELECT 'relationships', h.ontology, 0, 0, 0, 0, count(*) FROM kg_api.ontology_holdings h WHERE h.other <> 0 GROUP BY h.ontology
    UNION ALL SELECT 'shared with ontology', p.ontology, p.other, 0, 0, p.shared, 0 FROM kg_api.ontology_pairs p
    UNION ALL SELECT 'shared with ontology', a.ontology, b.ontology, 0, 0, 0, count(*) FROM kg_api.ontology_holdings a
        JOIN kg_api.ontology_holdings b ON b.concept = a.concept AND b.other = 0 AND b.ontology <> a.ontology WHERE a.other = 0 GROUP BY a.ontology, b.ontology
    UNION ALL SELECT 'concept', h.ontology, h.concept, h.other, h.type, h.times, 0 FROM kg_api.ontology_holdings h
    UNION ALL SELECT 'concept', c.ontology, c.concept, c.other, c.type, c.change, 0 FROM kg_api.ontology_changes c WHERE c.concept <> 0
    UNION ALL SELECT 'concept', s.ontology, s.concept, s.other, s.type, 0, count(*) FROM shown s GROUP BY s.ontology, s.concept, s.other, s.type
), wrong AS (
    SELECT f.what, f.ontology, f.concept, f.other, f.type, sum(f.kept) AS kept, sum(f.found) AS found
    FROM figures f GROUP BY f.what, f.ontology, f.concept, f.other, f.type HAVING sum(f.kept) <> sum(f.found)
)
SELECT count(*) OVER () AS total, format('ontology %s: %s%s, %s are kept, %s counted', coalesce(o.name, 'number ' || w.ontology), w.what,
    CASE WHEN w.concept = 0 THEN '' WHEN w.other = 0 THEN ' ' || w.concept ELSE format(' %s to %s of type %s', w.concept, w.other, w.type) END, w.kept, w.found)::text AS what
FROM wrong w LEFT JOIN kg_api.ontologies o ON o.id = w.ontology
ORDER BY w.concept, w.what, w.ontology, w.other, w.type LIMIT @most;

-- name: CheckJobCounts :many
-- Statuses of which another number of jobs is kept than there is.
WITH wrong AS (
    SELECT n.status, sum(n.kept) AS kept, sum(n.found) AS found
    FROM (SELECT e.status, e.jobs AS kept, 0::bigint AS found FROM kg_api.ended_jobs e
        UNION ALL SELECT j.status, 0, count(*) FROM kg_api.jobs j WHERE j.completed_at IS NOT NULL GROUP BY j.status) n
    GROUP BY n.status HAVING sum(n.kept) <> sum(n.found)
)
SELECT count(*) OVER () AS total, format('%s: %s are kept, %s counted', w.status, w.kept, w.found)::text AS what
FROM wrong w ORDER BY w.status LIMIT @most;
