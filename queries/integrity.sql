-- The checks of what is stored. Each takes the next rows by their key; what is right with a
-- row is not returned. The keys are read first, so that a row that cannot be read is found
-- between others.

-- name: CheckDocuments :many
-- Documents whose bytes are not those that their hash was made of.
SELECT x.content_hash, x.actual FROM (
    SELECT c.content_hash, ('sha256:' || encode(sha256(c.body), 'hex'))::text AS actual
    FROM kg_api.contents c WHERE c.content_hash = ANY (@keys::text[])
) x
WHERE x.actual <> x.content_hash;

-- name: DocumentKeys :many
-- The next documents after a key, with what their chunks are compared with.
SELECT d.id, d.document_id, d.filename, d.content_type FROM kg_api.documents d WHERE d.id > @after ORDER BY d.id LIMIT @most;

-- name: ChunksToCheck :many
-- The next chunks of a document.
SELECT s.id, s.source_id, s.chunk_number, s.full_text, s.start_byte, s.end_byte, s.start_char, s.end_char,
    (s.text_md5 = md5(s.full_text)::uuid)::bool AS hash_is_right
FROM kg_api.sources s WHERE s.document = @document AND (s.chunk_number, s.id) > (@after_chunk::int, @after_id::int)
ORDER BY s.chunk_number, s.id LIMIT @most;

-- name: SourceKeys :many
SELECT s.id FROM kg_api.sources s WHERE s.id > @after ORDER BY s.id LIMIT @most;

-- name: CheckPassages :many
-- Passages that do not stand where they say: as far as they stand in their chunk.
SELECT s.source_id, p.number, p.start_byte, p.end_byte
FROM kg_api.passages p
JOIN kg_api.sources s ON s.id = p.source
WHERE p.source = ANY (@keys::int[])
    AND (p.end_byte > s.end_byte OR p.end_byte <= s.start_byte
        OR substring(convert_to(s.full_text, 'UTF8') FROM greatest(p.start_byte - s.start_byte, 0) + 1 FOR greatest(p.end_byte - greatest(p.start_byte, s.start_byte), 0))
            <> substring(convert_to(p.body, 'UTF8') FROM greatest(s.start_byte - p.start_byte, 0) + 1))
ORDER BY p.source, p.number;

-- name: CheckQuotes :many
-- Quotes that do not stand where they say.
SELECT s.source_id, c.concept_id, i.start_byte, i.end_byte
FROM kg_api.instances i
JOIN kg_api.sources s ON s.id = i.source
JOIN kg_api.concepts c ON c.id = i.concept
WHERE i.source = ANY (@keys::int[])
    AND (i.quote_md5 <> md5(i.quote)::uuid
        OR NOT kg_api.stands_at(s.full_text, i.start_byte - s.start_byte, i.end_byte - i.start_byte, i.quote))
ORDER BY i.source, i.id;

-- name: CheckStatements :many
-- Sentences of relationships that do not stand where they say.
SELECT s.source_id, a.concept_id AS from_id, t.name AS type, b.concept_id AS to_id, e.start_byte, e.end_byte
FROM kg_api.edge_evidence e
JOIN kg_api.sources s ON s.id = e.source
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
JOIN kg_api.relationship_types t ON t.id = e.type
WHERE e.source = ANY (@keys::int[])
    AND ((e.quote <> '' AND NOT kg_api.stands_at(s.full_text, e.start_byte - s.start_byte, e.end_byte - e.start_byte, e.quote))
        OR (e.before_quote <> '' AND NOT kg_api.stands_at(s.full_text, e.before_start - s.start_byte, octet_length(e.before_quote), e.before_quote)))
ORDER BY e.source, e.src, e.dst, e.type;

-- name: CheckSourceEmbeddings :many
-- Chunks whose embeddings were made of another text.
SELECT DISTINCT s.source_id, e.model
FROM kg_api.source_embeddings e JOIN kg_api.sources s ON s.id = e.source
WHERE e.source = ANY (@keys::int[]) AND e.text_md5 <> md5(s.full_text)::uuid
ORDER BY s.source_id;

-- name: ConceptKeys :many
SELECT c.id FROM kg_api.concepts c WHERE c.id > @after ORDER BY c.id LIMIT @most;

-- name: CheckConceptEmbeddings :many
-- Concepts without an embedding of the graph's model, or with one of another length.
SELECT c.concept_id, coalesce(e.model, '')::text AS model, coalesce(cardinality(e.vector), 0)::int AS dimensions
FROM kg_api.concepts c
LEFT JOIN kg_api.concept_embeddings e ON e.concept = c.id
CROSS JOIN kg_api.embedding_space g
WHERE c.id = ANY (@keys::int[]) AND NOT g.reembedding
    AND (e.concept IS NULL OR e.model <> g.model OR cardinality(e.vector) <> g.dimensions)
ORDER BY c.id;

-- name: ArtifactFileKeys :many
SELECT f.id FROM kg_api.artifact_files f WHERE f.id > @after AND f.artifact_id IS NOT NULL ORDER BY f.id LIMIT @most;

-- name: CheckArtifactFiles :many
-- Files of artifacts whose pieces do not make up what was stored.
SELECT x.id, x.artifact_id, x.bytes, x.pieces, x.stored FROM (
    SELECT f.id, coalesce(f.artifact_id, 0)::bigint AS artifact_id, f.bytes, count(p.n) AS pieces, coalesce(max(p.n) + 1, 0)::bigint AS places,
        coalesce(sum(octet_length(p.body)), 0)::bigint AS stored
    FROM kg_api.artifact_files f LEFT JOIN kg_api.artifact_pieces p ON p.file_id = f.id
    WHERE f.id = ANY (@keys::bigint[])
    GROUP BY f.id
) x
WHERE x.stored <> x.bytes OR x.pieces <> x.places
ORDER BY x.id;
