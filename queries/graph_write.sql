-- name: GraphLock :exec
-- Whoever removes or renames holds the graph alone, over all processes. The lock ends
-- with the transaction.
SELECT pg_advisory_xact_lock(100000002);

-- name: GraphLockShared :exec
-- Whoever adds shares the graph with the others who do.
SELECT pg_advisory_xact_lock_shared(100000002);

-- name: NameLocks :exec
-- Holds names that no concept bears yet: of two chunks that bring the same new concept
-- at the same moment, one makes it and the other waits and finds it. The numbers are
-- sorted, so that nobody waits for whoever waits for them. Claims hold lanes by 100000003.
SELECT pg_advisory_xact_lock(100000005, n.name) FROM unnest(@names::int[]) AS n (name);

-- name: SourceWriter :one
-- The job that wrote a chunk of a document last.
SELECT s.job_id FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology AND s.start_byte = @start_byte AND s.end_byte = @end_byte
ORDER BY s.id LIMIT 1;

-- name: JobFence :one
-- Holds the job's row while the claim is current. No row: stale. The ontology is called as
-- it is now: whoever renames it holds the lock of the graph, and changes the jobs too. So is when
-- its document was submitted: the last time, if that was more than once.
SELECT j.cancel_requested, j.checkpoint, j.ontology,
    CASE WHEN j.content_hash IS NULL THEN j.created_at ELSE coalesce((j.data ->> 'submitted_at')::timestamptz, j.created_at) END::timestamptz AS submitted_at
FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
FOR NO KEY UPDATE;

-- name: OntologyEnsure :one
-- Returns the ontology's id and key, creating it on first use, and whether there are others.
WITH added AS (
    INSERT INTO kg_api.ontologies (name, created_by, creation_epoch, implicit)
    SELECT @name, @created_by, e.epoch, true FROM kg_api.graph_epoch e
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.ontologies o WHERE o.name = @name)
    ON CONFLICT (name) DO NOTHING
    RETURNING ontologies.id, ontologies.key
)
SELECT n.id, n.key, EXISTS (SELECT 1 FROM kg_api.ontologies o WHERE o.name <> @name)::bool AS others
FROM (SELECT a.id, a.key FROM added a UNION ALL SELECT o.id, o.key FROM kg_api.ontologies o WHERE o.name = @name LIMIT 1) n;

-- name: DocumentEnsure :one
-- One that is new is the version after the last one of its identity. When it was submitted is said at
-- its end: see DocumentComplete.
INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, document_key, apart, source_type, source_path, source_hostname, user_id, job_id,
    submitted_at, version)
VALUES (@document_id, @ontology_id, @filename, @content_type, sqlc.narg(document_key), @apart, sqlc.narg(source_type), sqlc.narg(source_path),
    sqlc.narg(source_hostname), @user_id, @job_id, NULL,
    kg_api.last_version(@ontology_id, kg_api.document_identity(@apart, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname))) + 1)
ON CONFLICT (document_id, ontology_id) DO UPDATE
SET filename = excluded.filename, content_type = excluded.content_type, document_key = excluded.document_key, apart = excluded.apart,
    source_type = excluded.source_type, source_path = excluded.source_path, source_hostname = excluded.source_hostname, user_id = excluded.user_id,
    job_id = excluded.job_id,
    version = CASE WHEN documents.identity IS NOT DISTINCT FROM kg_api.document_identity(excluded.apart, excluded.document_key, excluded.source_type, excluded.source_path, excluded.source_hostname)
        THEN documents.version ELSE excluded.version END
RETURNING documents.id;

-- name: DocumentWriter :one
-- The job that began to write a document last.
SELECT d.job_id
FROM kg_api.documents d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology;

-- name: SourceUpsert :one
-- Stores a chunk of a document; of several at its place, the one that has the id. Where a
-- chunk of another document has the id, which was moved there, the new one gets another.
-- previous is the job that wrote it before, or empty.
WITH old AS MATERIALIZED (
    SELECT s.id, s.job_id FROM kg_api.sources s
    WHERE s.document = @document AND s.start_byte = @start_byte AND s.end_byte = @end_byte
    ORDER BY s.source_id <> @source_id, s.id LIMIT 1
), kept AS (
    UPDATE kg_api.sources s
    SET chunk_number = @chunk_number, full_text = @full_text, start_char = @start_char, end_char = @end_char, words = @words,
        boundary = @boundary, job_id = @job_id, reader = @reader, reading = @reading, is_cut = @is_cut, cutter = @cutter
    FROM old o WHERE s.id = o.id
    RETURNING s.id, o.job_id AS previous
), added AS (
    INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id, reader, reading, is_cut, cutter)
    SELECT CASE WHEN EXISTS (SELECT 1 FROM kg_api.sources t WHERE t.source_id = @source_id) 
            THEN 'src_' || left(replace(gen_random_uuid()::text, '-', ''), 24) ELSE @source_id END,
        @document, @chunk_number, @full_text, @start_byte, @end_byte, @start_char, @end_char, @words, @boundary, @job_id, @reader, @reading, @is_cut, @cutter
    WHERE NOT EXISTS (SELECT 1 FROM old)
    RETURNING sources.id, '' AS previous
)
SELECT k.id, k.previous::text AS previous FROM kept k UNION ALL SELECT a.id, a.previous::text FROM added a;

-- name: SourceReading :one
-- What a reader has found before in the same text.
SELECT s.reading FROM kg_api.sources s
WHERE s.text_md5 = md5(@full_text::text)::uuid AND s.reader = @reader AND s.full_text = @full_text AND s.reading IS NOT NULL
ORDER BY s.id DESC LIMIT 1;

-- name: ReadingKeep :exec
-- Keeps what a job has had read of a chunk that it has not stored yet, only while the
-- claim is current.
INSERT INTO kg_api.kept_readings (job_id, text_hash, reader, reading)
SELECT j.job_id, sha256(convert_to(@full_text::text, 'UTF8')), @reader::text, @reading::bytea FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
ON CONFLICT (job_id, text_hash, reader) DO NOTHING;

-- name: ReadingKept :one
-- A retry goes on with what the job before it has had read, unless it reads from the start.
SELECT k.reading FROM kg_api.kept_readings k
WHERE k.job_id IN (@job_id, (SELECT j.retry_of FROM kg_api.jobs j WHERE j.job_id = @job_id AND j.data ? 'reuse'))
    AND k.text_hash = sha256(convert_to(@full_text::text, 'UTF8')) AND k.reader = @reader
ORDER BY k.job_id = @job_id DESC LIMIT 1;

-- name: ReadingsForget :exec
DELETE FROM kg_api.kept_readings k WHERE k.job_id = @job_id;

-- name: SourcePlaces :exec
-- Replaces the places of a chunk.
WITH places AS (
    SELECT p.start_byte, nullif(p.page, 0) AS page, nullif(p.section, '') AS section
    FROM (SELECT unnest(@starts::int[]) AS start_byte, unnest(@pages::int[]) AS page, unnest(@sections::text[]) AS section) p
), outdated AS (
    DELETE FROM kg_api.source_places o
    WHERE o.source = @source AND NOT EXISTS (SELECT FROM places p WHERE p.start_byte = o.start_byte)
)
INSERT INTO kg_api.source_places (source, start_byte, page, section)
SELECT @source, p.start_byte, p.page, p.section FROM places p
ON CONFLICT (source, start_byte) DO UPDATE SET page = excluded.page, section = excluded.section;

-- name: ConceptsByTerm :many
-- Known concepts that are called by one of the names.
SELECT c.id, c.label, c.search_terms, c.term_keys, (c.description <> '')::bool AS described, e.vector
FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id
WHERE c.term_keys && @keys::text[] AND e.model = @model
ORDER BY c.id LIMIT 1000;

-- name: ConceptsShown :many
-- Which of some concepts a document shows, and which another one of its ontology does.
SELECT c.id::int AS id,
    EXISTS (SELECT 1 FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id
        WHERE s.document = @document AND i.concept = c.id) AS in_document,
    EXISTS (SELECT 1 FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id AND d.ontology_id = (SELECT o.ontology_id FROM kg_api.documents o WHERE o.id = @document)) AS in_ontology
FROM unnest(@concepts::int[]) AS c (id);

-- name: ConceptsRelated :many
-- Which of some concepts are related with each other.
SELECT DISTINCT e.src, e.dst FROM kg_api.edges e WHERE e.src = ANY (@concepts::int[]) AND e.dst = ANY (@concepts::int[]);

-- name: ConceptsStanding :many
-- Which of some concepts the ontology of a document shows, and which others a chunk shows
-- together with one of those around them. Of a concept with many quotes, the first ones say
-- what it belongs to.
SELECT c.id::int AS id,
    EXISTS (SELECT 1 FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id AND d.ontology_id = (SELECT o.ontology_id FROM kg_api.documents o WHERE o.id = @document::int)) AS here,
    EXISTS (SELECT 1 FROM (SELECT i.source FROM kg_api.instances i WHERE i.concept = c.id LIMIT 100) q JOIN kg_api.instances o ON o.source = q.source
        WHERE o.concept = ANY (@around::int[]) AND o.concept <> c.id) AS together
FROM unnest(@concepts::int[]) AS c (id);

-- name: ConceptsNear :batchmany
-- Known concepts whose embedding may be near: they share a band of the
-- signature, and few of its bits differ. The exact cosine decides afterwards. The index
-- leaves out the built-in embeddings, by which nothing is matched.
SELECT c.id, c.label, e.vector
FROM kg_api.concept_embeddings e JOIN kg_api.concepts c ON c.id = e.concept
WHERE e.bands && @bands::int[] AND e.model = @model AND e.model <> 'local-ngram-768' AND bit_count(e.signature # @signature) <= @max_distance::int
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
-- A quote in the overlap of two chunks is that of the chunk which was stored first. Only
-- chunks of the same job count: those of an earlier one may go at its end.
WITH beside AS MATERIALIZED (
    SELECT o.id FROM kg_api.sources m JOIN kg_api.sources o ON o.document = m.document AND o.job_id = m.job_id
    WHERE m.id = @source::int AND o.id <> m.id AND o.chunk_number BETWEEN m.chunk_number - 3 AND m.chunk_number + 3
        AND o.start_byte < m.end_byte AND o.end_byte > m.start_byte
)
INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte)
SELECT i.concept, @source::int, i.quote, i.start_byte, i.end_byte
FROM (SELECT unnest(@concepts::int[]) AS concept, unnest(@quotes::text[]) AS quote,
        unnest(@starts::int[]) AS start_byte, unnest(@ends::int[]) AS end_byte) i
WHERE NOT EXISTS (SELECT 1 FROM beside b JOIN kg_api.instances n ON n.source = b.id
    WHERE n.concept = i.concept AND n.quote_md5 = md5(i.quote)::uuid AND n.start_byte = i.start_byte AND n.end_byte = i.end_byte)
ON CONFLICT ON CONSTRAINT a_quote_appears_once DO NOTHING;

-- name: TypeEnsure :many
-- Returns the ids of relationship types, adding those that are new. A type that was merged
-- has the id of the one that it has become.
WITH wanted AS (
    SELECT unnest(@names::text[]) AS name, unnest(@categories::text[]) AS category, unnest(@builtin::bool[]) AS is_builtin
), added AS (
    INSERT INTO kg_api.relationship_types (name, category, is_builtin)
    SELECT DISTINCT ON (w.name) w.name, w.category, w.is_builtin FROM wanted w
    WHERE NOT EXISTS (SELECT 1 FROM kg_api.relationship_types t WHERE t.name = w.name)
    ORDER BY w.name
    ON CONFLICT (name) DO NOTHING
    RETURNING relationship_types.id, relationship_types.name, relationship_types.is_symmetric
)
SELECT a.id, a.name, a.is_symmetric FROM added a
UNION ALL
SELECT n.id, t.name, n.is_symmetric
FROM kg_api.relationship_types t JOIN kg_api.relationship_types n ON n.id = kg_api.current_type(t.id)
WHERE t.name = ANY (@names::text[]);

-- name: EdgeUpsert :many
-- Stores edges; the confidence of an edge is the best that was ever read.
-- created distinguishes a new edge from a known one.
INSERT INTO kg_api.edges (src, dst, type, confidence)
SELECT e.src, e.dst, e.type, max(e.confidence)
FROM (SELECT unnest(@sources::int[]) AS src, unnest(@targets::int[]) AS dst, unnest(@types::int[]) AS type,
        unnest(@confidences::real[]) AS confidence) e
GROUP BY e.src, e.dst, e.type
ORDER BY e.src, e.dst, e.type -- whoever writes the same ones meanwhile waits, and not for each other
ON CONFLICT (src, dst, type) DO UPDATE SET confidence = excluded.confidence WHERE edges.confidence < excluded.confidence
RETURNING (edges.xmax = 0)::bool AS created;

-- name: EvidenceInsert :exec
-- What the overlap of two chunks states is evidence of the chunk which was stored first,
-- unless the other one is surer of it. Of two readings of a chunk the surer stays, as it
-- decides how sure the edge is.
WITH beside AS MATERIALIZED (
    SELECT o.id FROM kg_api.sources m JOIN kg_api.sources o ON o.document = m.document AND o.job_id = m.job_id
    WHERE m.id = @source::int AND o.id <> m.id AND o.chunk_number BETWEEN m.chunk_number - 3 AND m.chunk_number + 3
        AND o.start_byte < m.end_byte AND o.end_byte > m.start_byte
)
INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
    from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start)
SELECT DISTINCT ON (e.src, e.dst, e.type) e.src, e.dst, e.type, @source::int, e.confidence, e.quote, e.start_byte, e.end_byte,
    e.from_kind, e.from_start, e.from_end, e.to_kind, e.to_start, e.to_end, e.before_quote, e.before_start
FROM (SELECT unnest(@sources::int[]) AS src, unnest(@targets::int[]) AS dst, unnest(@types::int[]) AS type,
        unnest(@confidences::real[]) AS confidence, unnest(@quotes::text[]) AS quote,
        unnest(@starts::int[]) AS start_byte, unnest(@ends::int[]) AS end_byte,
        unnest(@from_kinds::text[]) AS from_kind, unnest(@from_starts::smallint[]) AS from_start, unnest(@from_ends::smallint[]) AS from_end,
        unnest(@to_kinds::text[]) AS to_kind, unnest(@to_starts::smallint[]) AS to_start, unnest(@to_ends::smallint[]) AS to_end,
        unnest(@befores::text[]) AS before_quote, unnest(@before_starts::int[]) AS before_start) e
WHERE NOT EXISTS (SELECT 1 FROM beside b JOIN kg_api.edge_evidence o ON o.source = b.id
    WHERE o.src = e.src AND o.dst = e.dst AND o.type = e.type AND o.start_byte = e.start_byte AND o.end_byte = e.end_byte
        AND o.start_byte < o.end_byte AND o.confidence >= e.confidence)
ORDER BY e.src, e.dst, e.type, e.confidence DESC, e.start_byte
ON CONFLICT (src, dst, type, source) DO UPDATE
SET confidence = excluded.confidence, quote = excluded.quote, start_byte = excluded.start_byte, end_byte = excluded.end_byte,
    from_kind = excluded.from_kind, from_start = excluded.from_start, from_end = excluded.from_end,
    to_kind = excluded.to_kind, to_start = excluded.to_start, to_end = excluded.to_end,
    before_quote = excluded.before_quote, before_start = excluded.before_start
WHERE edge_evidence.confidence < excluded.confidence;

-- name: EvidenceTake :many
-- Removes the evidence of sources, and returns the relationships that it was of.
DELETE FROM kg_api.edge_evidence v WHERE v.source = ANY (@sources::int[]) RETURNING v.src, v.dst, v.type::int AS type;

-- name: EdgesSettle :exec
-- Gives relationships the confidence of their best evidence. Those that have none go.
SELECT kg_api.settle_edges(@srcs::int[], @dsts::int[], @types::int[]);

-- name: SourceClear :many
-- Removes what was read in sources before, apart from evidence, and returns the concepts
-- that may have lost their last quote.
WITH quotes AS (
    DELETE FROM kg_api.instances i WHERE i.source = ANY (@sources::int[]) RETURNING i.concept
), mentions AS (
    DELETE FROM kg_api.mentions m WHERE m.source = ANY (@sources::int[])
), merged AS (
    DELETE FROM kg_api.merged_evidence m WHERE m.source = ANY (@sources::int[])
)
SELECT DISTINCT q.concept FROM quotes q;

-- name: ConceptPrune :many
-- Removes those of the given concepts that no quote shows any more, and returns them.
DELETE FROM kg_api.concepts c
WHERE c.id = ANY (@ids::int[]) AND NOT EXISTS (SELECT 1 FROM kg_api.instances i WHERE i.concept = c.id)
RETURNING c.id;

-- name: SourcesOutdated :many
-- The chunks of a document that another job than the given one wrote last.
SELECT s.id
FROM kg_api.sources s
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @document_id AND o.name = @ontology AND s.job_id <> @job_id;

-- name: DocumentComplete :exec
-- Says that a document was read to its end, and as which version.
UPDATE kg_api.documents d SET submitted_at = greatest(d.submitted_at, @submitted_at::timestamptz), replaces = @replaces
FROM kg_api.ontologies o
WHERE o.id = d.ontology_id AND d.document_id = @document_id AND o.name = @ontology;

-- name: DocumentStandsFrom :exec
-- Has a document stand from the moment at which it takes the place of others.
UPDATE kg_api.documents d SET created_at = @stands_from::timestamptz
FROM kg_api.ontologies o
WHERE o.id = d.ontology_id AND d.document_id = @document_id AND o.name = @ontology;

-- name: DocumentsReplaced :many
-- The other documents of an ontology that a document is a later version of. owner is whose they
-- must be; NULL is anybody.
SELECT e.id, e.document_id
FROM kg_api.documents d
JOIN kg_api.ontologies o ON o.id = d.ontology_id
JOIN kg_api.documents e ON e.ontology_id = d.ontology_id AND e.identity = d.identity
WHERE d.document_id = @document_id AND o.name = @ontology AND e.id <> d.id AND coalesce(e.submitted_at, '-infinity') <= d.submitted_at
    AND (sqlc.narg(owner)::int IS NULL OR e.user_id = sqlc.narg(owner))
ORDER BY e.id;

-- name: SourceDelete :exec
DELETE FROM kg_api.sources s WHERE s.id = ANY (@ids::int[]);

-- name: EpochBump :one
-- Raises the graph's epoch and says what did it. What came and went is counted in the log of
-- the graph, as far as this transaction wrote it; an ingestion has written its chunks before,
-- and says how much that was. Without a user name it is that of the job.
WITH raised AS (
    UPDATE kg_api.graph_epoch e SET epoch = e.epoch + 1 RETURNING e.epoch
), changed AS (
    SELECT count(*) FILTER (WHERE l.op = 'add concept')::int AS concepts_added,
        count(*) FILTER (WHERE l.op = 'remove concept')::int AS concepts_removed,
        count(*) FILTER (WHERE l.op = 'set edge')::int AS edges_set,
        count(*) FILTER (WHERE l.op = 'remove edge')::int AS edges_removed
    FROM kg_api.graph_log l WHERE l.txid = pg_current_xact_id()
)
INSERT INTO kg_api.epoch_log (epoch, kind, act, actor, job_id, object, concepts_added, concepts_removed, edges_set, edges_removed)
SELECT r.epoch, @kind, @act,
    coalesce(nullif(@actor::text, ''), (SELECT u.username FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id WHERE j.job_id = @job_id), ''),
    nullif(@job_id::text, ''), @object,
    c.concepts_added + @concepts_added::int, c.concepts_removed, c.edges_set + @edges_set::int, c.edges_removed
FROM raised r CROSS JOIN changed c
RETURNING epoch_log.epoch;
