-- name: VersionsRetire :exec
-- Keeps what documents are before they go, as earlier versions of their identity: those that were read to their end, of
-- ontologies that keep any. Concepts bear the names that the document gives them.
WITH named AS MATERIALIZED (
    SELECT DISTINCT ON (s.document, m.concept) s.document, m.concept, m.label FROM kg_api.sources s JOIN kg_api.mentions m ON m.source = s.id
    WHERE s.document = ANY (@documents::int[]) ORDER BY s.document, m.concept, m.id
)
INSERT INTO kg_api.document_versions (ontology_id, identity, version, document, document_id, filename, content_type, document_key, source_type, source_path,
    source_hostname, user_id, job_id, created_at, retired_at, retired_by, chunks, words, concepts, relationships)
SELECT d.ontology_id, d.identity, d.version, d.id, d.document_id, d.filename, d.content_type, d.document_key, d.source_type, d.source_path,
    d.source_hostname, d.user_id, d.job_id, d.created_at, @retired_at, @retired_by,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id)::int, (SELECT coalesce(sum(s.words), 0) FROM kg_api.sources s WHERE s.document = d.id)::int,
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', c.concept_id, 'label', coalesce(n.label, c.concept_id), 'quotes', q.quotes) ORDER BY c.concept_id)
        FROM (SELECT i.concept, count(*) AS quotes FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id WHERE s.document = d.id GROUP BY i.concept) q
        JOIN kg_api.concepts c ON c.id = q.concept LEFT JOIN named n ON n.document = d.id AND n.concept = c.id), '[]'),
    coalesce((SELECT jsonb_agg(jsonb_build_object('from', f.concept_id, 'from_label', coalesce(fn.label, f.concept_id), 'type', t.name, 'to', g.concept_id,
            'to_label', coalesce(gn.label, g.concept_id), 'confidence', round(v.confidence::numeric, 4)) ORDER BY f.concept_id, t.name, g.concept_id)
        FROM (SELECT x.src, x.dst, x.type, max(x.confidence) AS confidence FROM kg_api.sources s JOIN kg_api.edge_evidence x ON x.source = s.id
            WHERE s.document = d.id GROUP BY x.src, x.dst, x.type) v
        JOIN kg_api.concepts f ON f.id = v.src JOIN kg_api.concepts g ON g.id = v.dst JOIN kg_api.relationship_types t ON t.id = v.type
        LEFT JOIN named fn ON fn.document = d.id AND fn.concept = f.id LEFT JOIN named gn ON gn.document = d.id AND gn.concept = g.id), '[]')
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.id = ANY (@documents::int[]) AND d.identity IS NOT NULL AND o.keep_versions > 0
    AND (d.submitted_at IS NOT NULL OR EXISTS (SELECT FROM kg_api.sources s WHERE s.document = d.id AND s.boundary = 'end_of_document'));

-- name: VersionsKeepChunks :exec
INSERT INTO kg_api.version_chunks (version, source_id, chunk_number, full_text, start_byte, end_byte, start_char, end_char)
SELECT DISTINCT ON (v.id, s.chunk_number) v.id, s.source_id, s.chunk_number, s.full_text, s.start_byte, s.end_byte, s.start_char, s.end_char
FROM kg_api.document_versions v JOIN kg_api.sources s ON s.document = v.document
WHERE v.document = ANY (@documents::int[])
ORDER BY v.id, s.chunk_number, s.id;

-- name: VersionsKeepPassages :exec
INSERT INTO kg_api.version_passages (version, number, chunk, start_byte, end_byte, start_char, end_char, page, section, class, language, columns, defines, body)
SELECT DISTINCT ON (v.id, p.number) v.id, p.number, s.chunk_number, p.start_byte, p.end_byte, p.start_char, p.end_char, p.page, p.section, p.class, p.language, p.columns, p.defines, p.body
FROM kg_api.document_versions v JOIN kg_api.sources s ON s.document = v.document JOIN kg_api.passages p ON p.source = s.id
WHERE v.document = ANY (@documents::int[])
ORDER BY v.id, p.number, p.id;

-- name: VersionsPrune :exec
-- Forgets the oldest versions of the identities of documents, beyond what their ontologies keep.
DELETE FROM kg_api.document_versions v
USING (
    SELECT x.id, o.keep_versions, row_number() OVER (PARTITION BY x.ontology_id, x.identity ORDER BY x.retired_at DESC, x.id DESC) AS place
    FROM (SELECT DISTINCT d.ontology_id, d.identity FROM kg_api.documents d WHERE d.id = ANY (@documents::int[])) i
    JOIN kg_api.document_versions x ON x.ontology_id = i.ontology_id AND x.identity = i.identity
    JOIN kg_api.ontologies o ON o.id = x.ontology_id
) old
WHERE v.id = old.id AND old.place > old.keep_versions;

-- name: VersionsPruneOntology :execrows
-- The same of a whole ontology.
DELETE FROM kg_api.document_versions v
USING (
    SELECT x.id, o.keep_versions, row_number() OVER (PARTITION BY x.identity ORDER BY x.retired_at DESC, x.id DESC) AS place
    FROM kg_api.ontologies o JOIN kg_api.document_versions x ON x.ontology_id = o.id
    WHERE o.id = @ontology
) old
WHERE v.id = old.id AND old.place > old.keep_versions;

-- name: VersionsForget :execrows
-- Forgets the earlier versions of documents that are taken out.
DELETE FROM kg_api.document_versions v
USING kg_api.documents d
WHERE d.id = ANY (@documents::int[]) AND v.ontology_id = d.ontology_id AND v.identity = d.identity
    AND NOT EXISTS (SELECT FROM kg_api.documents o WHERE o.ontology_id = d.ontology_id AND o.identity = d.identity AND NOT o.id = ANY (@documents));

-- name: VersionsForgetIdentity :execrows
DELETE FROM kg_api.document_versions v WHERE v.ontology_id = @ontology AND v.identity = @identity;

-- name: VersionFind :one
-- What a document is a version of: one that stands, else one that went. '' is any ontology: that
-- which took it last.
SELECT f.document, f.ontology_id, f.ontology, f.lifecycle_state, f.keep_versions, f.identity, f.filename, f.stands::bool AS stands
FROM (
    SELECT d.id AS document, d.ontology_id, o.name AS ontology, o.lifecycle_state, o.keep_versions, d.identity, d.filename, true AS stands, d.created_at AS at
    FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE d.document_id = @document_id AND (@ontology::text = '' OR o.name = @ontology)
    UNION ALL
    SELECT v.id, v.ontology_id, o.name, o.lifecycle_state, o.keep_versions, v.identity, v.filename, false, v.retired_at
    FROM kg_api.document_versions v JOIN kg_api.ontologies o ON o.id = v.ontology_id
    WHERE v.document_id = @document_id AND (@ontology = '' OR o.name = @ontology)
) f
ORDER BY f.stands DESC, f.at DESC LIMIT 1;

-- name: VersionsStanding :many
-- The documents of an identity that stand: one, unless others were ingested apart by other users;
-- or a document without an identity.
SELECT d.id, d.version, d.document_id, d.filename, d.content_type, d.document_key, d.source_path, d.job_id, d.created_at,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id)::int AS chunks, (SELECT coalesce(sum(s.words), 0) FROM kg_api.sources s WHERE s.document = d.id)::int AS words,
    (SELECT count(DISTINCT i.concept) FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id WHERE s.document = d.id)::int AS concepts,
    (SELECT count(*) FROM (SELECT DISTINCT v.src, v.dst, v.type FROM kg_api.sources s JOIN kg_api.edge_evidence v ON v.source = s.id WHERE s.document = d.id) e)::int AS relationships
FROM kg_api.documents d
WHERE d.id = @document::int OR d.ontology_id = @ontology::int AND d.identity = sqlc.narg(identity)::uuid
ORDER BY d.submitted_at DESC NULLS LAST, d.id DESC;

-- name: VersionsKept :many
-- The versions of an identity that went, the last one first.
SELECT v.id, v.version, v.document_id, v.filename, v.content_type, v.document_key, v.source_path, v.job_id, v.created_at, v.retired_at, v.retired_by, v.chunks, v.words,
    jsonb_array_length(v.concepts)::int AS concepts, jsonb_array_length(v.relationships)::int AS relationships
FROM kg_api.document_versions v
WHERE v.ontology_id = @ontology::int AND v.identity = sqlc.narg(identity)::uuid
ORDER BY v.retired_at DESC, v.id DESC;

-- name: VersionChunks :many
SELECT c.source_id, c.chunk_number, c.full_text, c.start_char, c.end_char, c.start_byte, c.end_byte
FROM kg_api.version_chunks c WHERE c.version = @version ORDER BY c.chunk_number;

-- name: VersionFacts :one
-- What a version that went said.
SELECT v.concepts, v.relationships FROM kg_api.document_versions v WHERE v.id = @id;

-- name: VersionFactsStanding :one
-- What a document says that stands, in the same form.
WITH named AS MATERIALIZED (
    SELECT DISTINCT ON (m.concept) m.concept, m.label FROM kg_api.sources s JOIN kg_api.mentions m ON m.source = s.id
    WHERE s.document = @document::int ORDER BY m.concept, m.id
)
SELECT
    coalesce((SELECT jsonb_agg(jsonb_build_object('id', c.concept_id, 'label', coalesce(n.label, c.concept_id), 'quotes', q.quotes) ORDER BY c.concept_id)
        FROM (SELECT i.concept, count(*) AS quotes FROM kg_api.sources s JOIN kg_api.instances i ON i.source = s.id WHERE s.document = @document GROUP BY i.concept) q
        JOIN kg_api.concepts c ON c.id = q.concept LEFT JOIN named n ON n.concept = c.id), '[]')::jsonb AS concepts,
    coalesce((SELECT jsonb_agg(jsonb_build_object('from', f.concept_id, 'from_label', coalesce(fn.label, f.concept_id), 'type', t.name, 'to', g.concept_id,
            'to_label', coalesce(gn.label, g.concept_id), 'confidence', round(v.confidence::numeric, 4)) ORDER BY f.concept_id, t.name, g.concept_id)
        FROM (SELECT x.src, x.dst, x.type, max(x.confidence) AS confidence FROM kg_api.sources s JOIN kg_api.edge_evidence x ON x.source = s.id
            WHERE s.document = @document GROUP BY x.src, x.dst, x.type) v
        JOIN kg_api.concepts f ON f.id = v.src JOIN kg_api.concepts g ON g.id = v.dst JOIN kg_api.relationship_types t ON t.id = v.type
        LEFT JOIN named fn ON fn.concept = f.id LEFT JOIN named gn ON gn.concept = g.id), '[]')::jsonb AS relationships;

-- name: VersionPassages :many
SELECT p.number, p.section, p.class, p.body FROM kg_api.version_passages p WHERE p.version = @version ORDER BY p.number;

-- name: VersionPassagesStanding :many
SELECT p.number, p.section, p.class, p.body FROM kg_api.sources s JOIN kg_api.passages p ON p.source = s.id
WHERE s.document = @document::int ORDER BY p.number, p.id;

-- name: VersionsStood :many
-- The documents that stood at a moment and stand still, of ontologies or of all. Whoever names the
-- moment at which one was ingested knows it in milliseconds.
SELECT d.id FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE date_trunc('milliseconds', d.created_at) <= @at::timestamptz AND (cardinality(@ontologies::text[]) = 0 OR o.name = ANY (@ontologies));

-- name: VersionsPassagesStood :many
-- The passages of versions that stood at a moment and went since, up to a limit.
SELECT v.id AS version, p.number, p.chunk, p.start_byte, p.end_byte, p.start_char, p.end_char, coalesce(p.page, 0)::int AS page, p.section, p.class, p.language, p.columns, p.defines, p.body,
    v.ontology_id, o.name AS ontology, v.document_id, v.filename, coalesce(v.source_path, '')::text AS source_path, v.content_type, v.created_at,
    coalesce((SELECT c.source_id FROM kg_api.version_chunks c WHERE c.version = v.id AND c.chunk_number = p.chunk), '')::text AS source_id
FROM kg_api.document_versions v
JOIN kg_api.ontologies o ON o.id = v.ontology_id
JOIN kg_api.version_passages p ON p.version = v.id
WHERE date_trunc('milliseconds', v.created_at) <= @at::timestamptz AND date_trunc('milliseconds', v.retired_at) > @at AND (cardinality(@ontologies::text[]) = 0 OR o.name = ANY (@ontologies))
ORDER BY v.id, p.number LIMIT @most;
