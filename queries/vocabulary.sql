-- name: TypeVectors :many
-- Every relationship type with what is embedded of it by a model.
SELECT t.id, t.name, t.description, coalesce(e.text, '')::text AS text, e.vector, m.projection
FROM kg_api.relationship_types t
LEFT JOIN kg_api.type_embeddings e ON e.type = t.id AND e.model = @model
LEFT JOIN kg_api.type_measures m ON m.type = t.id
ORDER BY t.name;

-- name: VocabularyPending :one
-- Whether a type waits for its embedding or its projection, and whether the graph has
-- changed since the types were measured.
SELECT EXISTS (
        SELECT FROM kg_api.relationship_types t
        WHERE NOT EXISTS (SELECT FROM kg_api.type_measures m WHERE m.type = t.id)
            OR NOT EXISTS (SELECT FROM kg_api.type_embeddings e WHERE e.type = t.id AND e.model = @model)) AS types,
    NOT EXISTS (
        SELECT FROM kg_api.vocabulary_measurement v, kg_api.graph_epoch g
        WHERE v.epoch = g.epoch AND v.model = @model) AS measurement;

-- name: TypeEmbeddingStore :batchexec
INSERT INTO kg_api.type_embeddings (type, model, text, vector)
VALUES (@type, @model, @text, @vector)
ON CONFLICT (type, model) DO UPDATE SET text = excluded.text, vector = excluded.vector;

-- name: TypeProjectionStore :exec
INSERT INTO kg_api.type_measures (type, projection)
SELECT unnest(@types::int[]), unnest(@projections::float8[])
ON CONFLICT (type) DO UPDATE SET projection = excluded.projection;

-- name: TypeEdgeCounts :many
SELECT t.id, t.name, coalesce(e.edges, 0)::int AS edges
FROM kg_api.relationship_types t
LEFT JOIN (SELECT o.type, count(*) AS edges FROM kg_api.edges o GROUP BY o.type) e ON e.type = t.id
ORDER BY t.name;

-- name: TypeEdgeSample :many
-- Up to most edges of each type, the same ones of the same graph: those whose hash is
-- least. Few hashes are below the limits, so one scan of an index is all it takes,
-- and next to nothing is sorted.
SELECT s.type, s.dst
FROM (
    SELECT e.type, e.dst, row_number() OVER (PARTITION BY e.type ORDER BY e.hash, e.src, e.dst) AS place
    FROM (
        SELECT o.src, o.dst, o.type, hashint8extended(o.src::bigint * 2147483648 + o.dst, o.type) AS hash FROM kg_api.edges o
    ) e
    JOIN (SELECT unnest(@types::int[]) AS type, unnest(@limits::bigint[]) AS below) l ON l.type = e.type
    WHERE e.hash <= l.below
) s
WHERE s.place <= @most::bigint
ORDER BY s.type, s.place;

-- name: ConceptGroundings :many
-- The grounding of concepts; see ConceptSummaries.
SELECT w.id::int AS id, r.grounding
FROM unnest(@ids::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.weight * m.projection) / nullif(sum(e.weight), 0), 0)::float8 AS grounding
    FROM (
        SELECT o.type, sum(o.confidence::float8) AS weight FROM kg_api.edges o WHERE o.dst = w.id GROUP BY o.type
    ) e
    JOIN kg_api.type_measures m ON m.type = e.type
) r;

-- name: TypeStatusStore :exec
-- Stores the statuses of types that have a projection, which is all but those that
-- were added meanwhile. NaN stands for what could not be measured.
UPDATE kg_api.type_measures m
SET status = s.status, avg_grounding = nullif(s.avg_grounding, 'NaN'), std_grounding = nullif(s.std_grounding, 'NaN'),
    min_grounding = nullif(s.min_grounding, 'NaN'), max_grounding = nullif(s.max_grounding, 'NaN'), measured_concepts = s.concepts, sampled_edges = s.sampled, total_edges = s.total,
    measured_at = now()
FROM (SELECT unnest(@types::int[]) AS type, unnest(@statuses::text[]) AS status,
        unnest(@averages::float8[]) AS avg_grounding, unnest(@deviations::float8[]) AS std_grounding,
        unnest(@least::float8[]) AS min_grounding, unnest(@greatest::float8[]) AS max_grounding,
        unnest(@concepts::int[]) AS concepts, unnest(@sampled::int[]) AS sampled, unnest(@totals::int[]) AS total) s
WHERE m.type = s.type;

-- name: MeasurementStore :exec
INSERT INTO kg_api.vocabulary_measurement (model, epoch, sample_size, measured_at)
VALUES (@model, @epoch, @sample_size, now())
ON CONFLICT (one) DO UPDATE
SET model = excluded.model, epoch = excluded.epoch, sample_size = excluded.sample_size, measured_at = excluded.measured_at;

-- name: MeasurementRead :one
SELECT v.model, v.epoch, v.sample_size, v.measured_at,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE t.created_at > v.measured_at)::int AS changes
FROM kg_api.vocabulary_measurement v;

-- name: TypeStatuses :many
-- Every relationship type with its status; of a type that was not measured yet it is
-- NULL.
SELECT t.id, t.name, t.category, t.is_builtin, t.description, t.added_by, t.created_at, (t.merged_into IS NULL)::bool AS is_active, t.category_confidence, t.category_ambiguous, m.projection, m.status, m.avg_grounding, m.std_grounding,
    m.min_grounding, m.max_grounding, coalesce(m.measured_concepts, 0)::int AS concepts,
    coalesce(m.sampled_edges, 0)::int AS sampled, coalesce(m.total_edges, 0)::int AS total, m.measured_at
FROM kg_api.relationship_types t
LEFT JOIN kg_api.type_measures m ON m.type = t.id
ORDER BY t.name;

-- name: TypeNames :many
-- The names of all relationship types. Those that matter most come first, for a model is
-- not told of all: the built-in ones, then those that people have added, then the others,
-- oldest first.
SELECT t.name, (t.merged_into IS NULL)::bool AS is_active
FROM kg_api.relationship_types t
ORDER BY t.is_builtin DESC, t.added_by IS NULL, t.id;
