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
-- Records what the concept has that goes. Of evidence that both have of a chunk the surer
-- one stays: the other is a double, or gives way.
WITH ends AS (
    SELECT v.src, v.dst, v.type, v.source, v.confidence, to_jsonb(v) || jsonb_build_object('job', s.job_id, 'edge_created_at', e.created_at) AS content,
        CASE WHEN t.is_symmetric THEN least(n.src, n.dst) ELSE n.src END AS new_src, CASE WHEN t.is_symmetric THEN greatest(n.src, n.dst) ELSE n.dst END AS new_dst
    FROM kg_api.edge_evidence v
    JOIN kg_api.edges e ON e.src = v.src AND e.dst = v.dst AND e.type = v.type
    JOIN kg_api.sources s ON s.id = v.source
    JOIN kg_api.relationship_types t ON t.id = v.type
    CROSS JOIN LATERAL (SELECT CASE WHEN v.src = @merged::int THEN @kept::int ELSE v.src END AS src, CASE WHEN v.dst = @merged::int THEN @kept::int ELSE v.dst END AS dst) n
    WHERE v.src = @merged::int OR v.dst = @merged::int
), beside AS (
    SELECT n.new_src, n.content, n.confidence, o.confidence AS other,
        to_jsonb(o) || jsonb_build_object('job', n.content -> 'job', 'edge_created_at', e.created_at) AS others_content
    FROM ends n
    LEFT JOIN kg_api.edge_evidence o ON o.src = n.new_src AND o.dst = n.new_dst AND o.type = n.type AND o.source = n.source
    LEFT JOIN kg_api.edges e ON e.src = o.src AND e.dst = o.dst AND e.type = o.type
    WHERE n.new_src <> n.new_dst
)
INSERT INTO kg_api.concept_merge_rows (merge, kind, is_double, content)
SELECT @merge::int AS merge, 'mention' AS kind, false AS is_double,
    jsonb_build_object('id', m.id, 'label', m.label, 'description', m.description, 'search_terms', m.search_terms) AS content
FROM kg_api.mentions m WHERE m.concept = @merged::int
UNION ALL
SELECT @merge::int, 'instance', EXISTS (SELECT 1 FROM kg_api.instances o WHERE o.concept = @kept::int AND o.source = i.source AND o.quote_md5 = i.quote_md5),
    to_jsonb(i) || jsonb_build_object('job', s.job_id)
FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source WHERE i.concept = @merged::int
UNION ALL
SELECT @merge::int, 'edge', @kept::int IN (e.src, e.dst), to_jsonb(e)
FROM kg_api.edges e WHERE e.src = @merged::int OR e.dst = @merged::int
UNION ALL
SELECT @merge::int, 'evidence', true, n.content FROM ends n WHERE n.new_src = n.new_dst
UNION ALL
SELECT @merge::int, 'evidence', coalesce(b.other >= b.confidence, false), b.content FROM beside b
UNION ALL
SELECT @merge::int, 'given_way', false, b.others_content FROM beside b WHERE b.other < b.confidence;

-- name: ConceptMergeMoveMentions :exec
UPDATE kg_api.mentions m SET concept = @kept::int WHERE m.concept = @merged::int;

-- name: ConceptMergeMoveInstances :exec
UPDATE kg_api.instances i SET concept = @kept::int
FROM kg_api.concept_merge_rows r
WHERE r.merge = @merge::int AND r.kind = 'instance' AND NOT r.is_double AND i.id = (r.content ->> 'id')::bigint;

-- name: ConceptMergeMoveEvidence :exec
-- Gives the concept that stays the relationships of the other one, apart from those between
-- the two.
SELECT kg_api.place_evidence(array_agg(r.content || jsonb_build_object(
    'src', CASE WHEN (r.content ->> 'src')::int = @merged::int THEN @kept::int ELSE (r.content ->> 'src')::int END,
    'dst', CASE WHEN (r.content ->> 'dst')::int = @merged::int THEN @kept::int ELSE (r.content ->> 'dst')::int END)))
FROM kg_api.concept_merge_rows r
WHERE r.merge = @merge::int AND r.kind = 'evidence' AND NOT r.is_double;

-- name: ConceptMergeNames :exec
-- Gives the concept that stays the names of the other one.
UPDATE kg_api.concepts c
SET search_terms = c.search_terms || m.added_terms, term_keys = c.term_keys || m.added_keys,
    description = CASE WHEN m.added_description THEN m.concept ->> 'description' ELSE c.description END
FROM kg_api.concept_merges m
WHERE m.id = @merge::int AND c.id = m.kept;

-- name: ConceptMergeByID :one
-- shown says that the concept that went would have a quote again, back that a restore has
-- brought it back already.
SELECT m.id, m.kept, m.merged, m.kept_id, m.merged_id, m.kept_label, m.merged_label, m.undone_at,
    EXISTS (SELECT 1 FROM kg_api.concepts c WHERE c.concept_id = m.merged_id) AS back,
    (EXISTS (SELECT 1 FROM kg_api.concept_merge_rows r JOIN kg_api.instances i ON i.id = (r.content ->> 'id')::bigint AND i.concept = m.kept
        WHERE r.merge = m.id AND r.kind = 'instance' AND NOT r.is_double)
    OR EXISTS (SELECT 1 FROM kg_api.concept_merge_rows r JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int
        WHERE r.merge = m.id AND r.kind = 'instance' AND r.is_double AND coalesce(r.content ->> 'job', s.job_id) = s.job_id))::bool AS shown
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
-- What the merge moved and the concept that stayed still has, as it was: who edited that
-- concept since has not spoken of this one. A merge from before 00093 kept no words.
UPDATE kg_api.mentions o
SET concept = m.merged, label = coalesce(r.content ->> 'label', o.label), description = coalesce(r.content ->> 'description', o.description),
    search_terms = CASE WHEN r.content ? 'search_terms' THEN ARRAY(SELECT jsonb_array_elements_text(r.content -> 'search_terms')) ELSE o.search_terms END
FROM kg_api.concept_merges m JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'mention'
WHERE m.id = @merge::int AND o.id = (r.content ->> 'id')::bigint AND o.concept = m.kept;

-- name: ConceptUnmergeInstances :exec
-- What was split off the concept that stayed is not its own any more, and stays where it is.
UPDATE kg_api.instances i SET concept = m.merged
FROM kg_api.concept_merges m JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'instance' AND NOT r.is_double
WHERE m.id = @merge::int AND i.id = (r.content ->> 'id')::bigint AND i.concept = m.kept;

-- name: ConceptUnmergeDoubles :exec
-- Brings the quotes back that both concepts had, of chunks that are as they were.
INSERT INTO kg_api.instances (id, concept, source, quote, start_byte, end_byte)
OVERRIDING SYSTEM VALUE
SELECT (r.content ->> 'id')::bigint, m.merged, s.id, r.content ->> 'quote', (r.content ->> 'start_byte')::int, (r.content ->> 'end_byte')::int
FROM kg_api.concept_merges m
JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'instance' AND r.is_double
JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int
WHERE m.id = @merge::int AND coalesce(r.content ->> 'job', s.job_id) = s.job_id
ON CONFLICT DO NOTHING;

-- name: ConceptUnmergeEvidence :exec
-- Brings the relationships back with what shows them: what the merge moved, where the
-- concept that stayed still has it, as sure as it is now; what both had, where that one
-- still has its own; and what stood between the two. A chunk that was read again since
-- says nothing of what it said before.
SELECT kg_api.place_evidence(array_agg(r.content || CASE WHEN r.is_double THEN '{}' ELSE jsonb_build_object('confidence', o.confidence) END))
FROM kg_api.concept_merges m
JOIN kg_api.concept_merge_rows r ON r.merge = m.id AND r.kind = 'evidence'
JOIN kg_api.sources s ON s.id = (r.content ->> 'source')::int AND coalesce(r.content ->> 'job', s.job_id) = s.job_id
CROSS JOIN LATERAL kg_api.merged_place(m.kept, m.merged, r.content) p
LEFT JOIN kg_api.edge_evidence o ON o.src = p.src AND o.dst = p.dst AND o.type = p.type AND o.source = s.id
WHERE m.id = @merge::int AND (p.src = p.dst OR o.source IS NOT NULL AND (r.is_double
    OR o.quote = r.content ->> 'quote' AND o.start_byte = (r.content ->> 'start_byte')::int AND o.end_byte = (r.content ->> 'end_byte')::int));

-- name: ConceptUnmergeTakeEvidence :many
-- Takes what was moved from the concept that stayed, and returns the relationships that it
-- was taken from.
DELETE FROM kg_api.edge_evidence o
USING kg_api.concept_merges m, kg_api.concept_merge_rows r, LATERAL kg_api.merged_place(m.kept, m.merged, r.content) p
WHERE m.id = @merge::int AND r.merge = m.id AND r.kind = 'evidence' AND NOT r.is_double
    AND o.src = p.src AND o.dst = p.dst AND o.type = p.type AND o.source = (r.content ->> 'source')::int
    AND o.quote = r.content ->> 'quote' AND o.start_byte = (r.content ->> 'start_byte')::int AND o.end_byte = (r.content ->> 'end_byte')::int
RETURNING o.src, o.dst, o.type::int AS type, o.source;

-- name: ConceptUnmergeGivenWay :exec
-- Gives the concept that stayed back what had given way to what was taken.
SELECT kg_api.place_evidence(array_agg(g.content))
FROM (SELECT unnest(@srcs::int[]) AS src, unnest(@dsts::int[]) AS dst, unnest(@types::int[]) AS type, unnest(@sources::int[]) AS source) t
JOIN kg_api.concept_merge_rows g ON g.merge = @merge::int AND g.kind = 'given_way' AND (g.content ->> 'source')::int = t.source
JOIN kg_api.sources s ON s.id = t.source AND s.job_id = g.content ->> 'job'
CROSS JOIN LATERAL kg_api.placed(jsonb_populate_record(NULL::kg_api.edge_evidence, g.content)) p
WHERE p.src = t.src AND p.dst = t.dst AND p.type = t.type;

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

-- name: ConceptSplitInstancesShared :exec
-- Shows one of two concepts that were parted and has no quote by those of the other one in
-- the chunks that speak of both.
INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
SELECT DISTINCT @bare::int, i.source, i.quote, i.start_byte, i.end_byte
FROM kg_api.mentions m JOIN kg_api.instances i ON i.source = m.source AND i.concept = @other::int
WHERE m.concept = @bare::int AND NOT EXISTS (SELECT FROM kg_api.instances o WHERE o.concept = @bare::int)
ON CONFLICT DO NOTHING;

-- name: ConceptSplitEvidence :exec
-- Gives the new concept the relationships that such chunks state, with their evidence.
SELECT kg_api.place_evidence(array_agg(to_jsonb(v) || jsonb_build_object(
    'src', CASE WHEN v.src = @from_concept::int THEN @into_concept::int ELSE v.src END,
    'dst', CASE WHEN v.dst = @from_concept::int THEN @into_concept::int ELSE v.dst END)))
FROM kg_api.edge_evidence v
WHERE (v.src = @from_concept::int OR v.dst = @from_concept::int)
    AND EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @into_concept::int)
    AND (NOT EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @from_concept::int)
        OR kg_api.names_alone(v.quote, @names::text[], @others::text[]));

-- name: ConceptSplitTakeEvidence :many
-- Takes it from the old one, and returns the relationships that it was taken from.
DELETE FROM kg_api.edge_evidence v
WHERE (v.src = @from_concept::int OR v.dst = @from_concept::int)
    AND EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @into_concept::int)
    AND (NOT EXISTS (SELECT 1 FROM kg_api.mentions m WHERE m.source = v.source AND m.concept = @from_concept::int)
        OR kg_api.names_alone(v.quote, @names::text[], @others::text[]))
RETURNING v.src, v.dst, v.type::int AS type;

-- name: ConceptMergedMentions :many
SELECT (r.content ->> 'id')::bigint AS id FROM kg_api.concept_merge_rows r WHERE r.merge = @merge AND r.kind = 'mention';
