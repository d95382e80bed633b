-- name: ProjectionInput :one
-- What a projection is made of: how many items, and a sum over them and the signatures
-- of their embeddings, which changes with each. Of a concept it costs no more than
-- reading its row.
WITH items AS (
    SELECT hashtextextended(e.signature::text, c.id) AS hash
    FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id AND e.model = @model
    WHERE @of_concepts::bool AND (sqlc.narg(ontology_id)::int IS NULL OR EXISTS (
        SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id AND d.ontology_id = sqlc.narg(ontology_id)))
    UNION ALL
    SELECT hashtextextended(e.text_md5::text, s.id::bigint * 4096 + e.piece)
    FROM kg_api.source_embeddings e JOIN kg_api.sources s ON s.id = e.source JOIN kg_api.documents d ON d.id = s.document
    WHERE @of_sources::bool AND e.model = @model AND (sqlc.narg(ontology_id)::int IS NULL OR d.ontology_id = sqlc.narg(ontology_id))
    UNION ALL
    SELECT hashtextextended(e.text, t.id)
    FROM kg_api.relationship_types t JOIN kg_api.type_embeddings e ON e.type = t.id
    WHERE @of_types::bool AND e.model = @model
)
SELECT count(*)::int AS items, coalesce(sum(i.hash), 0)::text AS fingerprint, (SELECT g.epoch FROM kg_api.graph_epoch g) AS epoch
FROM items i;

-- name: ProjectedConcepts :many
-- The concepts that a projection places, those with the most relationships first when
-- there are too many. The grounding is that of ConceptGroundings.
WITH shown AS (
    SELECT c.id, c.concept_id, c.label,
        (SELECT count(*) FROM kg_api.edges o WHERE o.src = c.id) + (SELECT count(*) FROM kg_api.edges o WHERE o.dst = c.id) AS degree
    FROM kg_api.concepts c
    WHERE sqlc.narg(ontology_id)::int IS NULL OR EXISTS (
        SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id AND d.ontology_id = sqlc.narg(ontology_id))
), chosen AS (
    SELECT w.id, w.concept_id, w.label, w.degree, e.vector
    FROM shown w JOIN kg_api.concept_embeddings e ON e.concept = w.id AND e.model = @model
    ORDER BY w.degree DESC, w.id
    LIMIT @most
)
SELECT c.concept_id, c.label, c.degree, c.vector, r.grounding,
    coalesce((SELECT min(o.name) FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id AND (sqlc.narg(ontology_id)::int IS NULL OR o.id = sqlc.narg(ontology_id))), '')::text AS ontology
FROM chosen c
CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.confidence::float8 * m.projection) / nullif(sum(e.confidence::float8), 0), 0)::float8 AS grounding
    FROM kg_api.edges e JOIN kg_api.type_measures m ON m.type = e.type
    WHERE e.dst = c.id
) r
ORDER BY c.id;

-- name: ProjectedSources :many
-- The pieces of chunks that a projection places, in the order in which they were read.
SELECT s.source_id, s.chunk_number, d.filename, o.name AS ontology, e.piece, e.vector,
    (SELECT count(DISTINCT i.concept) FROM kg_api.instances i WHERE i.source = s.id)::int AS concepts
FROM kg_api.source_embeddings e
JOIN kg_api.sources s ON s.id = e.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE e.model = @model AND (sqlc.narg(ontology_id)::int IS NULL OR o.id = sqlc.narg(ontology_id))
ORDER BY s.id, e.piece
LIMIT @most;

-- name: ProjectedTypes :many
SELECT t.name, t.category, e.vector, m.avg_grounding,
    (SELECT count(*) FROM kg_api.edges o WHERE o.type = t.id)::int AS edges
FROM kg_api.relationship_types t
JOIN kg_api.type_embeddings e ON e.type = t.id AND e.model = @model
LEFT JOIN kg_api.type_measures m ON m.type = t.id
ORDER BY t.name;

-- name: OntologyIDByName :one
SELECT o.id FROM kg_api.ontologies o WHERE o.name = @name;

-- name: ProjectionSave :execrows
-- Keeps the projection that a job has made, in the place of the one before, only while
-- the claim is current: no row is stale.
WITH held AS (
    SELECT j.job_id FROM kg_api.jobs j
    WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
    FOR SHARE
)
INSERT INTO kg_api.projections (ontology_id, source, changelist, graph_epoch, items, parameters, job_id, body)
SELECT sqlc.narg(ontology_id)::int, @source, @changelist, @graph_epoch, @items, @parameters, h.job_id, @body FROM held h
ON CONFLICT (ontology_id, source) DO UPDATE
SET changelist = excluded.changelist, graph_epoch = excluded.graph_epoch, items = excluded.items, parameters = excluded.parameters,
    job_id = excluded.job_id, body = excluded.body, computed_at = clock_timestamp();

-- name: ProjectionRead :one
SELECT p.id, p.changelist, p.graph_epoch, p.computed_at, p.items, p.parameters, p.body
FROM kg_api.projections p
WHERE p.ontology_id IS NOT DISTINCT FROM sqlc.narg(ontology_id)::int AND p.source = @source;

-- name: ProjectionLooked :exec
-- Records that somebody looks at a projection, once an hour at most: it is read far more
-- often.
UPDATE kg_api.projections p SET looked_at = now()
WHERE p.ontology_id IS NOT DISTINCT FROM sqlc.narg(ontology_id)::int AND p.source = @source AND p.looked_at < now() - interval '1 hour';

-- name: ProjectionsLookedAt :many
-- The projections that somebody has looked at within a week, those first that were made
-- first, with what they were made with.
SELECT coalesce(o.name, '')::text AS ontology, p.source, p.parameters
FROM kg_api.projections p LEFT JOIN kg_api.ontologies o ON o.id = p.ontology_id
WHERE p.looked_at > now() - interval '7 days'
ORDER BY p.computed_at, p.id;

-- name: ProjectionDelete :execrows
DELETE FROM kg_api.projections p
WHERE p.ontology_id IS NOT DISTINCT FROM sqlc.narg(ontology_id)::int AND (@source::text = '' OR p.source = @source);
