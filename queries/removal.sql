-- name: MentionInsert :exec
-- Keeps what a chunk says of its concepts. The other names of each are joined by a
-- character that no name has.
INSERT INTO kg_api.mentions (concept, source, place, label, description, search_terms, weight, matched_by, score)
SELECT m.concept, @source, m.place, m.label, m.description, string_to_array(m.terms, chr(31)), m.weight, nullif(m.matched_by, ''),
    CASE WHEN m.matched_by <> '' THEN m.score END
FROM (SELECT unnest(@concepts::int[]) AS concept, unnest(@places::int[]) AS place, unnest(@labels::text[]) AS label,
        unnest(@descriptions::text[]) AS description, unnest(@terms::text[]) AS terms, unnest(@weights::real[]) AS weight,
        unnest(@matched_by::text[]) AS matched_by, unnest(@scores::real[]) AS score) m
ON CONFLICT ON CONSTRAINT a_mention_appears_once DO NOTHING;

-- name: DocumentForPlacement :one
SELECT d.id, coalesce(d.user_id, 0)::int AS user_id, d.filename, coalesce(d.source_path, '')::text AS source_path, o.lifecycle_state
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology
FOR UPDATE OF d;

-- name: DocumentPlace :exec
UPDATE kg_api.documents d SET source_path = @source_path::text, filename = @filename WHERE d.id = @id;

-- name: DocumentForRemoval :one
-- Holds a document for its removal. An empty ontology stands for the one that took it
-- last.
SELECT d.id, d.document_id, d.filename, d.job_id, d.ontology_id, o.name AS ontology, o.lifecycle_state
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND (@ontology::text = '' OR o.name = @ontology)
ORDER BY d.id DESC LIMIT 1
FOR UPDATE OF d;

-- name: DocumentsOfJob :many
-- Holds what a job has written last of a document, wherever it was moved since, that of the
-- job's ontology first: whole documents, and chunks that are in a document of another job.
WITH mine AS MATERIALIZED (
    SELECT d.id FROM kg_api.documents d WHERE d.document_id = @document_id AND d.job_id = @job_id FOR UPDATE
), moved AS (
    SELECT s.document, array_agg(s.id) AS sources
    FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document
    WHERE d.document_id = @document_id AND s.job_id = @job_id AND d.job_id <> @job_id
    GROUP BY s.document
)
SELECT d.id, d.document_id, d.filename, d.job_id, d.ontology_id, o.name AS ontology, o.lifecycle_state,
    (d.job_id = @job_id)::bool AS whole, coalesce(m.sources, '{}')::int[] AS sources
FROM kg_api.documents d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN moved m ON m.document = d.id
WHERE d.id IN (SELECT w.id FROM mine w UNION ALL SELECT m.document FROM moved m)
ORDER BY o.name <> @ontology::text, d.job_id <> @job_id, d.id;

-- name: DocumentReader :one
-- A job that is reading a document into an ontology.
SELECT j.job_id FROM kg_api.jobs j
WHERE j.content_hash = @document_id AND j.ontology = @ontology::text AND j.status = 'processing'
LIMIT 1;

-- name: DocumentSources :many
SELECT s.id FROM kg_api.sources s WHERE s.document = ANY (@documents::int[]);

-- name: RemovalExtent :one
-- What goes with chunks: quotes, and edges that nothing else shows.
SELECT (SELECT count(*) FROM kg_api.instances i WHERE i.source = ANY (@sources::int[])) AS instances,
    (SELECT count(*) FROM (SELECT DISTINCT v.src, v.dst, v.type FROM kg_api.edge_evidence v WHERE v.source = ANY (@sources)) e
        WHERE NOT EXISTS (SELECT 1 FROM kg_api.edge_evidence o
            WHERE o.src = e.src AND o.dst = e.dst AND o.type = e.type AND NOT (o.source = ANY (@sources)))) AS edges,
    (SELECT coalesce(array_agg(DISTINCT v.type), '{}') FROM kg_api.edge_evidence v WHERE v.source = ANY (@sources))::int[] AS types;

-- name: SourcesConcepts :many
-- The concepts that chunks show or speak of.
SELECT i.concept FROM kg_api.instances i WHERE i.source = ANY (@sources::int[])
UNION
SELECT m.concept FROM kg_api.mentions m WHERE m.source = ANY (@sources::int[]);

-- name: MentionsFirst :many
-- The mention that made each concept: one is read of each, however many there are.
SELECT m.concept, m.id, m.label, m.description, m.search_terms
FROM unnest(@concepts::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT o.concept, o.id, o.label, o.description, o.search_terms FROM kg_api.mentions o WHERE o.concept = w.id ORDER BY o.id LIMIT 1
) m;

-- name: MentionsOf :many
-- What is said of concepts, in the order in which it was read.
SELECT m.concept, m.id, m.label, m.description, m.search_terms
FROM kg_api.mentions m WHERE m.concept = ANY (@concepts::int[])
ORDER BY m.concept, m.id;

-- name: ConceptReset :batchexec
-- Makes a concept what its first mention says.
UPDATE kg_api.concepts c
SET label = @label, description = @description, search_terms = @search_terms::text[], term_keys = @term_keys::text[]
WHERE c.id = @id;

-- name: EmbeddingReplace :batchexec
UPDATE kg_api.concept_embeddings e
SET model = @model, vector = @vector, signature = @signature, bands = @bands
WHERE e.concept = @concept;

-- name: TypesPrune :exec
-- Removes relationship types that extractors brought in and that no edge has any more,
-- nor one that undoing a merge of concepts would bring back, or that was part of a merge of
-- types.
DELETE FROM kg_api.relationship_types t
WHERE t.id = ANY (@types::int[]) AND NOT t.is_builtin AND t.category = 'llm_generated' AND t.added_by IS NULL
    AND NOT EXISTS (SELECT 1 FROM kg_api.edges e WHERE e.type = t.id)
    AND NOT EXISTS (SELECT 1 FROM kg_api.concept_merge_rows r WHERE r.kind = 'edge' AND (r.content ->> 'type')::int = t.id)
    AND NOT EXISTS (SELECT 1 FROM kg_api.vocabulary_merges m WHERE t.id IN (m.source, m.target));

-- name: DocumentsDelete :exec
DELETE FROM kg_api.documents d WHERE d.id = ANY (@documents::int[]);

-- name: OntologyPrune :execrows
-- Removes an ontology that an ingestion made, when it has no document, nor what is kept of one, and
-- nobody has set anything of it.
DELETE FROM kg_api.ontologies o
WHERE o.id = @id AND o.implicit AND o.lifecycle_state = 'active' AND o.description = ''
    AND NOT EXISTS (SELECT 1 FROM kg_api.documents d WHERE d.ontology_id = o.id)
    AND NOT EXISTS (SELECT 1 FROM kg_api.document_versions v WHERE v.ontology_id = o.id);
