-- name: ConceptMergeInsert :one
-- Records a merge with the row of the concept that goes.
INSERT INTO kg_api.concept_merges (kept, kept_id, kept_label, merged, merged_id, merged_label, reason, score, made_by, concept, embedding,
    added_terms, added_keys, added_description)
SELECT k.id, k.concept_id, k.label, m.id, m.concept_id, m.label, @reason, sqlc.narg(score), @made_by,
    to_jsonb(m), (SELECT to_jsonb(e) FROM kg_api.concept_embeddings e WHERE e.concept = m.id),
    ARRAY(SELECT t FROM unnest(array_prepend(m.label, m.search_terms)) t WHERE NOT (t = ANY (k.search_terms)) AND t <> k.label GROUP BY t ORDER BY t),
    ARRAY(SELECT t FROM unnest(m.term_keys) t WHERE NOT (t = ANY (k.term_keys)) GROUP BY t ORDER BY t),
    k.description = '' AND m.description <> ''
FROM kg_api.concepts k, kg_api.concepts m
WHERE k.id = @kept::int AND m.id = @merged::int
RETURNING concept_merges.id;

-- name: ConceptMergeRecord :exec
-- Records what the concept has that goes.
INSERT INTO kg_api.concept_merge_rows (merge, kind, is_double, content)
SELECT @merge::int AS merge, 'mention' AS kind, false AS is_double, jsonb_build_object('id', m.id) AS content FROM kg_api.mentions m WHERE m.concept = @merged::int
UNION ALL
SELECT @merge::int, 'instance', EXISTS (SELECT 1 FROM kg_api.instances o WHERE o.concept = @kept::int AND o.source = i.source AND o.quote_md5 = i.quote_md5), to_jsonb(i)
FROM kg_api.instances i WHERE i.concept = @merged::int
UNION ALL
SELECT @merge::int, 'edge', @kept::int IN (e.src, e.dst), to_jsonb(e) || jsonb_build_object('kept_confidence', t.confidence,
        'kept_evidence', (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type),
        'evidence', (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type))
FROM kg_api.edges e
LEFT JOIN kg_api.edges t ON t.type = e.type AND t.src = CASE WHEN e.src = @merged::int THEN @kept::int ELSE e.src END AND t.dst = CASE WHEN e.dst = @merged::int THEN @kept::int ELSE e.dst END
WHERE e.src = @merged::int OR e.dst = @merged::int
UNION ALL
SELECT @merge::int, 'evidence', @kept::int IN (v.src, v.dst) OR EXISTS (SELECT 1 FROM kg_api.edge_evidence o
        WHERE o.type = v.type AND o.source = v.source AND o.src = CASE WHEN v.src = @merged::int THEN @kept::int ELSE v.src END AND o.dst = CASE WHEN v.dst = @merged::int THEN @kept::int ELSE v.dst END),
    to_jsonb(v)
FROM kg_api.edge_evidence v WHERE v.src = @merged::int OR v.dst = @merged::int;

-- name: ConceptMergeMoveMentions :exec
UPDATE kg_api.mentions m SET concept = @kept::int WHERE m.concept = @merged::int;

-- name: ConceptMergeMoveInstances :exec
UPDATE kg_api.instances i SET concept = @kept::int
FROM kg_api.concept_merge_rows r
WHERE r.merge = @merge::int AND r.kind = 'instance' AND NOT r.is_double AND i.id = (r.content ->> 'id')::bigint;

-- name: ConceptMergeMoveEdges :exec
INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
SELECT CASE WHEN e.src = @merged::int THEN @kept::int ELSE e.src END AS src, CASE WHEN e.dst = @merged::int THEN @kept::int ELSE e.dst END AS dst, e.type, e.confidence, e.created_at
FROM kg_api.edges e
WHERE (e.src = @merged::int OR e.dst = @merged::int) AND NOT (@kept::int IN (e.src, e.dst))
ON CONFLICT (src, dst, type) DO UPDATE SET confidence = excluded.confidence WHERE edges.confidence < excluded.confidence;

-- name: ConceptMergeMoveEvidence :exec
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
SELECT CASE WHEN v.src = @merged::int THEN @kept::int ELSE v.src END AS src, CASE WHEN v.dst = @merged::int THEN @kept::int ELSE v.dst END AS dst,
    v.type, v.source, v.confidence, v.quote, v.start_byte, v.end_byte,
    v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end, v.before_quote, v.before_start, v.created_at
FROM kg_api.edge_evidence v
WHERE (v.src = @merged::int OR v.dst = @merged::int) AND NOT (@kept::int IN (v.src, v.dst))
ON CONFLICT (src, dst, type, source) DO NOTHING;

-- name: ConceptMergeNames :exec
-- Gives the concept that stays the names of the other one.
UPDATE kg_api.concepts c
SET search_terms = c.search_terms || m.added_terms, term_keys = c.term_keys || m.added_keys,
    description = CASE WHEN m.added_description THEN m.concept ->> 'description' ELSE c.description END
FROM kg_api.concept_merges m
WHERE m.id = @merge::int AND c.id = m.kept;

-- name: ConceptMergeByID :one
SELECT m.id, m.kept, m.merged, m.kept_id, m.merged_id, m.kept_label, m.merged_label, m.undone_at,
    (EXISTS (SELECT 1 FROM kg_api.concept_merge_rows r JOIN kg_api.instances i ON i.id = (r.content ->> 'id')::bigint
        WHERE r.merge = m.id AND r.kind = 'instance' AND NOT r.is_double)
    OR EXISTS (SELECT 1 FROM kg_api.concept_merge_rows r JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int
        WHERE r.merge = m.id AND r.kind = 'instance' AND r.is_double))::bool AS shown
FROM kg_api.concept_merges m WHERE m.id = @id FOR UPDATE OF m;

-- name: ConceptMergeLater :many
-- A merge that came after one, stands, and has one of its concepts: it is undone first.
SELECT l.id FROM kg_api.concept_merges m
JOIN kg_api.concept_merges l ON l.id > m.id AND l.undone_at IS NULL AND m.kept_id IN (l.kept_id, l.merged_id)
WHERE m.id = @id ORDER BY l.id DESC LIMIT 1;

-- name: ConceptUnmergeConcept :exec
-- Brings the concept back that a merge took out, with its number.
INSERT INTO kg_api.concepts (id, concept_id, label, description, search_terms, term_keys, created_at, creation_method)
OVERRIDING SYSTEM VALUE
SELECT m.merged, m.merged_id, m.merged_label, m.concept ->> 'description', ARRAY(SELECT jsonb_array_elements_text(m.concept -> 'search_terms')),
    ARRAY(SELECT jsonb_array_elements_text(m.concept -> 'term_keys')), (m.concept ->> 'created_at')::timestamptz, m.concept ->> 'creation_method'
FROM kg_api.concept_merges m WHERE m.id = @merge::int;

-- name: ConceptUnmergeKept :exec
-- Earlier merges that kept the concept can be undone again.
UPDATE kg_api.concept_merges l SET kept = m.merged
FROM kg_api.concept_merges m
WHERE m.id = @merge::int AND l.kept_id = m.merged_id AND l.undone_at IS NULL;

-- name: ConceptUnmergeEmbedding :exec
INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands)
SELECT m.merged, m.embedding ->> 'model', ARRAY(SELECT (jsonb_array_elements_text(m.embedding -> 'vector'))::real),
    (m.embedding ->> 'signature')::bit(768), ARRAY(SELECT (jsonb_array_elements_text(m.embedding -> 'bands'))::int)
FROM kg_api.concept_merges m WHERE m.id = @merge::int AND m.embedding IS NOT NULL;

-- name: ConceptUnmergeMentions :exec
UPDATE kg_api.mentions o SET concept = m.merged
FROM kg_api.concept_merges m JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'mention'
WHERE m.id = @merge::int AND o.id = (r.content ->> 'id')::bigint;

-- name: ConceptUnmergeInstances :exec
UPDATE kg_api.instances i SET concept = m.merged
FROM kg_api.concept_merges m JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'instance' AND NOT r.is_double
WHERE m.id = @merge::int AND i.id = (r.content ->> 'id')::bigint;

-- name: ConceptUnmergeDoubles :exec
-- Brings the quotes back that both concepts had, of chunks that are still there.
INSERT INTO kg_api.instances (id, concept, source, quote, start_byte, end_byte)
OVERRIDING SYSTEM VALUE
SELECT (r.content ->> 'id')::bigint, m.merged, s.id, r.content ->> 'quote', (r.content ->> 'start_byte')::int, (r.content ->> 'end_byte')::int
FROM kg_api.concept_merges m
JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'instance' AND r.is_double
JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int
WHERE m.id = @merge::int
ON CONFLICT DO NOTHING;

-- name: ConceptUnmergeEdges :exec
-- Brings the relationships back whose ends are there, and of whose evidence something is, if
-- they had any: with the other concept, or of chunks that are still there.
INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
SELECT a.id, b.id, (r.content ->> 'type')::int, (r.content ->> 'confidence')::real, (r.content ->> 'created_at')::timestamptz
FROM kg_api.concept_merge_rows r
JOIN kg_api.concepts a ON a.id = (r.content ->> 'src')::int
JOIN kg_api.concepts b ON b.id = (r.content ->> 'dst')::int
JOIN kg_api.relationship_types t ON t.id = (r.content ->> 'type')::int
WHERE r.merge = @merge::int AND r.kind = 'edge'
    AND ((r.content ->> 'evidence')::int = 0 OR EXISTS (SELECT 1 FROM kg_api.concept_merge_rows v JOIN kg_api.sources s ON s.id = (v.content ->> 'source')::int
        WHERE v.merge = r.merge AND v.kind = 'evidence' AND v.content -> 'src' = r.content -> 'src' AND v.content -> 'dst' = r.content -> 'dst' AND v.content -> 'type' = r.content -> 'type'))
ON CONFLICT DO NOTHING;

-- name: ConceptUnmergeEvidence :exec
-- A merge from before 00075 kept no marks.
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
SELECT e.src, e.dst, e.type, s.id, w.confidence, w.quote, w.start_byte, w.end_byte,
    coalesce(w.from_kind, ''), coalesce(w.from_start, 0), coalesce(w.from_end, 0), coalesce(w.to_kind, ''), coalesce(w.to_start, 0), coalesce(w.to_end, 0),
    coalesce(w.before_quote, ''), coalesce(w.before_start, 0), w.created_at
FROM kg_api.concept_merge_rows r
JOIN kg_api.edges e ON e.src = (r.content ->> 'src')::int AND e.dst = (r.content ->> 'dst')::int AND e.type = (r.content ->> 'type')::int
JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int
CROSS JOIN LATERAL jsonb_to_record(r.content) AS w (confidence real, quote text, start_byte int, end_byte int, from_kind text, from_start smallint, from_end smallint,
    to_kind text, to_start smallint, to_end smallint, before_quote text, before_start int, created_at timestamptz)
WHERE r.merge = @merge::int AND r.kind = 'evidence'
ON CONFLICT DO NOTHING;

-- name: ConceptUnmergeTakeEvidence :exec
-- Takes what was moved from the concept that stayed.
DELETE FROM kg_api.edge_evidence o
USING kg_api.concept_merges m, kg_api.concept_merge_rows r
WHERE m.id = @merge::int AND r.merge = m.id AND r.kind = 'evidence' AND NOT r.is_double
    AND o.type = (r.content ->> 'type')::int AND o.source = (r.content ->> 'source')::int
    AND o.src = CASE WHEN (r.content ->> 'src')::int = m.merged THEN m.kept ELSE (r.content ->> 'src')::int END
    AND o.dst = CASE WHEN (r.content ->> 'dst')::int = m.merged THEN m.kept ELSE (r.content ->> 'dst')::int END;

-- name: ConceptUnmergeTakeEdges :exec
-- Removes the relationships of the concept that stayed which the merge alone had made.
DELETE FROM kg_api.edges t
USING kg_api.concept_merges m, kg_api.concept_merge_rows r
WHERE m.id = @merge::int AND r.merge = m.id AND r.kind = 'edge' AND NOT r.is_double
    AND t.type = (r.content ->> 'type')::int
    AND t.src = CASE WHEN (r.content ->> 'src')::int = m.merged THEN m.kept ELSE (r.content ->> 'src')::int END
    AND t.dst = CASE WHEN (r.content ->> 'dst')::int = m.merged THEN m.kept ELSE (r.content ->> 'dst')::int END
    AND (r.content -> 'kept_confidence' = 'null' OR (r.content ->> 'kept_evidence')::int > 0)
    AND NOT EXISTS (SELECT 1 FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type);

-- name: ConceptUnmergeConfidence :exec
-- Gives the relationships of the concept that stayed the confidence of what shows them
-- now, or that which they had without any.
UPDATE kg_api.edges t SET confidence = n.confidence
FROM (
    SELECT t.src, t.dst, t.type, coalesce((SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type),
        (r.content ->> 'kept_confidence')::real) AS confidence
    FROM kg_api.concept_merges m
    JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'edge' AND NOT r.is_double
    JOIN kg_api.edges t ON t.type = (r.content ->> 'type')::int
        AND t.src = CASE WHEN (r.content ->> 'src')::int = m.merged THEN m.kept ELSE (r.content ->> 'src')::int END
        AND t.dst = CASE WHEN (r.content ->> 'dst')::int = m.merged THEN m.kept ELSE (r.content ->> 'dst')::int END
    WHERE m.id = @merge::int
) n
WHERE t.src = n.src AND t.dst = n.dst AND t.type = n.type AND n.confidence IS NOT NULL AND t.confidence <> n.confidence;

-- name: ConceptUnmergeNames :exec
UPDATE kg_api.concepts c
SET search_terms = ARRAY(SELECT t.term FROM unnest(c.search_terms) WITH ORDINALITY t (term, n) WHERE NOT (t.term = ANY (m.added_terms)) ORDER BY t.n),
    term_keys = ARRAY(SELECT t.term FROM unnest(c.term_keys) WITH ORDINALITY t (term, n) WHERE NOT (t.term = ANY (m.added_keys)) ORDER BY t.n),
    description = CASE WHEN m.added_description AND c.description = m.concept ->> 'description' THEN '' ELSE c.description END
FROM kg_api.concept_merges m
WHERE m.id = @merge::int AND c.id = m.kept;

-- name: ConceptMergeMark :exec
-- A merge that was undone needs its rows no more.
WITH undone AS (
    UPDATE kg_api.concept_merges m SET undone_at = clock_timestamp() WHERE m.id = @id RETURNING m.id
)
DELETE FROM kg_api.concept_merge_rows r USING undone u WHERE r.merge = u.id;

-- name: ConceptMergeList :many
-- Newest first; an id other than 0 is that merge, a concept other than '' those that it
-- took part in.
SELECT m.id, m.kept_id, m.kept_label, m.merged_id, m.merged_label, m.reason, m.score, m.made_by, m.at, m.undone_at
FROM kg_api.concept_merges m
WHERE (@id::int = 0 OR m.id = @id) AND (@concept::text = '' OR @concept IN (m.kept_id, m.merged_id))
ORDER BY m.id DESC LIMIT @most;

-- name: ConceptMentions :many
-- How each mention of a concept was taken for it, in the order in which they were read.
SELECT m.id, m.label, m.matched_by, m.score, s.source_id, s.chunk_number, d.document_id, d.filename, o.name AS ontology
FROM kg_api.mentions m
JOIN kg_api.sources s ON s.id = m.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE m.concept = @concept
ORDER BY m.id LIMIT @most;

-- name: ConceptBlockInsert :exec
INSERT INTO kg_api.concept_blocks (a, b, reason, made_by)
SELECT least(p.a, p.b), greatest(p.a, p.b), @reason, @made_by
FROM (SELECT DISTINCT unnest(@firsts::text[]) AS a, unnest(@seconds::text[]) AS b) p
WHERE p.a <> p.b
ON CONFLICT (a, b) DO NOTHING;

-- name: ConceptBlockDelete :execrows
DELETE FROM kg_api.concept_blocks k WHERE k.a = least(@a::text, @b::text) AND k.b = greatest(@a, @b);

-- name: ConceptBlockList :many
SELECT k.a, k.b, k.reason, k.made_by, k.at FROM kg_api.concept_blocks k ORDER BY k.at DESC, k.a, k.b LIMIT @most;

-- name: ConceptBlocksOf :many
-- The names that are never one concept with one of the given.
SELECT k.a, k.b FROM kg_api.concept_blocks k WHERE k.a = ANY (@names::text[])
UNION
SELECT k.a, k.b FROM kg_api.concept_blocks k WHERE k.b = ANY (@names);

-- name: ConceptSplitMentions :exec
-- Moves what is said under some labels to another concept.
UPDATE kg_api.mentions m SET concept = @into_concept::int
WHERE m.concept = @from_concept::int AND m.id = ANY (@mentions::bigint[]);

-- name: ConceptSplitInstances :exec
-- Moves the quotes of chunks that now speak of the new concept alone, and of the others
-- those that name it and not the old one.
UPDATE kg_api.instances i SET concept = @into_concept::int
WHERE i.concept = @from_concept::int AND EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = i.source AND m.concept = @into_concept::int)
    AND (NOT EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = i.source AND m.concept = @from_concept::int)
        OR kg_api.names_alone(i.quote, @names::text[], @others::text[]));

-- name: ConceptSplitEdges :exec
-- Gives the new concept the relationships that such chunks state.
INSERT INTO kg_api.edges (src, dst, type, confidence)
SELECT CASE WHEN v.src = @from_concept::int THEN @into_concept::int ELSE v.src END AS src, CASE WHEN v.dst = @from_concept::int THEN @into_concept::int ELSE v.dst END AS dst, v.type, max(v.confidence) AS confidence
FROM kg_api.edge_evidence v
WHERE (v.src = @from_concept::int OR v.dst = @from_concept::int) AND NOT (@into_concept::int IN (v.src, v.dst))
    AND EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @into_concept::int)
    AND (NOT EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @from_concept::int)
        OR kg_api.names_alone(v.quote, @names::text[], @others::text[]))
GROUP BY 1, 2, 3
ON CONFLICT (src, dst, type) DO NOTHING;

-- name: ConceptSplitEvidence :many
-- Moves the evidence to them, and returns the relationships that it was taken from.
WITH moving AS (
    SELECT v.src AS was_src, v.dst AS was_dst, v.type AS was_type, v.source AS was_source FROM kg_api.edge_evidence v
    WHERE (v.src = @from_concept::int OR v.dst = @from_concept::int) AND NOT (@into_concept::int IN (v.src, v.dst))
        AND EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @into_concept::int)
        AND (NOT EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @from_concept::int)
            OR kg_api.names_alone(v.quote, @names::text[], @others::text[]))
)
UPDATE kg_api.edge_evidence v
SET src = CASE WHEN m.was_src = @from_concept::int THEN @into_concept::int ELSE m.was_src END,
    dst = CASE WHEN m.was_dst = @from_concept::int THEN @into_concept::int ELSE m.was_dst END
FROM moving m
WHERE v.src = m.was_src AND v.dst = m.was_dst AND v.type = m.was_type AND v.source = m.was_source
RETURNING m.was_src::int AS was_src, m.was_dst::int AS was_dst, m.was_type::int AS was_type;

-- name: ConceptSplitPrune :exec
-- Removes relationships whose evidence has all been moved, and gives the others the best
-- confidence of what they have left.
WITH taken AS (
    SELECT DISTINCT unnest(@srcs::int[]) AS src, unnest(@dsts::int[]) AS dst, unnest(@types::int[]) AS type
), weakened AS (
    UPDATE kg_api.edges e SET confidence = b.best
    FROM (SELECT t.src, t.dst, t.type, max(v.confidence) AS best FROM taken t
        JOIN kg_api.edge_evidence v ON v.src = t.src AND v.dst = t.dst AND v.type = t.type GROUP BY t.src, t.dst, t.type) b
    WHERE e.src = b.src AND e.dst = b.dst AND e.type = b.type AND e.confidence <> b.best
)
DELETE FROM kg_api.edges e USING taken t
WHERE e.src = t.src AND e.dst = t.dst AND e.type = t.type
    AND NOT EXISTS (SELECT 1 FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type);

-- name: ConceptMergedMentions :many
SELECT (r.content ->> 'id')::bigint AS id FROM kg_api.concept_merge_rows r WHERE r.merge = @merge AND r.kind = 'mention';
