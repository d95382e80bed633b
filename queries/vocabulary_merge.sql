-- name: VocabularyWords :many
-- The active relationship types with what is compared of them by a model.
SELECT t.id, t.name, t.category, t.is_builtin, t.category_confidence, t.category_ambiguous, e.vector
FROM kg_api.relationship_types t
LEFT JOIN kg_api.type_embeddings e ON e.type = t.id AND e.model = @model
WHERE t.merged_into IS NULL
ORDER BY t.name;

-- name: CategoryStore :batchexec
UPDATE kg_api.relationship_types t
SET category = @category, category_confidence = @confidence::float8, category_ambiguous = @ambiguous
WHERE t.id = @id AND NOT t.is_builtin;

-- name: TypeForMerge :one
-- A type by its name, held so that two merges of it come one after the other.
SELECT t.id, t.name, t.is_builtin, t.merged_into FROM kg_api.relationship_types t WHERE t.name = @name FOR NO KEY UPDATE;

-- name: MergeStanding :one
SELECT m.id FROM kg_api.vocabulary_merges m
WHERE m.source = @source AND m.target = @target AND m.undone_at IS NULL;

-- name: MergeInsert :one
INSERT INTO kg_api.vocabulary_merges (source, target, similarity, reason, made_by)
VALUES (@source, @target, sqlc.narg(similarity), @reason, @made_by)
RETURNING id;

-- name: MergeRecordEdges :execrows
-- Records the edges of the source as they are.
INSERT INTO kg_api.merged_edges (merge, src, dst, confidence, created_at, evidence, target_evidence)
SELECT @merge, e.src, e.dst, e.confidence, e.created_at,
    (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type), 0
FROM kg_api.edges e
WHERE e.type = @source;

-- name: MergeRecordEvidence :execrows
-- Of what the edge of the target has of the same chunk already, and of what both directions
-- of an edge have that becomes one, the surer stays: the other is set aside, or gives way.
INSERT INTO kg_api.merged_evidence (merge, src, dst, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at, set_aside, given_way)
SELECT @merge, v.src, v.dst, v.source, v.confidence, v.quote, v.start_byte, v.end_byte,
    v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end, v.before_quote, v.before_start, v.created_at,
    v.rank > 1 OR coalesce(o.confidence >= v.confidence, false),
    CASE WHEN v.rank = 1 AND o.confidence < v.confidence THEN to_jsonb(o) || jsonb_build_object('edge_created_at', e.created_at) END
FROM (
    SELECT w.*, n.new_src, n.new_dst, row_number() OVER (PARTITION BY n.new_src, n.new_dst, w.source ORDER BY w.confidence DESC, w.src) AS rank
    FROM kg_api.edge_evidence w
    CROSS JOIN LATERAL (SELECT CASE WHEN t.is_symmetric THEN least(w.src, w.dst) ELSE w.src END AS new_src, CASE WHEN t.is_symmetric THEN greatest(w.src, w.dst) ELSE w.dst END AS new_dst
        FROM kg_api.relationship_types t WHERE t.id = @target) n
    WHERE w.type = @source
) v
LEFT JOIN kg_api.edge_evidence o ON o.src = v.new_src AND o.dst = v.new_dst AND o.type = @target AND o.source = v.source
LEFT JOIN kg_api.edges e ON e.src = o.src AND e.dst = o.dst AND e.type = o.type;

-- name: MergeMoveEvidence :exec
SELECT kg_api.place_evidence(array_agg(to_jsonb(v) || jsonb_build_object('type', @target::int, 'edge_created_at', e.created_at)))
FROM kg_api.merged_evidence v JOIN kg_api.merged_edges e ON e.merge = v.merge AND e.src = v.src AND e.dst = v.dst
WHERE v.merge = @merge AND NOT v.set_aside;

-- name: MergeRemoveEdges :exec
-- Their evidence goes with them.
DELETE FROM kg_api.edges e WHERE e.type = @source;

-- name: MergeRetire :exec
UPDATE kg_api.relationship_types t SET merged_into = sqlc.narg(target) WHERE t.id = @source;

-- name: MergeCount :exec
UPDATE kg_api.vocabulary_merges m SET edges = @edges, evidence = @evidence WHERE m.id = @id;

-- name: MergeByID :one
SELECT m.id, m.source, m.target, m.undone_at, s.name AS source_name, t.name AS target_name
FROM kg_api.vocabulary_merges m
JOIN kg_api.relationship_types s ON s.id = m.source
JOIN kg_api.relationship_types t ON t.id = m.target
WHERE m.id = @id
FOR UPDATE OF m;

-- name: MergeLater :many
-- The merges that came after one, stand, and touch one of its types: they are undone
-- first.
SELECT l.id FROM kg_api.vocabulary_merges m
JOIN kg_api.vocabulary_merges l ON l.id > m.id AND l.undone_at IS NULL
    AND (l.source IN (m.source, m.target) OR l.target IN (m.source, m.target))
WHERE m.id = @id ORDER BY l.id DESC LIMIT 1;

-- name: UndoRestoreEvidence :exec
-- Puts the edges back with what shows them: what the target's edge still has, as sure as it
-- is now, and what was set aside where that has its own.
SELECT kg_api.place_evidence(array_agg(to_jsonb(v) || jsonb_build_object('type', @source::int, 'edge_created_at', e.created_at,
    'confidence', CASE WHEN v.set_aside THEN v.confidence ELSE o.confidence END)))
FROM kg_api.merged_evidence v
JOIN kg_api.merged_edges e ON e.merge = v.merge AND e.src = v.src AND e.dst = v.dst
JOIN kg_api.relationship_types t ON t.id = @target::int
JOIN kg_api.edge_evidence o ON o.type = t.id AND o.source = v.source
    AND o.src = CASE WHEN t.is_symmetric THEN least(v.src, v.dst) ELSE v.src END AND o.dst = CASE WHEN t.is_symmetric THEN greatest(v.src, v.dst) ELSE v.dst END
WHERE v.merge = @merge AND (v.set_aside OR o.quote = v.quote AND o.start_byte = v.start_byte AND o.end_byte = v.end_byte);

-- name: UndoTakeEvidence :many
-- Takes back what was moved to the target, and returns the edges that it was taken from.
DELETE FROM kg_api.edge_evidence o USING kg_api.merged_evidence v, kg_api.relationship_types t
WHERE v.merge = @merge AND NOT v.set_aside AND t.id = @target::int AND o.type = t.id AND o.source = v.source
    AND o.src = CASE WHEN t.is_symmetric THEN least(v.src, v.dst) ELSE v.src END AND o.dst = CASE WHEN t.is_symmetric THEN greatest(v.src, v.dst) ELSE v.dst END
    AND o.quote = v.quote AND o.start_byte = v.start_byte AND o.end_byte = v.end_byte
RETURNING o.src, o.dst, o.type::int AS type;

-- name: UndoGivenWay :exec
-- Gives the target's edges back what had given way to what was taken.
SELECT kg_api.place_evidence(array_agg(v.given_way))
FROM kg_api.merged_evidence v
JOIN kg_api.edge_evidence o ON o.src = v.src AND o.dst = v.dst AND o.type = @source::int AND o.source = v.source
WHERE v.merge = @merge AND v.given_way IS NOT NULL;

-- name: UndoForget :exec
DELETE FROM kg_api.merged_edges m WHERE m.merge = @merge;

-- name: UndoMark :exec
UPDATE kg_api.vocabulary_merges m SET undone_at = clock_timestamp() WHERE m.id = @id;

-- name: MergeList :many
SELECT m.id, s.name AS source, t.name AS target, m.similarity, m.reason, m.made_by, m.edges, m.evidence, m.at, m.undone_at
FROM kg_api.vocabulary_merges m
JOIN kg_api.relationship_types s ON s.id = m.source
JOIN kg_api.relationship_types t ON t.id = m.target
WHERE @id::int = 0 OR m.id = @id
ORDER BY m.id DESC LIMIT @most;

-- name: MergePreview :one
-- How many edges and rows of evidence a merge of a type would move.
SELECT (SELECT count(*) FROM kg_api.edges e WHERE e.type = @source)::int AS edges,
    (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.type = @source)::int AS evidence;

-- name: ReviewAdd :batchexec
-- A pair that somebody has decided about stays decided.
INSERT INTO kg_api.vocabulary_reviews (source, target, similarity, reason)
SELECT s.id, t.id, @similarity, @reason FROM kg_api.relationship_types s, kg_api.relationship_types t
WHERE s.name = @source AND t.name = @target
ON CONFLICT (source, target) DO UPDATE SET similarity = excluded.similarity, reason = excluded.reason
WHERE vocabulary_reviews.status = 'open';

-- name: ReviewList :many
-- Open pairs of which one type is gone are of no use any more.
SELECT s.name AS source, t.name AS target, r.similarity, r.reason, r.status, r.at, r.decided_by, r.decided_at
FROM kg_api.vocabulary_reviews r
JOIN kg_api.relationship_types s ON s.id = r.source
JOIN kg_api.relationship_types t ON t.id = r.target
WHERE (@status::text = '' OR r.status = @status)
    AND (r.status <> 'open' OR s.merged_into IS NULL AND t.merged_into IS NULL)
ORDER BY r.similarity DESC, s.name, t.name;

-- name: ReviewDecide :execrows
UPDATE kg_api.vocabulary_reviews r SET status = @status, decided_by = @decided_by, decided_at = clock_timestamp()
FROM kg_api.relationship_types s, kg_api.relationship_types t
WHERE s.id = r.source AND t.id = r.target AND s.name = @source AND t.name = @target AND r.status = 'open';

-- name: MergesMade :many
-- The merges of these numbers, in the order in which they were made.
SELECT m.id, s.name AS source, t.name AS target, m.similarity, m.reason, m.edges
FROM kg_api.vocabulary_merges m
JOIN kg_api.relationship_types s ON s.id = m.source
JOIN kg_api.relationship_types t ON t.id = m.target
WHERE m.id = ANY (@ids::int[])
ORDER BY m.id;

-- name: UnusedTypes :many
SELECT u.name FROM kg_api.unused_types u ORDER BY u.name;

-- name: UnusedTypesDelete :many
-- Under the graph lock, so that no chunk that is being written uses one of them.
DELETE FROM kg_api.relationship_types t USING kg_api.unused_types u WHERE u.id = t.id RETURNING t.name;
