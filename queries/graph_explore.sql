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

-- name: EdgeList :many
-- A page of relationships in the order of the primary key. What a list shows besides
-- is read for the page alone, and by its number whatever the statistics say: a subquery in
-- the place of a value leaves no other way.
WITH page AS (
    SELECT e.src, e.dst, e.type, e.confidence, e.created_at
    FROM kg_api.edges e
    WHERE (@source::int = 0 OR e.src = @source) AND (@target::int = 0 OR e.dst = @target)
        AND (@type::text = '' OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @type))
        AND e.confidence >= @min_confidence::real
        AND (e.src, e.dst, e.type) > (@after_src::int, @after_dst::int, @after_type::int)
    ORDER BY e.src, e.dst, e.type
    LIMIT @most OFFSET @skip
)
SELECT p.src, p.dst, p.type, a.concept_id AS from_id, a.label AS from_label, b.concept_id AS to_id, b.label AS to_label,
    t.name, t.category, p.confidence, p.created_at, v.sources, v.documents
FROM page p
CROSS JOIN LATERAL (SELECT x.concept_id, x.label FROM kg_api.concepts x WHERE x.id = p.src OFFSET 0) a
CROSS JOIN LATERAL (SELECT y.concept_id, y.label FROM kg_api.concepts y WHERE y.id = p.dst OFFSET 0) b
JOIN kg_api.relationship_types t ON t.id = p.type
CROSS JOIN LATERAL (
    SELECT count(DISTINCT z.source)::int AS sources, count(DISTINCT (SELECT s.document FROM kg_api.sources s WHERE s.id = z.source))::int AS documents
    FROM kg_api.edge_evidence z
    WHERE z.src = p.src AND z.dst = p.dst AND z.type = p.type
) v
ORDER BY p.src, p.dst, p.type;

-- name: EdgeCount :one
-- How many relationships EdgeList lists in all.
SELECT count(*)
FROM kg_api.edges e
WHERE (@source::int = 0 OR e.src = @source) AND (@target::int = 0 OR e.dst = @target)
    AND (@type::text = '' OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @type))
    AND e.confidence >= @min_confidence::real;

-- name: EdgeListIn :many
-- EdgeList for what was read in one ontology, as sure as its documents are. It is a statement of its own because an
-- optional condition would not be planned as a join.
WITH page AS (
    SELECT e.src, e.dst, e.type, e.confidence, e.created_at
    FROM (
        SELECT v.src, v.dst, v.type, max(v.confidence)::real AS confidence, min(coalesce(v.created_at, s.created_at)) AS created_at
        FROM kg_api.ontologies o
        JOIN kg_api.documents d ON d.ontology_id = o.id
        JOIN kg_api.sources s ON s.document = d.id
        JOIN kg_api.edge_evidence v ON v.source = s.id
        WHERE o.name = @ontology
        GROUP BY v.src, v.dst, v.type
    ) e
    WHERE (@source::int = 0 OR e.src = @source) AND (@target::int = 0 OR e.dst = @target)
        AND (@type::text = '' OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @type))
        AND e.confidence >= @min_confidence::real
        AND (e.src, e.dst, e.type) > (@after_src::int, @after_dst::int, @after_type::int)
    ORDER BY e.src, e.dst, e.type
    LIMIT @most OFFSET @skip
)
SELECT p.src, p.dst, p.type, a.concept_id AS from_id, kg_api.label_in(a.id, a.label, @ontology)::text AS from_label,
    b.concept_id AS to_id, kg_api.label_in(b.id, b.label, @ontology)::text AS to_label,
    t.name, t.category, p.confidence, p.created_at::timestamptz AS created_at, v.sources, v.documents
FROM page p
JOIN kg_api.concepts a ON a.id = p.src
JOIN kg_api.concepts b ON b.id = p.dst
JOIN kg_api.relationship_types t ON t.id = p.type
CROSS JOIN LATERAL (
    SELECT count(*)::int AS sources, count(DISTINCT s.document)::int AS documents
    FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE v.src = p.src AND v.dst = p.dst AND v.type = p.type AND o.name = @ontology
) v
ORDER BY p.src, p.dst, p.type;

-- name: EdgeCountIn :one
-- How many relationships EdgeListIn lists in all.
SELECT count(*)
FROM (
    SELECT v.src, v.dst, v.type, max(v.confidence)::real AS confidence
    FROM kg_api.ontologies o
    JOIN kg_api.documents d ON d.ontology_id = o.id
    JOIN kg_api.sources s ON s.document = d.id
    JOIN kg_api.edge_evidence v ON v.source = s.id
    WHERE o.name = @ontology
    GROUP BY v.src, v.dst, v.type
) e
WHERE (@source::int = 0 OR e.src = @source) AND (@target::int = 0 OR e.dst = @target)
    AND (@type::text = '' OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @type))
    AND e.confidence >= @min_confidence::real;
