-- name: PassagesClear :exec
-- Removes the passages of a chunk that are not the ones that are written now.
DELETE FROM kg_api.passages p
WHERE p.source = @source AND NOT EXISTS (
    SELECT FROM (
        SELECT unnest(@numbers::int[]) AS number, unnest(@starts::int[]) AS start_byte, unnest(@hashes::text[]) AS hash
    ) c
    WHERE c.number = p.number AND c.start_byte = p.start_byte
        AND c.hash = md5(concat_ws(E'\x1f', p.start_char, p.class, p.language, coalesce(p.page, 0), p.section,
            array_to_string(p.columns, E'\x1e'), array_to_string(p.defines, E'\x1e'), p.body))
);

-- name: PassagesWrite :exec
-- Writes the passages of a chunk; those that are there stay as they are. Lists of names come
-- with a separator between them, since an array of arrays would have to be a rectangle.
INSERT INTO kg_api.passages (source, number, start_byte, end_byte, start_char, end_char, page, section, class, language, columns, defines, body)
SELECT @source, c.number, c.start_byte, c.end_byte, c.start_char, c.end_char, nullif(c.page, 0), c.section, c.class, c.language,
    string_to_array(c.columns, E'\x1e'), string_to_array(c.defines, E'\x1e'), c.body
FROM (
    SELECT unnest(@numbers::int[]) AS number, unnest(@starts::int[]) AS start_byte, unnest(@ends::int[]) AS end_byte,
        unnest(@start_chars::int[]) AS start_char, unnest(@end_chars::int[]) AS end_char, unnest(@pages::int[]) AS page,
        unnest(@sections::text[]) AS section, unnest(@classes::text[]) AS class, unnest(@languages::text[]) AS language,
        unnest(@columns::text[]) AS columns, unnest(@defines::text[]) AS defines, unnest(@bodies::text[]) AS body
) c
ON CONFLICT (source, number) DO NOTHING;

-- name: PassageKeys :many
-- Every passage, without its text: from an index. The content of its document is in the stamp,
-- so that a number which a restored archive has given to another passage is seen.
SELECT p.id, p.source, s.document, d.ontology_id, d.stamp
FROM kg_api.passages p
JOIN kg_api.sources s ON s.id = p.source
JOIN (SELECT x.id, x.ontology_id, (kg_api.document_stamp(x.filename, x.source_path, x.ontology_id) # hashtext(x.document_id)) AS stamp FROM kg_api.documents x OFFSET 0) d ON d.id = s.document;

-- name: PassagesRead :many
-- Passages by their numbers, or by those of their chunks, with what is said of their documents.
SELECT p.id, p.source, p.number, p.start_byte, p.end_byte, p.start_char, p.end_char, coalesce(p.page, 0)::int AS page, p.section, p.class, p.language,
    p.columns, p.defines, p.body, s.document, d.ontology_id, (kg_api.document_stamp(d.filename, d.source_path, d.ontology_id) # hashtext(d.document_id))::int AS stamp,
    d.filename, coalesce(d.source_path, '')::text AS source_path, d.document_id, o.name AS ontology, s.source_id, s.chunk_number, d.content_type, d.created_at
FROM kg_api.passages p
JOIN kg_api.sources s ON s.id = p.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE p.id = ANY (@ids::int[]) OR p.source = ANY (@sources::int[]);

-- name: DocumentTitles :many
-- The first heading that passages of the first chunk of each document stand under; what stands
-- around the main text of a page has none.
SELECT a.document::int AS document, t.section
FROM unnest(@documents::int[]) AS a (document)
CROSS JOIN LATERAL (
    SELECT f.id FROM kg_api.sources f WHERE f.document = a.document ORDER BY f.document DESC, f.chunk_number, f.id LIMIT 1
) s
CROSS JOIN LATERAL (
    SELECT p.section FROM kg_api.passages p
    WHERE p.source = s.id AND p.section NOT IN ('', '(navigation)', '(beside the text)') ORDER BY p.number LIMIT 1
) t;

-- name: DocumentsUncut :many
-- The next documents with chunks of which no passages were cut, apart from those that a job is
-- writing.
SELECT d.id, d.document_id, d.content_type
FROM (SELECT DISTINCT s.document FROM kg_api.sources s WHERE NOT s.is_cut AND s.document > @after ORDER BY s.document) u
JOIN kg_api.documents d ON d.id = u.document
WHERE NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_id = d.job_id AND j.status = 'processing')
ORDER BY d.id LIMIT @most;

-- name: DocumentsOutdated :many
-- The next documents with chunks whose passages other versions of the rules have cut, apart from
-- those that a job is writing. Each version is looked up by itself, in the order of the documents.
SELECT d.id, d.document_id, d.content_type
FROM kg_api.documents d
WHERE d.id IN (
    SELECT x.document FROM unnest(@versions::smallint[]) AS v (n)
    CROSS JOIN LATERAL (
        SELECT DISTINCT s.document FROM kg_api.sources s
        WHERE s.cutter = v.n AND s.is_cut AND s.document > @after ORDER BY s.document LIMIT @most::int
    ) x
) AND NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_id = d.job_id AND j.status = 'processing')
ORDER BY d.id LIMIT @most;

-- name: ChunksToCut :many
-- The chunks of a document with what is to be known to cut it again.
SELECT s.id, s.full_text, s.start_byte, s.end_byte, s.start_char, s.boundary, (s.is_cut AND s.cutter >= @cutter::int)::bool AS is_cut
FROM kg_api.sources s WHERE s.document = @document
ORDER BY s.start_byte, s.end_byte, s.id;

-- name: SourceCut :execrows
-- Says that the passages of a chunk are cut by a version of the rules, and holds its row; none if
-- they are already, or it has gone.
UPDATE kg_api.sources s SET is_cut = true, cutter = @cutter::int WHERE s.id = @id AND (NOT s.is_cut OR s.cutter < @cutter);
