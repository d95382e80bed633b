-- name: StrongestNeighbors :many
-- The neighbours of each concept with the strongest relationship to them, and how many
-- there are. Those among the given concepts are left out: they are shown already.
SELECT w.id::int AS near, n.far::int AS far, n.name::text AS name, n.confidence::real AS confidence,
    n.forward::bool AS forward, n.neighbors::int AS neighbors
FROM unnest(@concepts::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT b.far, b.name, b.confidence, b.forward, count(*) OVER () AS neighbors
    FROM (
        SELECT DISTINCT ON (a.far) a.far, t.name, a.confidence, a.forward
        FROM (
            SELECT e.dst AS far, e.type, e.confidence, true AS forward FROM kg_api.edges e WHERE e.src = w.id
            UNION ALL
            SELECT e.src, e.type, e.confidence, false FROM kg_api.edges e WHERE e.dst = w.id
        ) a
        JOIN kg_api.relationship_types t ON t.id = a.type
        WHERE NOT (a.far = ANY (@concepts::int[])) AND (cardinality(@types::text[]) = 0 OR t.name = ANY (@types))
            AND (t.name <> @weakest::text OR a.confidence >= @least::real)
            AND a.confidence >= @floor::real AND (t.name = @weakest OR CASE WHEN a.forward THEN @outward::bool ELSE @inward::bool END)
        ORDER BY a.far, (t.name = @weakest), a.confidence DESC, t.name, a.forward
    ) b
    ORDER BY (b.name = @weakest), b.confidence DESC, b.far
    LIMIT @most
) n
ORDER BY w.id, (n.name = @weakest), n.confidence DESC, n.far;

-- name: EdgesAmong :many
-- The relationships between any two of some concepts, the strongest first. The
-- addition keeps the second list out of the index search, which would otherwise be
-- made once for each pair of concepts.
SELECT e.src, e.dst, t.name, e.confidence
FROM kg_api.edges e
JOIN kg_api.relationship_types t ON t.id = e.type
WHERE e.src = ANY (@concepts::int[]) AND e.dst + 0 = ANY (@concepts)
    AND (cardinality(@types::text[]) = 0 OR t.name = ANY (@types))
    AND (t.name <> @weakest::text OR e.confidence >= @least::real)
    AND e.confidence >= @floor::real
ORDER BY (t.name = @weakest), e.confidence DESC, e.src, e.dst, t.name
LIMIT @most;

-- name: EdgeEvidence :many
-- The sentences that state each of some relationships, the surest first: of those that are
-- equally sure the ones that name both ends, and then the first that was read. It is the one
-- statement that shows them; what is shown of their chunks is EvidenceSources. An index is in
-- the order of the lists, so that nothing is sorted, and a hub with a thousand sentences costs
-- no more than one with three. An edge is the place of the relationship in the lists, from 1.
SELECT w.edge::int AS edge, e.source, e.quote, e.start_byte, e.end_byte, e.confidence, e.from_kind, e.from_start, e.from_end, e.to_kind, e.to_start, e.to_end,
    e.before_quote, e.before_start, e.created_at
FROM (SELECT unnest(@sources::int[]) AS src, unnest(@targets::int[]) AS dst, unnest(@types::text[]) AS type, generate_subscripts(@sources::int[], 1) AS edge) w
JOIN kg_api.relationship_types t ON t.name = w.type
CROSS JOIN LATERAL (
    SELECT v.source, v.quote, v.start_byte, v.end_byte, v.confidence, v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end,
        v.before_quote, v.before_start, v.created_at
    FROM kg_api.edge_evidence v
    WHERE v.src = w.src AND v.dst = w.dst AND v.type = t.id
        -- The one place that says whose sentences are shown.
        AND (@ontology::int = 0 OR EXISTS (SELECT FROM kg_api.sources x JOIN kg_api.documents y ON y.id = x.document WHERE x.id = v.source AND y.ontology_id = @ontology))
    ORDER BY v.quote = '', v.confidence DESC, (v.from_kind = 'name' AND v.to_kind = 'name') DESC, v.source
    LIMIT @most::int OFFSET @skip::int
) e
ORDER BY w.edge, e.quote = '', e.confidence DESC, (e.from_kind = 'name' AND e.to_kind = 'name') DESC, e.source;

-- name: EvidenceSources :many
-- What is shown of the chunks in which sentences stand, each once: with the places of its
-- document that begin in it, in their order. A page of 0 and an empty section are none.
SELECT s.id, s.created_at, s.source_id, s.chunk_number, s.job_id, s.reader,
    d.document_id, d.filename, d.content_type, d.source_type, d.source_path, d.source_hostname, u.username, o.name AS ontology,
    p.starts::int[] AS starts, p.pages::int[] AS pages, p.sections::text[] AS sections
FROM unnest(@sources::int[]) AS w (id)
JOIN kg_api.sources s ON s.id = w.id
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN kg_api.users u ON u.id = d.user_id
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(f.start_byte), '{}') AS starts, coalesce(array_agg(f.page), '{}') AS pages, coalesce(array_agg(f.section), '{}') AS sections
    FROM (
        SELECT x.start_byte, coalesce(x.page, 0) AS page, coalesce(x.section, '') AS section
        FROM kg_api.source_places x WHERE x.source = s.id ORDER BY x.start_byte
    ) f
) p;

-- name: EvidencePlanOnce :exec
-- Has EdgeEvidence and EvidenceSources planned once for any list, by index: planning them
-- takes longer than to run them for a page.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true);

-- name: EvidencePlanEnd :exec
-- Takes EvidencePlanOnce back: the other statements of a view are planned for their values.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'on', true);

-- name: EdgeShow :one
-- A relationship as EdgeList lists it.
SELECT e.src, e.dst, e.type, a.label AS from_label, b.label AS to_label, t.name, t.category, e.confidence, e.created_at,
    v.evidence, v.sources, v.documents
FROM kg_api.edges e
JOIN kg_api.concepts a ON a.id = e.src
JOIN kg_api.concepts b ON b.id = e.dst
JOIN kg_api.relationship_types t ON t.id = e.type
CROSS JOIN LATERAL (
    SELECT count(*)::int AS evidence, count(DISTINCT v.source)::int AS sources, count(DISTINCT s.document)::int AS documents
    FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source
    WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type
) v
WHERE e.src = @src AND e.dst = @dst AND t.name = @type_name;

-- name: EdgeKeys :many
-- A page of relationships in the order of the primary key.
SELECT e.src, e.dst, e.type FROM kg_api.edges e
WHERE e.confidence >= @min_confidence::real AND (e.src, e.dst, e.type) > (@after_src::int, @after_dst::int, @after_type::int)
ORDER BY e.src, e.dst, e.type
LIMIT @most OFFSET @skip;

-- name: EdgeKeysOf :many
-- EdgeKeys of one type, in the same order by the index of its relationships: the keys are
-- compared with the type before them so that no other index will do, and where nobody has
-- looked at the table yet, nobody knows how rare a type is.
SELECT e.src, e.dst, e.type FROM kg_api.edges e
WHERE e.confidence >= @min_confidence::real AND e.type = @type::int AND (e.type, e.src, e.dst) > (@type, @after_src::int, @after_dst::int)
ORDER BY e.type, e.src, e.dst
LIMIT @most OFFSET @skip;

-- name: EdgeKeysAround :many
-- EdgeKeys of those that begin at a concept, or failing that end at one, and how many there
-- are in all: a row with zeros when the page is empty. In an ontology, or 0 for all, they are
-- those that it shows, as sure as its documents are.
WITH ends AS (
    SELECT e.src, e.dst, e.type, e.confidence FROM kg_api.edges e WHERE @source::int <> 0 AND e.src = @source AND (@target::int = 0 OR e.dst = @target)
    UNION ALL
    SELECT e.src, e.dst, e.type, e.confidence FROM kg_api.edges e WHERE @source = 0 AND e.dst = @target
), sure AS (
    SELECT e.src, e.dst, e.type, CASE WHEN @ontology::int = 0 THEN e.confidence ELSE (
        SELECT max(v.confidence) FROM kg_api.edge_evidence v
        WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = v.source) = @ontology
    ) END AS confidence
    FROM ends e WHERE @type::int = 0 OR e.type = @type
), around AS MATERIALIZED (
    SELECT e.src, e.dst, e.type FROM sure e WHERE e.confidence >= @min_confidence::real
), page AS (
    SELECT e.src, e.dst, e.type FROM around e
    WHERE (e.src, e.dst, e.type) > (@after_src::int, @after_dst::int, @after_type::int)
    ORDER BY e.src, e.dst, e.type
    LIMIT @most OFFSET @skip
)
SELECT coalesce(p.src, 0)::int AS src, coalesce(p.dst, 0)::int AS dst, coalesce(p.type, 0)::int AS type, n.total
FROM (SELECT count(*) AS total FROM around) n LEFT JOIN page p ON true
ORDER BY p.src, p.dst, p.type;

-- name: EdgeKeysIn :many
-- EdgeKeys of what was read in one ontology, as sure as its documents are: of what is kept of
-- what it holds, in the order of that, and of what has changed since. A page of those that
-- are sure to some degree looks at each that comes before its end.
WITH changed AS MATERIALIZED (
    SELECT n.concept AS src, n.other AS dst, n.type, n.before, n.before + n.change AS after
    FROM kg_api.ontology_pending n WHERE n.kind = 'evidence' AND n.ontology = @ontology::int
), shown AS (
    (SELECT h.concept AS src, h.other AS dst, h.type FROM kg_api.ontology_holdings h
    WHERE h.ontology = @ontology AND h.other <> 0 AND (h.concept, h.other, h.type) > (@after_src::int, @after_dst::int, @after_type::int)
        AND (@type::int = 0 OR h.type = @type)
        AND (h.concept, h.other, h.type) NOT IN (SELECT c.src, c.dst, c.type FROM changed c WHERE c.after <= 0)
        AND (@min_confidence::real <= 0 OR (
            SELECT true FROM kg_api.edge_evidence v
            WHERE v.src = h.concept AND v.dst = h.other AND v.type = h.type AND v.confidence >= @min_confidence
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = v.source) = @ontology
            LIMIT 1))
    ORDER BY h.concept, h.other, h.type LIMIT @until)
    UNION ALL
    (SELECT c.src, c.dst, c.type FROM changed c
    WHERE c.before <= 0 AND c.after > 0 AND (c.src, c.dst, c.type) > (@after_src::int, @after_dst::int, @after_type::int)
        AND (@type::int = 0 OR c.type = @type::int)
        AND (@min_confidence::real <= 0 OR (
            SELECT true FROM kg_api.edge_evidence v
            WHERE v.src = c.src AND v.dst = c.dst AND v.type = c.type AND v.confidence >= @min_confidence
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = v.source) = @ontology
            LIMIT 1)))
)
SELECT e.src::int AS src, e.dst::int AS dst, e.type::int AS type FROM shown e
ORDER BY e.src, e.dst, e.type
LIMIT @most OFFSET @skip;

-- name: EdgesListed :many
-- What a list shows of relationships, in their order: as everywhere, or as an ontology has
-- read them, or 0; what that calls their ends is LabelsWithin. Each is read by its key,
-- whatever the statistics say: OFFSET 0 leaves no other way.
SELECT w.src::int AS src, w.dst::int AS dst, w.type::int AS type, a.concept_id AS from_id, a.label AS from_label, b.concept_id AS to_id, b.label AS to_label,
    t.name, t.category, (CASE WHEN @ontology::int = 0 THEN e.confidence ELSE v.confidence END)::real AS confidence,
    (CASE WHEN @ontology = 0 THEN e.created_at ELSE v.created_at END)::timestamptz AS created_at, v.sources, v.documents
FROM (SELECT unnest(@srcs::int[]) AS src, unnest(@dsts::int[]) AS dst, unnest(@types::int[]) AS type, generate_subscripts(@srcs::int[], 1) AS place) w
CROSS JOIN LATERAL (SELECT x.confidence, x.created_at FROM kg_api.edges x WHERE x.src = w.src AND x.dst = w.dst AND x.type = w.type OFFSET 0) e
CROSS JOIN LATERAL (SELECT x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = w.src OFFSET 0) a
CROSS JOIN LATERAL (SELECT y.concept_id, y.label FROM kg_api.concepts y WHERE y.id = w.dst OFFSET 0) b
JOIN kg_api.relationship_types t ON t.id = w.type
CROSS JOIN LATERAL (
    SELECT count(DISTINCT z.source)::int AS sources, count(DISTINCT s.document)::int AS documents, max(z.confidence) AS confidence, min(coalesce(z.created_at, s.created_at)) AS created_at
    FROM (SELECT y.source, y.confidence, y.created_at FROM kg_api.edge_evidence y WHERE y.src = w.src AND y.dst = w.dst AND y.type = w.type OFFSET 0) z
    CROSS JOIN LATERAL (SELECT x.document, x.created_at FROM kg_api.sources x WHERE x.id = z.source OFFSET 0) s
    WHERE @ontology = 0 OR (SELECT d.ontology_id FROM kg_api.documents d WHERE d.id = s.document) = @ontology
) v
ORDER BY w.place;

-- name: LabelsWithin :many
-- What concepts are called in one ontology, as label_at says it. That is written out here: a
-- function with questions to tables is called for each row, and not planned with the statement.
SELECT c.id, (CASE
    WHEN (SELECT true FROM kg_api.mentions m
        WHERE m.concept = c.id AND m.label = c.label
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = @ontology::int
        ORDER BY m.id LIMIT 1) THEN c.label
    WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.label = c.label ORDER BY m.id LIMIT 1) THEN coalesce((
        SELECT m.label FROM kg_api.mentions m
        WHERE m.concept = c.id
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = @ontology
        ORDER BY m.id LIMIT 1), c.label)
    ELSE c.label END)::text AS label
FROM kg_api.concepts c WHERE c.id = ANY (@ids::int[]);

-- name: EdgeTallyIn :many
-- How many relationships an ontology shows of each type that are sure to the same degree.
SELECT e.type, e.confidence, count(*) AS edges
FROM (
    SELECT v.src, v.dst, v.type, max(v.confidence)::real AS confidence
    FROM kg_api.documents d
    JOIN kg_api.sources s ON s.document = d.id
    JOIN kg_api.edge_evidence v ON v.source = s.id
    WHERE d.ontology_id = @ontology
    GROUP BY v.src, v.dst, v.type
) e
GROUP BY e.type, e.confidence;
