-- name: OntologyFind :one
SELECT o.id, o.name, o.description, o.lifecycle_state, o.creation_epoch, o.implicit, o.keep_versions,
    coalesce((SELECT u.username FROM kg_api.users u WHERE u.id = o.created_by), '')::text AS created_by
FROM kg_api.ontologies o WHERE o.name = @name;

-- name: OntologyStatistics :one
SELECT t.documents AS files, t.sources, t.concepts, t.quotes AS instances, t.relationships
FROM kg_api.ontology_totals t WHERE t.ontology = @id;

-- name: OntologyCountsFold :one
-- In a transaction that sees one moment.
SELECT kg_api.fold_ontology_changes();

-- name: OntologyRecount :exec
-- The graph is held alone meanwhile.
SELECT kg_api.recount_ontologies();

-- name: OntologyFiles :many
-- The documents of an ontology after a place, by their paths. What is counted is counted for
-- these alone.
WITH page AS MATERIALIZED (
    SELECT d.id, coalesce(d.source_path, d.filename)::text AS path FROM kg_api.documents d
    WHERE d.ontology_id = @id AND left(coalesce(d.source_path, d.filename), 500) >= left(@after_path::text, 500)
        AND (left(coalesce(d.source_path, d.filename), 500), coalesce(d.source_path, d.filename), d.id) > (left(@after_path, 500), @after_path, @after_id::int)
    ORDER BY left(coalesce(d.source_path, d.filename), 500), coalesce(d.source_path, d.filename), d.id LIMIT @most
)
SELECT d.id, d.document_id, d.filename, d.source_type, p.path::text AS file_path,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS chunks,
    (SELECT count(DISTINCT i.concept) FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id WHERE s.document = d.id) AS concepts,
    ARRAY(SELECT s.source_id FROM kg_api.sources s WHERE s.document = d.id ORDER BY s.chunk_number, s.id)::text[] AS source_ids
FROM page p JOIN kg_api.documents d ON d.id = p.id
ORDER BY left(p.path, 500), p.path, d.id;

-- name: OntologyPaths :many
-- The paths of the first documents of an ontology.
SELECT coalesce(d.source_path, d.filename)::text AS path FROM kg_api.documents d WHERE d.ontology_id = @id
ORDER BY left(coalesce(d.source_path, d.filename), 500), coalesce(d.source_path, d.filename), d.id LIMIT @most;

-- name: DocumentPath :one
SELECT coalesce(d.source_path, d.filename)::text AS path FROM kg_api.documents d WHERE d.id = @id AND d.ontology_id = @ontology_id;

-- name: OntologyCreate :one
-- No row: there is one with the name.
INSERT INTO kg_api.ontologies (name, description, created_by, creation_epoch)
SELECT @name, @description, @created_by, e.epoch FROM kg_api.graph_epoch e
ON CONFLICT (name) DO NOTHING
RETURNING ontologies.id;

-- name: OntologyLifecycle :one
-- Sets the state, and returns the one before.
WITH old AS MATERIALIZED (
    SELECT o.id, o.lifecycle_state FROM kg_api.ontologies o WHERE o.name = @name FOR UPDATE
)
UPDATE kg_api.ontologies o SET lifecycle_state = @state, implicit = false
FROM old WHERE o.id = old.id
RETURNING old.lifecycle_state AS previous;

-- name: OntologyKeepVersions :one
-- Sets how many earlier versions of documents are kept, and returns how many were before.
WITH old AS MATERIALIZED (
    SELECT o.id, o.keep_versions FROM kg_api.ontologies o WHERE o.id = @id FOR UPDATE
)
UPDATE kg_api.ontologies o SET keep_versions = @keep, implicit = false
FROM old WHERE o.id = old.id
RETURNING old.keep_versions AS previous;

-- name: OntologyRename :execrows
UPDATE kg_api.ontologies o SET name = @new_name, implicit = false WHERE o.id = @id;

-- name: OntologyRenameJobs :exec
-- Has jobs follow the new name: those that wait, and those that are over.
UPDATE kg_api.jobs j SET ontology = @new_name::text WHERE j.ontology = @name::text;

-- name: OntologyRunning :one
-- A job that is reading into an ontology.
SELECT j.job_id FROM kg_api.jobs j WHERE j.ontology = @name::text AND j.status = 'processing' LIMIT 1;

-- name: OntologyHalfRead :one
-- A job that has read a part of a document into an ontology, and is to go on.
SELECT j.job_id FROM kg_api.documents d JOIN kg_api.jobs j ON j.job_id = d.job_id
WHERE d.ontology_id = @id AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
LIMIT 1;

-- name: OntologyQueued :many
-- The jobs of an ontology that have not started.
SELECT j.job_id FROM kg_api.jobs j
WHERE j.ontology = @name::text AND j.status IN ('pending', 'awaiting_approval', 'approved')
ORDER BY j.job_id;

-- name: OntologyDocuments :many
SELECT d.id FROM kg_api.documents d WHERE d.ontology_id = @id;

-- name: OntologyChunks :one
-- How many chunks an ontology has, counted up to most.
SELECT count(*)::int FROM (SELECT 1 FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id WHERE d.ontology_id = @id LIMIT @most) n;

-- name: OntologyAlone :one
-- How many concepts no other ontology shows.
SELECT count(*)::int FROM (
    SELECT i.concept FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id JOIN kg_api.instances i ON i.source = s.id
    WHERE d.ontology_id = @id GROUP BY i.concept) c
WHERE NOT EXISTS (SELECT 1 FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
    WHERE i.concept = c.concept AND d.ontology_id <> @id);

-- name: OntologyLastSources :many
-- The chunks of an ontology that were added last: while the first ones are there, what they
-- call a concept stays its name, which is made anew once.
SELECT s.id FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id
WHERE d.ontology_id = @id ORDER BY s.id DESC LIMIT @most;

-- name: OntologyPruneDocuments :exec
-- Removes the documents that have no chunk left.
DELETE FROM kg_api.documents d WHERE d.ontology_id = @id AND NOT EXISTS (SELECT 1 FROM kg_api.sources s WHERE s.document = d.id);

-- name: OntologyDelete :exec
DELETE FROM kg_api.ontologies o WHERE o.id = @id;

-- name: TombstoneAdd :exec
INSERT INTO kg_api.ontology_tombstones (name, removed_by, reason) VALUES (@name, sqlc.narg(removed_by), sqlc.narg(reason))
ON CONFLICT (name) DO UPDATE SET removed_by = excluded.removed_by, removed_at = clock_timestamp(), reason = excluded.reason;

-- name: TombstoneClear :execrows
DELETE FROM kg_api.ontology_tombstones t WHERE t.name = @name;

-- name: TombstoneFlush :many
DELETE FROM kg_api.ontology_tombstones t RETURNING t.name;

-- name: TombstoneList :many
SELECT t.name, t.removed_by, t.removed_at, t.reason FROM kg_api.ontology_tombstones t ORDER BY t.name;

-- name: TombstoneExists :one
SELECT EXISTS (SELECT 1 FROM kg_api.ontology_tombstones t WHERE t.name = @name);
