-- name: FindDocuments :many
-- What a search shows of documents. Each is read by its number: planned once for any list, the
-- statement would else begin at the ontologies. The first ones have the path of
-- headings that the passages of their first chunk stand under; the first of it is their title.
SELECT d.id, d.ontology_id, d.ontology, d.document_id, d.filename, d.source_path, d.content_type, coalesce(t.section, '')::text AS title
FROM unnest(@documents::int[]) WITH ORDINALITY AS w (id, place)
CROSS JOIN LATERAL (
    SELECT x.id, x.ontology_id, (SELECT o.name FROM kg_api.ontologies o WHERE o.id = x.ontology_id)::text AS ontology,
        x.document_id, x.filename, coalesce(x.source_path, '')::text AS source_path, x.content_type
    FROM kg_api.documents x WHERE x.id = w.id OFFSET 0
) d
LEFT JOIN LATERAL (
    SELECT p.section
    FROM (SELECT f.id FROM kg_api.sources f WHERE f.document = d.id ORDER BY f.document DESC, f.chunk_number, f.id LIMIT 1) s
    CROSS JOIN LATERAL (SELECT x.section FROM kg_api.passages x WHERE x.source = s.id AND x.section <> '' ORDER BY x.number LIMIT 1) p
    WHERE w.place <= @titled::int
) t ON true
ORDER BY w.place;

-- name: AskRun :many
-- The passages of a class around one, in the same document and under the same headings, by their
-- numbers: with it, they may be one list or table.
SELECT r.id
FROM (SELECT x.source, x.number, x.class, x.section FROM kg_api.passages x WHERE x.id = @passage OFFSET 0) p
CROSS JOIN LATERAL (SELECT x.document, x.chunk_number FROM kg_api.sources x WHERE x.id = p.source OFFSET 0) s
CROSS JOIN LATERAL (
    SELECT x.id FROM kg_api.sources x
    WHERE x.document = s.document AND x.chunk_number BETWEEN s.chunk_number - @chunks::int AND s.chunk_number + @chunks::int OFFSET 0
) c
CROSS JOIN LATERAL (
    SELECT x.id, x.number FROM kg_api.passages x WHERE x.source = c.id AND x.class = p.class AND x.section = p.section OFFSET 0
) r
ORDER BY r.number;
