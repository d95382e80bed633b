-- name: AskPlanOnce :exec
-- Has the statements of a question planned once for any question, by index: to plan them takes
-- longer than to run them.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);

-- name: PassagesTouched :one
-- Which chunks have other passages than at a snapshot, as of this moment. kept is as in
-- GraphChanges. whole says that tables were changed in a way that no list describes, or that
-- more has changed than the limit. ontologies is another number when their names have changed.
WITH changed AS MATERIALIZED (
    SELECT g.op, g.src FROM kg_api.graph_log g
    WHERE (g.txid >= pg_snapshot_xmax(CAST(@since::text AS pg_snapshot))
            OR g.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since::text AS pg_snapshot)))))
        AND g.op IN ('touch source', 'reload')
    LIMIT @most::int
)
SELECT pg_current_snapshot()::text AS snapshot, e.epoch,
    (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table,
    (f.floor <= pg_snapshot_xmin(CAST(@since::text AS pg_snapshot)))::bool AS kept,
    (SELECT count(*) >= @most OR coalesce(bool_or(c.op = 'reload'), false) FROM changed c)::bool AS whole,
    ARRAY(SELECT DISTINCT c.src FROM changed c WHERE c.op = 'touch source')::int[] AS sources,
    (SELECT coalesce(bit_xor(hashtextextended(o.name, o.id)), 0) FROM kg_api.ontologies o)::bigint AS ontologies
FROM kg_api.graph_epoch e
CROSS JOIN kg_api.graph_log_floor f;

-- name: PassagesUntouched :one
-- Whether no passage has changed since a snapshot, as of this moment, and, where names are asked
-- for, no name of an ontology: what PassagesTouched says at length. An answer that was found
-- before is read in the same round trip. log_table and database are as there.
SELECT e.epoch, (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())::text AS database, f.tableoid::text AS log_table,
    (f.floor <= pg_snapshot_xmin(CAST(@since::text AS pg_snapshot))
        AND NOT EXISTS (SELECT FROM kg_api.graph_log g WHERE g.txid >= pg_snapshot_xmax(CAST(@since AS pg_snapshot)) AND g.op IN ('touch source', 'reload'))
        AND NOT EXISTS (SELECT FROM kg_api.graph_log g WHERE g.txid = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(@since AS pg_snapshot)))) AND g.op IN ('touch source', 'reload'))
        AND (NOT @names::bool OR @ontologies::bigint = (SELECT coalesce(bit_xor(hashtextextended(o.name, o.id)), 0) FROM kg_api.ontologies o)))::bool AS untouched
FROM kg_api.graph_epoch e
CROSS JOIN kg_api.graph_log_floor f;

-- name: AskPassages :many
-- What answers show of passages. Each is read by its numbers: planned once for any list, the
-- statement would else begin at the documents and read all that stands in them.
SELECT p.id, p.source, p.number, p.start_byte, p.end_byte, p.start_char, p.end_char, coalesce(p.page, 0)::int AS page, p.section, p.class, p.language,
    p.columns, p.defines, p.body, s.source_id, s.chunk_number, s.document,
    d.ontology_id, d.ontology, d.document_id, d.filename, d.source_path, d.content_type, d.created_at
FROM unnest(@passages::int[]) WITH ORDINALITY AS w (id, place)
CROSS JOIN LATERAL (SELECT x.* FROM kg_api.passages x WHERE x.id = w.id OFFSET 0) p
CROSS JOIN LATERAL (SELECT x.source_id, x.chunk_number, x.document FROM kg_api.sources x WHERE x.id = p.source OFFSET 0) s
CROSS JOIN LATERAL (
    SELECT x.ontology_id, (SELECT o.name FROM kg_api.ontologies o WHERE o.id = x.ontology_id)::text AS ontology,
        x.document_id, x.filename, coalesce(x.source_path, '')::text AS source_path, x.content_type, x.created_at
    FROM kg_api.documents x WHERE x.id = s.document OFFSET 0
) d
ORDER BY w.place;

-- name: AskConcepts :many
-- The concepts that a question names, by the keys of its phrases, and those that passages of
-- an answer show, the first passage first; with restricted, only those that a document of
-- given ontologies shows, and called as there: as in the ontology of the first passage that
-- shows it. Its own name and description are those wherever a chunk there has them, which is
-- found at the first that does, and wherever there is no other ontology, which could have given
-- them: then no chunk is asked. The keys are of those that are named. Passages are read in
-- their order, and no further ones when four times as many concepts are found as are wanted:
-- a search has a hundred passages, of which the first few show enough.
WITH answer AS MATERIALIZED (
    SELECT w.place, p.source, p.start_byte, p.end_byte, d.ontology_id AS ontology
    FROM unnest(@passages::int[]) WITH ORDINALITY AS w (id, place)
    CROSS JOIN LATERAL (SELECT x.source, x.start_byte, x.end_byte FROM kg_api.passages x WHERE x.id = w.id OFFSET 0) p
    CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = p.source OFFSET 0) s
    CROSS JOIN LATERAL (SELECT x.ontology_id FROM kg_api.documents x WHERE x.id = s.document OFFSET 0) d
    WHERE NOT @restricted::bool OR d.ontology_id = ANY (@ontologies::int[])
), wanted AS MATERIALIZED (
    SELECT u.id, (min(u.first) >> 32)::int AS place, (min(u.first) & 2147483647)::int AS ontology -- of the first passage; 0 for those that are named
    FROM (
        (SELECT c.id, 0::bigint AS first FROM kg_api.concepts c WHERE c.term_keys && @keys::text[] LIMIT 40)
        UNION ALL
        (SELECT i.concept, (a.place << 32) | a.ontology FROM answer a
        CROSS JOIN LATERAL (SELECT DISTINCT x.concept FROM kg_api.instances x WHERE x.source = a.source AND x.start_byte < a.end_byte AND x.end_byte > a.start_byte) i
        LIMIT 4 * @most::int)
    ) u
    GROUP BY u.id ORDER BY 2, u.id LIMIT @most
)
SELECT c.id, c.concept_id, (CASE WHEN w.place = 0 THEN c.term_keys ELSE '{}' END)::text[] AS term_keys, w.place,
    (CASE WHEN NOT @restricted::bool OR (SELECT count(*) < 2 FROM (SELECT FROM kg_api.ontologies LIMIT 2) x) OR EXISTS (
            SELECT FROM (SELECT m.source FROM kg_api.mentions m WHERE m.concept = c.id AND m.label = c.label OFFSET 0) m
            CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = m.source OFFSET 0) x
            CROSS JOIN LATERAL (SELECT y.ontology_id FROM kg_api.documents y WHERE y.id = x.document OFFSET 0) y
            WHERE y.ontology_id = coalesce(nullif(w.ontology, 0), o.id))
        THEN c.label ELSE kg_api.label_at(c.id, c.label, coalesce(nullif(w.ontology, 0), o.id)) END)::text AS label,
    (CASE WHEN NOT @restricted::bool OR c.description = '' OR (SELECT count(*) < 2 FROM (SELECT FROM kg_api.ontologies LIMIT 2) x) OR EXISTS (
            SELECT FROM (SELECT m.source FROM kg_api.mentions m WHERE m.concept = c.id AND m.description = c.description OFFSET 0) m
            CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = m.source OFFSET 0) x
            CROSS JOIN LATERAL (SELECT y.ontology_id FROM kg_api.documents y WHERE y.id = x.document OFFSET 0) y
            WHERE y.ontology_id = coalesce(nullif(w.ontology, 0), o.id))
        THEN c.description ELSE kg_api.description_at(c.id, c.description, coalesce(nullif(w.ontology, 0), o.id)) END)::text AS description
FROM wanted w
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label, x.description, x.term_keys FROM kg_api.concepts x WHERE x.id = w.id OFFSET 0) c
LEFT JOIN LATERAL (
    SELECT d.ontology_id AS id
    FROM (SELECT x.source FROM kg_api.instances x WHERE @restricted::bool AND w.ontology = 0 AND x.concept = c.id OFFSET 0) i
    CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = i.source OFFSET 0) s
    CROSS JOIN LATERAL (SELECT x.ontology_id FROM kg_api.documents x WHERE x.id = s.document OFFSET 0) d
    WHERE d.ontology_id = ANY (@ontologies::int[])
    LIMIT 1
) o ON true
WHERE NOT @restricted::bool OR w.ontology > 0 OR o.id IS NOT NULL
ORDER BY w.place, c.id;

-- name: AskEdges :many
-- The relationships that passages of an answer state: those that say how before those that
-- only relate, and of the first passages first. With restricted, as sure as they are there,
-- and with the names that their ontology has for their ends: ontology is 0 where these are the
-- ends' own in any case, as in AskConcepts.
WITH stated AS MATERIALIZED (
    SELECT v.src, v.dst, v.type, min(w.place)::int AS place, max(v.confidence)::real AS confidence, min(p.source)::int AS source
    FROM unnest(@passages::int[]) WITH ORDINALITY AS w (id, place)
    CROSS JOIN LATERAL (SELECT x.source, x.start_byte, x.end_byte FROM kg_api.passages x WHERE x.id = w.id OFFSET 0) p
    CROSS JOIN LATERAL (SELECT x.src, x.dst, x.type, x.confidence, x.start_byte, x.end_byte FROM kg_api.edge_evidence x WHERE x.source = p.source OFFSET 0) v
    WHERE v.start_byte < p.end_byte AND v.end_byte > p.start_byte
    GROUP BY v.src, v.dst, v.type
)
SELECT s.src, s.dst, s.name AS type, s.place,
    (CASE WHEN @restricted::bool THEN s.confidence ELSE coalesce((SELECT e.confidence FROM kg_api.edges e WHERE e.src = s.src AND e.dst = s.dst AND e.type = s.type), s.confidence) END)::real AS confidence,
    a.concept_id AS from_id, b.concept_id AS to_id,
    (CASE WHEN s.ontology = 0 OR EXISTS (
            SELECT FROM (SELECT m.source FROM kg_api.mentions m WHERE m.concept = a.id AND m.label = a.label OFFSET 0) m
            CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = m.source OFFSET 0) x
            CROSS JOIN LATERAL (SELECT y.ontology_id FROM kg_api.documents y WHERE y.id = x.document OFFSET 0) y
            WHERE y.ontology_id = s.ontology)
        THEN a.label ELSE kg_api.label_at(a.id, a.label, s.ontology) END)::text AS from_label,
    (CASE WHEN s.ontology = 0 OR EXISTS (
            SELECT FROM (SELECT m.source FROM kg_api.mentions m WHERE m.concept = b.id AND m.label = b.label OFFSET 0) m
            CROSS JOIN LATERAL (SELECT x.document FROM kg_api.sources x WHERE x.id = m.source OFFSET 0) x
            CROSS JOIN LATERAL (SELECT y.ontology_id FROM kg_api.documents y WHERE y.id = x.document OFFSET 0) y
            WHERE y.ontology_id = s.ontology)
        THEN b.label ELSE kg_api.label_at(b.id, b.label, s.ontology) END)::text AS to_label
FROM (
    SELECT x.*, y.name, (y.name = @weakest::text) AS weak, (CASE WHEN NOT @restricted OR (SELECT count(*) < 2 FROM (SELECT FROM kg_api.ontologies LIMIT 2) x) THEN 0 ELSE (
            SELECT t.ontology_id FROM kg_api.documents t WHERE t.id = (SELECT z.document FROM kg_api.sources z WHERE z.id = x.source)) END)::int AS ontology
    FROM stated x JOIN kg_api.relationship_types y ON y.id = x.type
    ORDER BY (y.name = @weakest), x.place, x.confidence DESC, x.src, x.dst, x.type LIMIT @most::int
) s
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = s.src OFFSET 0) a
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = s.dst OFFSET 0) b
ORDER BY s.weak, s.place, s.confidence DESC, s.src, s.dst, s.type;

-- name: AskConceptsOwn :many
-- AskConcepts where concepts are called as they are, for there is no other ontology or it does not
-- matter: a question pays for each part of a statement that could be needed, also where it is not.
-- With restricted, some document shows them.
WITH wanted AS MATERIALIZED (
    SELECT u.id, min(u.place)::int AS place
    FROM (
        (SELECT c.id, 0::bigint AS place FROM kg_api.concepts c WHERE c.term_keys && @keys::text[] LIMIT 40)
        UNION ALL
        (SELECT i.concept, w.place
        FROM unnest(@passages::int[]) WITH ORDINALITY AS w (id, place)
        CROSS JOIN LATERAL (SELECT x.source, x.start_byte, x.end_byte FROM kg_api.passages x WHERE x.id = w.id OFFSET 0) p
        CROSS JOIN LATERAL (SELECT DISTINCT x.concept FROM kg_api.instances x WHERE x.source = p.source AND x.start_byte < p.end_byte AND x.end_byte > p.start_byte) i
        LIMIT 4 * @most::int)
    ) u
    GROUP BY u.id ORDER BY 2, u.id LIMIT @most
)
SELECT c.id, c.concept_id, (CASE WHEN w.place = 0 THEN c.term_keys ELSE '{}' END)::text[] AS term_keys, w.place, c.label, c.description
FROM wanted w
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label, x.description, x.term_keys FROM kg_api.concepts x WHERE x.id = w.id OFFSET 0) c
WHERE NOT @restricted::bool OR w.place > 0 OR EXISTS (SELECT FROM kg_api.instances x WHERE x.concept = c.id)
ORDER BY w.place, c.id;

-- name: AskEdgesOwn :many
-- AskEdges where the ends are called as they are, as in AskConceptsOwn.
WITH stated AS MATERIALIZED (
    SELECT v.src, v.dst, v.type, min(w.place)::int AS place, max(v.confidence)::real AS confidence
    FROM unnest(@passages::int[]) WITH ORDINALITY AS w (id, place)
    CROSS JOIN LATERAL (SELECT x.source, x.start_byte, x.end_byte FROM kg_api.passages x WHERE x.id = w.id OFFSET 0) p
    CROSS JOIN LATERAL (SELECT x.src, x.dst, x.type, x.confidence, x.start_byte, x.end_byte FROM kg_api.edge_evidence x WHERE x.source = p.source OFFSET 0) v
    WHERE v.start_byte < p.end_byte AND v.end_byte > p.start_byte
    GROUP BY v.src, v.dst, v.type
)
SELECT s.src, s.dst, s.name AS type, s.place,
    (CASE WHEN @restricted::bool THEN s.confidence ELSE coalesce((SELECT e.confidence FROM kg_api.edges e WHERE e.src = s.src AND e.dst = s.dst AND e.type = s.type), s.confidence) END)::real AS confidence,
    a.concept_id AS from_id, b.concept_id AS to_id, a.label AS from_label, b.label AS to_label
FROM (
    SELECT x.*, y.name, (y.name = @weakest::text) AS weak
    FROM stated x JOIN kg_api.relationship_types y ON y.id = x.type
    ORDER BY (y.name = @weakest), x.place, x.confidence DESC, x.src, x.dst, x.type LIMIT @most::int
) s
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = s.src OFFSET 0) a
CROSS JOIN LATERAL (SELECT x.id, x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = s.dst OFFSET 0) b
ORDER BY s.weak, s.place, s.confidence DESC, s.src, s.dst, s.type;

-- name: AskDocuments :many
-- The documents that a question may be answered from, by their ids, their content types
-- without parameters, and when they were ingested; an empty list, and no time, allow all.
SELECT d.id FROM kg_api.documents d
WHERE (cardinality(@document_ids::text[]) = 0 OR d.document_id = ANY (@document_ids))
    AND (cardinality(@content_types::text[]) = 0 OR split_part(d.content_type, ';', 1) = ANY (@content_types))
    AND (sqlc.narg('since')::timestamptz IS NULL OR d.created_at >= sqlc.narg('since'));
