-- name: EpochList :many
-- What raised the graph's epoch, newest first, before an epoch.
SELECT e.* FROM kg_api.epoch_log e
WHERE e.epoch < @before::bigint
    AND (@kind::text = '' OR e.kind = @kind)
    AND (@actor::text = '' OR e.actor = @actor)
    AND (sqlc.narg(since)::timestamptz IS NULL OR e.at >= sqlc.narg(since))
    AND (sqlc.narg(until)::timestamptz IS NULL OR e.at < sqlc.narg(until))
ORDER BY e.epoch DESC LIMIT @most;

-- name: EpochByNumber :one
SELECT e.* FROM kg_api.epoch_log e WHERE e.epoch = @epoch;

-- name: ConceptLife :one
-- When a concept came about, and what shows it. first and last are of the chunks that do.
SELECT c.id, c.label, c.creation_method, c.created_at,
    count(i.id) AS quotes, count(DISTINCT s.document) AS documents, count(DISTINCT s.job_id) AS jobs,
    coalesce(min(s.created_at), c.created_at)::timestamptz AS first_at, coalesce(max(s.created_at), c.created_at)::timestamptz AS last_at
FROM kg_api.concepts c
LEFT JOIN kg_api.instances i ON i.concept = c.id
LEFT JOIN kg_api.sources s ON s.id = i.source
WHERE c.concept_id = @concept_id
GROUP BY c.id;

-- name: ConceptLifeQuotes :many
-- A page of the quotes that show a concept in the order in which they came, each with the
-- epoch of the ingestion that brought it. That of a document which was read before epochs
-- were kept has none.
SELECT i.quote, s.source_id, s.created_at, s.job_id, d.document_id, d.filename, o.name AS ontology,
    coalesce(e.epoch, 0)::bigint AS epoch, coalesce(e.at, s.created_at)::timestamptz AS at, coalesce(e.kind, '')::text AS kind, coalesce(e.actor, '')::text AS actor
FROM kg_api.instances i
JOIN kg_api.sources s ON s.id = i.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN LATERAL (
    SELECT g.epoch, g.at, g.kind, g.actor FROM kg_api.epoch_log g
    WHERE (g.job_id = s.job_id AND g.act = 'document.ingest') OR (s.job_id = 'note' AND g.act = 'graph.write' AND g.object = d.document_id)
    ORDER BY g.epoch DESC LIMIT 1
) e ON true
WHERE i.concept = @concept
ORDER BY s.created_at, i.id LIMIT @most::int OFFSET @skip::int;

-- name: ConceptLifeMerges :many
-- The merges that a concept took part in, oldest first.
SELECT m.id, m.kept_id, m.kept_label, m.merged_id, m.merged_label, m.reason, m.made_by, m.at, m.undone_at
FROM kg_api.concept_merges m WHERE m.kept_id = @concept_id OR m.merged_id = @concept_id
ORDER BY m.id LIMIT @most;

-- name: ConceptLifeActs :many
-- What was done to a concept by hand, oldest first; merges stand by themselves.
SELECT a.at, a.username, a.action, a.after FROM kg_api.audit_log a
WHERE a.object = 'concept' AND a.object_id = @concept_id AND a.action IN ('concept.update', 'concept.delete', 'concept.split')
ORDER BY a.id LIMIT @most;
