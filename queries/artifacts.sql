-- name: ArtifactInsert :one
-- Keeps a result that a client has made of the graph as of an epoch, or as it is now. No
-- row is an epoch that the graph has not reached.
INSERT INTO kg_api.artifacts (artifact_type, representation, name, owner_id, graph_epoch, expires_at, parameters, metadata,
    ontology, concept_ids, query_definition_id, payload)
SELECT @artifact_type, @representation, sqlc.narg(name), @owner_id::int, COALESCE(sqlc.narg(graph_epoch)::bigint, g.epoch), sqlc.narg(expires_at), @parameters, sqlc.narg(metadata),
    sqlc.narg(ontology), sqlc.narg(concept_ids)::text[], sqlc.narg(query_definition_id), @payload
FROM kg_api.graph_epoch g
WHERE COALESCE(sqlc.narg(graph_epoch)::bigint, 0) <= g.epoch
RETURNING id;

-- name: ArtifactSave :one
-- Keeps the result of a job for its user, only while the claim is current: no row is
-- stale. A job keeps one: an attempt that comes after one that kept it replaces it.
WITH held AS (
    SELECT j.job_id, j.user_id FROM kg_api.jobs j
    WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
    FOR SHARE
)
INSERT INTO kg_api.artifacts (artifact_type, representation, name, owner_id, graph_epoch, parameters, ontology, concept_ids, payload, job_id)
SELECT @artifact_type, @representation, sqlc.narg(name), h.user_id, @graph_epoch, @parameters, sqlc.narg(ontology), sqlc.narg(concept_ids)::text[], @payload, h.job_id
FROM held h
ON CONFLICT (job_id) DO UPDATE SET name = excluded.name, graph_epoch = excluded.graph_epoch, created_at = clock_timestamp(),
    parameters = excluded.parameters, concept_ids = excluded.concept_ids, payload = excluded.payload
RETURNING id;

-- name: ArtifactByID :one
SELECT a.* FROM kg_api.shown_artifacts a WHERE a.id = @id;

-- name: ArtifactPayload :one
SELECT a.payload FROM kg_api.artifacts a WHERE a.id = @id;

-- name: ArtifactList :many
-- A page of what is selected, newest first.
SELECT a.* FROM kg_api.shown_artifacts a
WHERE (sqlc.narg(artifact_type)::text IS NULL OR a.artifact_type = sqlc.narg(artifact_type))
    AND (sqlc.narg(representation)::text IS NULL OR a.representation = sqlc.narg(representation))
    AND (sqlc.narg(ontology)::text IS NULL OR a.ontology = sqlc.narg(ontology))
    AND (sqlc.narg(owner_id)::int IS NULL OR a.owner_id = sqlc.narg(owner_id))
    AND (NOT @narrowed::bool OR a.owner_id = @viewer::int OR a.id::text = ANY (@visible::text[]) OR EXISTS (
        SELECT FROM (SELECT unnest(@visible_ontologies::text[]) AS ontology, unnest(@visible_types::text[]) AS type) f
        WHERE (f.ontology = '' OR f.ontology = a.ontology) AND (f.type = '' OR f.type = a.artifact_type)))
    AND a.id < @before::bigint
ORDER BY a.id DESC
LIMIT @most OFFSET @skip;

-- name: ArtifactCount :one
SELECT count(*) FROM kg_api.shown_artifacts a
WHERE (sqlc.narg(artifact_type)::text IS NULL OR a.artifact_type = sqlc.narg(artifact_type))
    AND (sqlc.narg(representation)::text IS NULL OR a.representation = sqlc.narg(representation))
    AND (sqlc.narg(ontology)::text IS NULL OR a.ontology = sqlc.narg(ontology))
    AND (sqlc.narg(owner_id)::int IS NULL OR a.owner_id = sqlc.narg(owner_id))
    AND (NOT @narrowed::bool OR a.owner_id = @viewer::int OR a.id::text = ANY (@visible::text[]) OR EXISTS (
        SELECT FROM (SELECT unnest(@visible_ontologies::text[]) AS ontology, unnest(@visible_types::text[]) AS type) f
        WHERE (f.ontology = '' OR f.ontology = a.ontology) AND (f.type = '' OR f.type = a.artifact_type)));

-- name: ArtifactDelete :one
DELETE FROM kg_api.artifacts a WHERE a.id = @id RETURNING a.id;

-- name: ArtifactPurge :exec
-- Deletes what has expired.
DELETE FROM kg_api.artifacts a WHERE a.expires_at <= statement_timestamp();
