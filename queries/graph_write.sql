-- name: GraphLock :exec
-- One chunk at a time matches and writes, over all processes: otherwise two
-- chunks that name a new concept at the same moment would make two of it. The
-- lock ends with the transaction, some milliseconds later.
SELECT pg_advisory_xact_lock(100000002);

-- name: JobFence :one
-- Holds the job's row while the claim is current. No row: stale.
SELECT j.cancel_requested, j.checkpoint FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
FOR NO KEY UPDATE;

-- name: OntologyEnsure :one
-- Returns the ontology's id, creating it on first use.
WITH added AS (
    INSERT INTO kg_api.ontologies (name, created_by, creation_epoch)
    SELECT @name, @created_by, e.epoch FROM kg_api.graph_epoch e
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.ontologies o WHERE o.name = @name)
    ON CONFLICT (name) DO NOTHING
    RETURNING ontologies.id
)
SELECT a.id FROM added a UNION ALL SELECT o.id FROM kg_api.ontologies o WHERE o.name = @name LIMIT 1;

-- name: DocumentEnsure :one
INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, source_type, source_path, source_hostname, user_id, job_id)
VALUES (@document_id, @ontology_id, @filename, @content_type, sqlc.narg(source_type), sqlc.narg(source_path),
    sqlc.narg(source_hostname), @user_id, @job_id)
ON CONFLICT (document_id, ontology_id) DO UPDATE
SET filename = excluded.filename, content_type = excluded.content_type, source_type = excluded.source_type,
    source_path = excluded.source_path, source_hostname = excluded.source_hostname, user_id = excluded.user_id,
    job_id = excluded.job_id
RETURNING documents.id;

-- name: DocumentWriter :one
-- The job that began to write a document last.
SELECT d.job_id
FROM kg_api.documents d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology;

-- name: SourceUpsert :one
-- Stores a chunk. previous is the job that wrote it before, or empty.
WITH old AS (
    SELECT s.job_id FROM kg_api.sources s WHERE s.source_id = @source_id
)
INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
VALUES (@source_id, @document, @chunk_number, @full_text, @start_byte, @end_byte, @start_char, @end_char, @words, @boundary, @job_id)
ON CONFLICT (source_id) DO UPDATE SET chunk_number = excluded.chunk_number, job_id = excluded.job_id
RETURNING sources.id, coalesce((SELECT o.job_id FROM old o), '')::text AS previous;

-- name: ConceptsByTerm :many
-- Known concepts that bear one of the labels.
SELECT c.id, c.label, e.vector
FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id
WHERE c.term_keys && @keys::text[] AND e.model = @model
ORDER BY c.id LIMIT 1000;

-- name: ConceptsNear :batchmany
-- Known concepts whose embedding may be near: they share a band of the
-- signature, and few of its bits differ. The exact cosine decides afterwards.
SELECT c.id, c.label, e.vector
FROM kg_api.concept_embeddings e JOIN kg_api.concepts c ON c.id = e.concept
WHERE e.bands && @bands::int[] AND e.model = @model AND bit_count(e.signature # @signature) <= @max_distance::int
ORDER BY bit_count(e.signature # @signature), c.id
LIMIT 20;

-- name: ConceptInsert :batchone
WITH number AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('kg_api.concepts', 'id'))::int AS id
)
INSERT INTO kg_api.concepts (id, concept_id, label, description, search_terms, term_keys)
OVERRIDING SYSTEM VALUE
SELECT n.id, @slug::text || '_' || n.id, @label, @description, @search_terms::text[], @term_keys::text[] FROM number n
RETURNING concepts.id;

-- name: ConceptLink :batchexec
-- Adds what a new mention knows about a concept: spellings up to 20, and a
-- description when there is none.
UPDATE kg_api.concepts c
SET description = CASE WHEN c.description = '' THEN @description ELSE c.description END,
    search_terms = coalesce((SELECT array_agg(DISTINCT t.term) FROM unnest(c.search_terms || @search_terms::text[]) AS t (term)), '{}'),
    term_keys = coalesce((SELECT array_agg(DISTINCT t.term) FROM unnest(c.term_keys || @term_keys::text[]) AS t (term)), '{}')
WHERE c.id = @id AND cardinality(c.search_terms) < 20
    AND (NOT (c.term_keys @> @term_keys::text[]) OR (c.description = '' AND @description <> ''));

-- name: EmbeddingInsert :batchexec
INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands)
VALUES (@concept, @model, @vector, @signature, @bands);

-- name: InstanceInsert :execrows
INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
SELECT i.concept, @source, i.quote, i.start_byte, i.end_byte
FROM (SELECT unnest(@concepts::int[]) AS concept, unnest(@quotes::text[]) AS quote,
        unnest(@starts::int[]) AS start_byte, unnest(@ends::int[]) AS end_byte) i
ON CONFLICT ON CONSTRAINT a_quote_appears_once DO NOTHING;

-- name: TypeEnsure :many
-- Returns the ids of relationship types, adding those that are new.
WITH wanted AS (
    SELECT unnest(@names::text[]) AS name, unnest(@categories::text[]) AS category, unnest(@builtin::bool[]) AS is_builtin
), added AS (
    INSERT INTO kg_api.relationship_types (name, category, is_builtin)
    SELECT DISTINCT ON (w.name) w.name, w.category, w.is_builtin FROM wanted w
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.relationship_types t WHERE t.name = w.name)
    ORDER BY w.name
    ON CONFLICT (name) DO NOTHING
    RETURNING relationship_types.id, relationship_types.name
)
SELECT a.id, a.name FROM added a
UNION ALL
SELECT t.id, t.name FROM kg_api.relationship_types t WHERE t.name = ANY (@names::text[]);

-- name: EdgeUpsert :many
-- Stores edges; the confidence of an edge is the best that was ever read.
-- created distinguishes a new edge from a known one.
INSERT INTO kg_api.edges (src, dst, type, confidence)
SELECT e.src, e.dst, e.type, max(e.confidence)
FROM (SELECT unnest(@sources::int[]) AS src, unnest(@targets::int[]) AS dst, unnest(@types::smallint[]) AS type,
        unnest(@confidences::real[]) AS confidence) e
GROUP BY e.src, e.dst, e.type
ON CONFLICT (src, dst, type) DO UPDATE SET confidence = excluded.confidence WHERE edges.confidence < excluded.confidence
RETURNING (edges.xmax = 0)::bool AS created;

-- name: EvidenceInsert :exec
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte)
SELECT DISTINCT ON (e.src, e.dst, e.type) e.src, e.dst, e.type, @source, e.confidence, e.quote, e.start_byte, e.end_byte
FROM (SELECT unnest(@sources::int[]) AS src, unnest(@targets::int[]) AS dst, unnest(@types::smallint[]) AS type,
        unnest(@confidences::real[]) AS confidence, unnest(@quotes::text[]) AS quote,
        unnest(@starts::int[]) AS start_byte, unnest(@ends::int[]) AS end_byte) e
ORDER BY e.src, e.dst, e.type, e.confidence DESC, e.start_byte
ON CONFLICT (src, dst, type, source) DO NOTHING;

-- name: SourceClear :many
-- Removes what was read in sources before, and returns the concepts that may
-- have lost their last quote. Edges without any evidence left go at once.
WITH quotes AS (
    DELETE FROM kg_api.instances i WHERE i.source = ANY (@sources::int[]) RETURNING i.concept
), evidence AS (
    DELETE FROM kg_api.edge_evidence v WHERE v.source = ANY (@sources::int[]) RETURNING v.src, v.dst, v.type
), edges AS (
    DELETE FROM kg_api.edges e USING (SELECT DISTINCT v.src, v.dst, v.type FROM evidence v) gone
    WHERE e.src = gone.src AND e.dst = gone.dst AND e.type = gone.type
        AND NOT EXISTS (SELECT 1 FROM kg_api.edge_evidence o
            WHERE o.src = e.src AND o.dst = e.dst AND o.type = e.type AND NOT (o.source = ANY (@sources::int[])))
)
SELECT DISTINCT q.concept FROM quotes q;

-- name: ConceptPrune :execrows
-- Removes those of the given concepts that no quote shows any more.
DELETE FROM kg_api.concepts c
WHERE c.id = ANY (@ids::int[]) AND NOT EXISTS (SELECT 1 FROM kg_api.instances i WHERE i.concept = c.id);

-- name: SourcesOutdated :many
-- The chunks of a document that another job than the given one wrote last.
SELECT s.id
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology AND s.job_id <> @job_id;

-- name: SourceDelete :exec
DELETE FROM kg_api.sources s WHERE s.id = ANY (@ids::int[]);

-- name: EpochBump :one
UPDATE kg_api.graph_epoch e SET epoch = e.epoch + 1 RETURNING e.epoch;
