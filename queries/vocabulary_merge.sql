-- name: VocabularyWords :many
-- The active relationship types with what is compared of them by a model.
SELECT t.id, t.name, t.category, t.is_builtin, t.category_confidence, t.category_ambiguous, e.vector, coalesce(c.edges, 0)::int AS edges
FROM kg_api.relationship_types t
LEFT JOIN kg_api.type_embeddings e ON e.type = t.id AND e.model = @model
LEFT JOIN (SELECT o.type, count(*) AS edges FROM kg_api.edges o GROUP BY o.type) c ON c.type = t.id
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
-- Records the edges of the source as they are, and what the target has of the same ones.
INSERT INTO kg_api.merged_edges (merge, src, dst, confidence, created_at, evidence, target_confidence, target_evidence)
SELECT @merge, e.src, e.dst, e.confidence, e.created_at,
    (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type),
    t.confidence,
    (SELECT count(*) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = @target)
FROM kg_api.edges e
LEFT JOIN kg_api.edges t ON t.src = e.src AND t.dst = e.dst AND t.type = @target
WHERE e.type = @source;

-- name: MergeRecordEvidence :execrows
INSERT INTO kg_api.merged_evidence (merge, src, dst, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at, set_aside)
SELECT @merge, v.src, v.dst, v.source, v.confidence, v.quote, v.start_byte, v.end_byte,
    v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end, v.before_quote, v.before_start, v.created_at,
    EXISTS (SELECT FROM kg_api.edge_evidence o WHERE o.src = v.src AND o.dst = v.dst AND o.type = @target AND o.source = v.source)
FROM kg_api.edge_evidence v
WHERE v.type = @source;

-- name: MergeMoveEdges :exec
INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
SELECT e.src, e.dst, @target::int, e.confidence, e.created_at FROM kg_api.merged_edges e WHERE e.merge = @merge
ON CONFLICT (src, dst, type) DO UPDATE SET confidence = excluded.confidence WHERE edges.confidence < excluded.confidence;

-- name: MergeMoveEvidence :exec
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
SELECT v.src, v.dst, @target::int, v.source, v.confidence, v.quote, v.start_byte, v.end_byte,
    v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end, v.before_quote, v.before_start, v.created_at
FROM kg_api.merged_evidence v
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

-- name: UndoRestoreEdges :execrows
-- Puts the edges back that still have a reason to be: the target's edge is there, and so
-- is some of their evidence, if they had any.
INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
SELECT m.src, m.dst, @source::int, m.confidence, m.created_at
FROM kg_api.merged_edges m
JOIN kg_api.edges t ON t.src = m.src AND t.dst = m.dst AND t.type = @target::int
WHERE m.merge = @merge
    AND (m.evidence = 0 OR EXISTS (SELECT FROM kg_api.merged_evidence v WHERE v.merge = m.merge AND v.src = m.src AND v.dst = m.dst));

-- name: UndoRestoreEvidence :execrows
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
SELECT v.src, v.dst, e.type, v.source, v.confidence, v.quote, v.start_byte, v.end_byte,
    v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end, v.before_quote, v.before_start, v.created_at
FROM kg_api.merged_evidence v
JOIN kg_api.edges e ON e.src = v.src AND e.dst = v.dst AND e.type = @source::int
WHERE v.merge = @merge;

-- name: UndoTakeEvidence :exec
-- Takes back what was moved to the target.
DELETE FROM kg_api.edge_evidence o USING kg_api.merged_evidence v
WHERE v.merge = @merge AND NOT v.set_aside
    AND o.src = v.src AND o.dst = v.dst AND o.type = @target::int AND o.source = v.source;

-- name: UndoRemoveEdges :exec
-- Removes the target's edges that the merge alone had made.
DELETE FROM kg_api.edges t USING kg_api.merged_edges m
WHERE m.merge = @merge AND t.src = m.src AND t.dst = m.dst AND t.type = @target::int
    AND (m.target_confidence IS NULL OR m.target_evidence > 0)
    AND NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type);

-- name: UndoConfidence :exec
-- Gives the target's edges the confidence that they had, or that of what was read since.
UPDATE kg_api.edges t SET confidence = greatest(m.target_confidence, (
        SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type))
FROM kg_api.merged_edges m
WHERE m.merge = @merge AND t.src = m.src AND t.dst = m.dst AND t.type = @target::int
    AND t.confidence IS DISTINCT FROM greatest(m.target_confidence, (
        SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE v.src = t.src AND v.dst = t.dst AND v.type = t.type));

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
