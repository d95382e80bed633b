-- name: PassageEmbeddingsWrite :exec
-- Stores the embeddings of passages of a chunk, by their numbers in the document. Vectors come as
-- texts, since an array of arrays is not taken apart by row.
INSERT INTO kg_api.passage_embeddings (passage, model, signature, vector)
SELECT p.id, @model, w.signature, w.vector
FROM (
    SELECT unnest(@numbers::int[]) AS number, unnest(@signatures::bytea[]) AS signature, unnest(@vectors::text[])::real[] AS vector
) w
JOIN kg_api.passages p ON p.source = @source AND p.number = w.number
ON CONFLICT (passage, model) DO NOTHING;

-- name: PassageEmbeddingsAdd :exec
-- The same by the numbers of the passages; one that has gone meanwhile gets none.
INSERT INTO kg_api.passage_embeddings (passage, model, signature, vector)
SELECT p.id, @model, w.signature, w.vector
FROM (
    SELECT unnest(@ids::int[]) AS number, unnest(@signatures::bytea[]) AS signature, unnest(@vectors::text[])::real[] AS vector
) w
JOIN kg_api.passages p ON p.id = w.number
ON CONFLICT (passage, model) DO NOTHING;

-- name: PassagesToEmbed :many
-- The next passages that have no embedding by a model, and that it has not refused within a time.
SELECT p.id, p.section, p.body
FROM kg_api.passages p
WHERE p.id > @after AND NOT EXISTS (SELECT FROM kg_api.passage_embeddings e WHERE e.passage = p.id AND e.model = @model)
    AND NOT EXISTS (SELECT FROM kg_api.passage_refusals r WHERE r.passage = p.id AND r.model = @model AND r.refused_at > clock_timestamp() - @rest::interval)
ORDER BY p.id
LIMIT @most;

-- name: PassagesToEmbedCount :one
SELECT count(*)::int
FROM kg_api.passages p
WHERE p.id > @after AND NOT EXISTS (SELECT FROM kg_api.passage_embeddings e WHERE e.passage = p.id AND e.model = @model)
    AND NOT EXISTS (SELECT FROM kg_api.passage_refusals r WHERE r.passage = p.id AND r.model = @model AND r.refused_at > clock_timestamp() - @rest::interval);

-- name: PassagesUnembedded :one
-- How many passages have no embedding by a model, counted up to 1,000.
SELECT count(*)::int
FROM (
    SELECT FROM kg_api.passages p
    WHERE NOT EXISTS (SELECT FROM kg_api.passage_embeddings e WHERE e.passage = p.id AND e.model = @model)
        AND NOT EXISTS (SELECT FROM kg_api.passage_refusals r WHERE r.passage = p.id AND r.model = @model AND r.refused_at > clock_timestamp() - @rest::interval)
    LIMIT 1000
) u;

-- name: PassageEmbeddingsOutdated :execrows
-- Removes some embeddings by other models than that of the graph. A job that began with another
-- one removes nothing: what it takes for outdated is that model's.
DELETE FROM kg_api.passage_embeddings e
USING (
    SELECT x.passage, x.model FROM kg_api.passage_embeddings x
    WHERE x.model <> @model AND EXISTS (SELECT FROM kg_api.embedding_space s WHERE s.model = @model)
    LIMIT @most::int
) old
WHERE e.passage = old.passage AND e.model = old.model;

-- name: PassagesEmbedded :one
-- Which chunks have other passages, or other embeddings of them, than at a snapshot; see
-- PassagesTouched.
WITH changed AS MATERIALIZED (
    SELECT g.op, g.src FROM kg_api.graph_log g
    WHERE (g.txid >= pg_snapshot_xmax(CAST(@since::text AS pg_snapshot))
            OR g.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since::text AS pg_snapshot)))))
        AND g.op IN ('touch source', 'embed source', 'reload')
    LIMIT @most::int
)
SELECT pg_current_snapshot()::text AS snapshot, e.epoch,
    (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table,
    (f.floor <= pg_snapshot_xmin(CAST(@since::text AS pg_snapshot)))::bool AS kept,
    (SELECT count(*) >= @most OR coalesce(bool_or(c.op = 'reload'), false) FROM changed c)::bool AS whole,
    ARRAY(SELECT DISTINCT c.src FROM changed c WHERE c.op <> 'reload')::int[] AS sources
FROM kg_api.graph_epoch e
CROSS JOIN kg_api.graph_log_floor f;

-- name: PassagesRefuse :exec
-- Keeps that a model refuses passages; one that has gone meanwhile is left out.
INSERT INTO kg_api.passage_refusals (passage, model, reason)
SELECT p.id, @model, @reason FROM kg_api.passages p WHERE p.id = ANY (@ids::int[])
ON CONFLICT (passage, model) DO UPDATE SET reason = excluded.reason, refused_at = excluded.refused_at;

-- name: PassageSignatures :many
-- The signatures of passages of chunks by a model.
SELECT p.source, p.id, e.signature
FROM kg_api.passages p JOIN kg_api.passage_embeddings e ON e.passage = p.id
WHERE p.source = ANY (@sources::int[]) AND e.model = @model;

-- name: PassageSignaturesAll :many
-- The signatures of all passages by a model.
SELECT p.source, p.id, e.signature
FROM kg_api.passage_embeddings e JOIN kg_api.passages p ON p.id = e.passage
WHERE e.model = @model;

-- name: PassageVectors :many
-- The embeddings of passages by a model.
SELECT e.passage, e.vector FROM kg_api.passage_embeddings e WHERE e.passage = ANY (@ids::int[]) AND e.model = @model;
