-- name: GraphViewBegin :exec
-- Bounds every statement of the transaction on the server too, and plans each
-- for its own values and for a graph that is in memory: a plan for any list of
-- concepts would be wrong for long ones, compiling takes longer than the
-- statements, and joins by index beat reading whole tables. The transaction may be
-- idle for as long as others read beside it.
SELECT set_config('statement_timeout', @milliseconds::text, true), set_config('idle_in_transaction_session_timeout', @idle::text, true),
    set_config('plan_cache_mode', 'force_custom_plan', true), set_config('random_page_cost', '1.1', true), set_config('jit', 'off', true);

-- name: ShownBegin :exec
-- Bounds a transaction that reads what is shown of a page of concepts, and has its
-- statements planned once for any such page, by index: planning them takes longer
-- than to run them.
SELECT set_config('statement_timeout', @milliseconds::text, true), set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
    set_config('random_page_cost', '1.1', true), set_config('jit', 'off', true);

-- name: PageBegin :exec
-- Has the rest of a transaction that shows a page of the graph planned once for any such page,
-- by its keys; see ShownBegin. Tables that were empty when it was planned may be large by now.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true);

-- name: BandIndexOnly :exec
-- Leaves the planner no way but bitmap scans of indexes. It believes that every
-- fourth concept shares a band, in truth it is one in sixty, and so would compare
-- the arrays of all concepts: 380 ms instead of 2 ms with 50,000. For the same belief it
-- would start a second process, which takes longer than the whole search.
SELECT set_config('enable_seqscan', @scans::text, true), set_config('enable_indexscan', @scans, true),
    set_config('max_parallel_workers_per_gather', '0', true);

-- name: ConceptNumber :one
SELECT c.id FROM kg_api.concepts c WHERE c.concept_id = @concept_id;

-- name: ConceptSummaries :many
-- What lists show of concepts, with the counts that confidence is made of, and the
-- grounding: the mean of what the types of the incoming edges add, weighted by
-- confidence. Two index scans a concept; a hub is summed up by type before anything
-- else is read. An edge of a type that is not embedded yet does not count.
SELECT c.id, c.concept_id, c.label, c.description, c.search_terms,
    r.relationships, r.types, r.grounding, i.sources, i.instances
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
CROSS JOIN LATERAL (
    SELECT coalesce(sum(e.edges), 0)::int AS relationships, count(DISTINCT e.type)::int AS types,
        coalesce(sum(e.weight * m.projection) / nullif(sum(e.weight) FILTER (WHERE m.projection IS NOT NULL), 0), 0)::float8 AS grounding
    FROM (
        SELECT o.type, count(*) AS edges, 0::float8 AS weight FROM kg_api.edges o WHERE o.src = c.id GROUP BY o.type
        UNION ALL
        SELECT o.type, count(*), sum(o.confidence::float8) FROM kg_api.edges o WHERE o.dst = c.id GROUP BY o.type
    ) e
    LEFT JOIN kg_api.type_measures m ON m.type = e.type
) r
CROSS JOIN LATERAL (
    SELECT count(DISTINCT n.source)::int AS sources, count(*)::int AS instances
    FROM kg_api.instances n WHERE n.concept = c.id
) i;

-- name: ConceptNames :many
-- ConceptSummaries without what the relationships say.
SELECT c.id, c.concept_id, c.label, c.description, c.search_terms, i.sources, i.instances
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
CROSS JOIN LATERAL (
    SELECT count(DISTINCT n.source)::int AS sources, count(*)::int AS instances
    FROM kg_api.instances n WHERE n.concept = c.id
) i;

-- name: TypeProjections :many
-- What relationships of each type add to the grounding of their targets.
SELECT m.type, m.projection FROM kg_api.type_measures m;

-- name: ConceptOntologies :many
-- The names of the ontologies that show each concept, from what is counted of them: a concept
-- that every document shows is no dearer than one that a single document does.
SELECT h.concept::int AS concept, o.name
FROM (
    SELECT x.concept, x.ontology, x.times AS quotes
    FROM unnest(@ids::int[]) AS w (id) JOIN kg_api.ontology_holdings x ON x.concept = w.id AND x.other = 0
    UNION ALL
    SELECT c.concept, c.ontology, c.change FROM kg_api.ontology_changes c WHERE c.kind = 'quote' AND c.concept = ANY (@ids)
) h
JOIN kg_api.ontologies o ON o.id = h.ontology
GROUP BY h.concept, o.name HAVING sum(h.quotes) > 0
ORDER BY h.concept, o.name;

-- name: ConceptProvenance :many
-- The documents that show a concept, the first that did first.
SELECT d.document_id, d.filename, o.name AS ontology, d.source_type, d.source_path, d.source_hostname, u.username AS ingested_by,
    d.created_at, d.job_id, p.sources
FROM (
    SELECT s.document, count(DISTINCT s.id) AS sources
    FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source
    WHERE i.concept = @concept GROUP BY s.document
    ORDER BY s.document LIMIT @most
) p
JOIN kg_api.documents d ON d.id = p.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN kg_api.users u ON u.id = d.user_id
ORDER BY d.id;

-- name: SourceTexts :many
SELECT s.source_id, s.full_text FROM kg_api.sources s WHERE s.source_id = ANY (@source_ids::text[]);

-- name: ConceptEvidence :many
-- The quotes of each concept that were read first, in the order of ontologies, documents and
-- places in them. The key of the quotes has the order of their chunks: of a concept that every
-- chunk shows no more is read than what is shown.
SELECT w.id::int AS concept, q.quote, q.start_byte, q.end_byte, q.ontology, q.chunk_number, q.source_id, q.document_id,
    q.filename, q.content_type, q.source_type, q.source_path, q.source_hostname, p.page, p.section
FROM unnest(@ids::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT i.quote, i.start_byte, i.end_byte, o.name AS ontology, s.chunk_number, s.source_id, d.document_id,
        d.filename, d.content_type, d.source_type, d.source_path, d.source_hostname, d.id AS document, i.id, i.source
    FROM (
        SELECT n.id, n.source, n.quote, n.start_byte, n.end_byte FROM kg_api.instances n
        WHERE n.concept = w.id ORDER BY n.source, n.start_byte, n.id LIMIT @most::int
    ) i
    JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document
    JOIN kg_api.ontologies o ON o.id = d.ontology_id
) q
LEFT JOIN LATERAL (
    SELECT f.page, f.section FROM kg_api.source_places f
    WHERE f.source = q.source AND f.start_byte <= q.start_byte
    ORDER BY f.start_byte DESC LIMIT 1
) p ON true
ORDER BY w.id, q.ontology, q.document, q.chunk_number, q.start_byte, q.id;

-- name: NarrowedNames :many
-- What concepts are called in one ontology, which shows them, as label_at and description_at
-- say it, written out as in LabelsWithin. Of their other names
-- those are left out that only documents of others gave it. Each answer is that of the first
-- mention that has it, so that of a concept which all chunks mention few are read.
SELECT w.id::int AS concept, (CASE
    WHEN (SELECT true FROM kg_api.mentions m
        WHERE m.concept = c.id AND m.label = c.label
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = o.id
        ORDER BY m.id LIMIT 1) THEN c.label
    WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.label = c.label ORDER BY m.id LIMIT 1) THEN coalesce((
        SELECT m.label FROM kg_api.mentions m
        WHERE m.concept = c.id
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = o.id
        ORDER BY m.id LIMIT 1), c.label)
    ELSE c.label END)::text AS label, (CASE
    WHEN c.description = '' THEN ''
    WHEN (SELECT true FROM kg_api.mentions m
        WHERE m.concept = c.id AND m.description = c.description
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = o.id
        ORDER BY m.id LIMIT 1) THEN c.description
    WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = c.id AND m.description = c.description ORDER BY m.id LIMIT 1) THEN coalesce((
        SELECT m.description FROM kg_api.mentions m
        WHERE m.concept = c.id AND m.description <> ''
            AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = o.id
        ORDER BY m.id LIMIT 1), '')
    ELSE c.description END)::text AS description,
    ARRAY(
        SELECT t.term FROM unnest(c.search_terms) WITH ORDINALITY AS t (term, place)
        WHERE (
            SELECT true FROM kg_api.mentions x
            WHERE x.concept = c.id AND (x.label = t.term OR t.term = ANY (x.search_terms))
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = x.source) = o.id
            ORDER BY x.id LIMIT 1
        ) OR (
            SELECT true FROM kg_api.mentions x WHERE x.concept = c.id AND (x.label = t.term OR t.term = ANY (x.search_terms)) ORDER BY x.id LIMIT 1
        ) IS NULL
        ORDER BY t.place
    )::text[] AS search_terms
FROM unnest(@ids::int[]) AS w (id)
JOIN kg_api.concepts c ON c.id = w.id
CROSS JOIN kg_api.ontologies o
WHERE o.name = @ontology::text;

-- name: NarrowedCounts :many
-- How many chunks and quotes of one ontology show each concept; nothing of those that none
-- does.
SELECT w.id::int AS concept, n.sources, n.instances
FROM unnest(@ids::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT count(DISTINCT i.source)::int AS sources, count(*)::int AS instances
    FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source
    JOIN kg_api.documents d ON d.id = s.document
    WHERE i.concept = w.id AND d.ontology_id = (SELECT o.id FROM kg_api.ontologies o WHERE o.name = @ontology::text)
) n
WHERE n.instances > 0;

-- name: NarrowedEvidence :many
-- ConceptEvidence of one ontology. It is a statement of its own, since an optional condition
-- would not be planned as a join. The key of the quotes says which chunks come first, and ends
-- with as many as are shown: OFFSET 0 leaves no other way.
SELECT w.id::int AS concept, n.quote, n.start_byte, n.end_byte, o.name AS ontology, s.chunk_number, s.source_id, d.document_id,
    d.filename, d.content_type, d.source_type, d.source_path, d.source_hostname, p.page, p.section
FROM unnest(@ids::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT i.id, i.source, i.quote, i.start_byte, i.end_byte
    FROM (SELECT DISTINCT g.source FROM (
        SELECT h.source FROM (SELECT f.source FROM kg_api.instances f WHERE f.concept = w.id ORDER BY f.source, f.quote_md5 OFFSET 0) h
        WHERE (SELECT x.ontology_id FROM kg_api.sources y JOIN kg_api.documents x ON x.id = y.document WHERE y.id = h.source)
            = (SELECT z.id FROM kg_api.ontologies z WHERE z.name = @ontology::text)
        ORDER BY h.source LIMIT @most::int) g) q
    JOIN kg_api.instances i ON i.concept = w.id AND i.source = q.source
    ORDER BY i.source, i.start_byte, i.id
    LIMIT @most
) n
JOIN kg_api.sources s ON s.id = n.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
LEFT JOIN LATERAL (
    SELECT f.page, f.section FROM kg_api.source_places f
    WHERE f.source = n.source AND f.start_byte <= n.start_byte
    ORDER BY f.start_byte DESC LIMIT 1
) p ON true
ORDER BY w.id, d.id, s.chunk_number, n.start_byte, n.id;

-- name: ConceptRelationships :many
-- Outgoing relationships: the key of the table makes them one for each type and
-- target.
SELECT e.dst, c.concept_id, c.label, t.name, t.category, e.confidence, e.created_at, m.avg_grounding, m.status
FROM kg_api.edges e
JOIN kg_api.concepts c ON c.id = e.dst
JOIN kg_api.relationship_types t ON t.id = e.type
LEFT JOIN kg_api.type_measures m ON m.type = e.type
WHERE e.src = @id
ORDER BY (t.name = @weakest::text), e.confidence DESC, t.name, c.label, c.concept_id
LIMIT @most;

-- name: EdgesAround :many
-- The relationships of a level of a walk, in both directions, from two index
-- scans a concept. The strongest come first, so that the limit drops the ones
-- that say least.
SELECT w.id::int AS near, n.far, t.name, n.confidence, n.forward
FROM unnest(@concepts::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT e.dst AS far, e.type, e.confidence, true AS forward FROM kg_api.edges e WHERE e.src = w.id
    UNION ALL
    SELECT e.src, e.type, e.confidence, false FROM kg_api.edges e WHERE e.dst = w.id
) n
JOIN kg_api.relationship_types t ON t.id = n.type
WHERE (cardinality(@types::text[]) = 0 OR t.name = ANY (@types)) AND (t.name <> @weakest::text OR n.confidence >= @least::real)
    AND n.confidence >= @floor::real AND (t.name = @weakest OR CASE WHEN n.forward THEN @outward::bool ELSE @inward::bool END)
ORDER BY (t.name = @weakest), n.confidence DESC, w.id, n.far, n.type, n.forward
LIMIT @most;

-- name: TermHits :many
-- Concepts that bear one of the terms by name.
SELECT c.id, c.concept_id, c.label, c.term_keys
FROM kg_api.concepts c
WHERE c.term_keys && @keys::text[]
    AND (sqlc.narg(ontology)::text IS NULL OR EXISTS (
        SELECT FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id AND o.name = sqlc.narg(ontology)))
ORDER BY c.id
LIMIT @most;

-- name: NearestConcepts :many
-- The concepts whose signatures differ least, from one scan over all of them:
-- the signatures are small, and the embeddings are not read.
SELECT e.concept, e.signature
FROM kg_api.concept_embeddings e
WHERE e.model = @model
ORDER BY bit_count(e.signature # @signature), e.concept
LIMIT @most;

-- name: NearestConceptsIn :many
-- NearestConcepts among those that an ontology shows. It is a statement of its
-- own because an optional condition would not be planned as a join.
SELECT e.concept, e.signature
FROM kg_api.concept_embeddings e
WHERE e.model = @model
    AND EXISTS (
        SELECT FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = e.concept AND o.name = @ontology)
ORDER BY bit_count(e.signature # @signature), e.concept
LIMIT @most;

-- name: ConceptsSharingBand :batchmany
-- Close concepts only, from the index on the bands and not from a scan: for
-- questions that are asked in several parts. See BandIndexOnly. The index leaves out the
-- built-in embeddings.
SELECT e.concept
FROM kg_api.concept_embeddings e
WHERE e.bands && @bands::int[] AND e.model = @model AND e.model <> 'local-ngram-768'
    AND (sqlc.narg(ontology)::text IS NULL OR EXISTS (
        SELECT FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = e.concept AND o.name = sqlc.narg(ontology)))
ORDER BY bit_count(e.signature # @signature), e.concept
LIMIT @most;

-- name: ConceptEmbeddings :many
SELECT c.id, c.concept_id, e.vector
FROM kg_api.concept_embeddings e JOIN kg_api.concepts c ON c.id = e.concept
WHERE e.concept = ANY (@ids::int[]) AND e.model = @model;

-- name: OntologyList :many
-- Every ontology with what it holds, by name.
SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch, u.username AS created_by,
    t.sources::int AS sources, t.documents::int AS files, t.concepts::int AS concepts
FROM kg_api.ontologies o
JOIN kg_api.ontology_totals t ON t.ontology = o.id
LEFT JOIN kg_api.users u ON u.id = o.created_by
ORDER BY o.name;

-- name: GraphTally :one
-- How many concepts there are.
SELECT count(*) FROM kg_api.concepts;

-- name: GraphTallyOntologies :many
-- How many documents, chunks, quotes and relationships each ontology has, as they are kept.
SELECT t.ontology, t.documents, t.sources, t.quotes, t.relationships FROM kg_api.ontology_totals t;

-- name: GraphTallyEdges :many
-- How many relationships there are of each type that are sure to the same degree.
SELECT e.type, e.confidence, count(*) AS edges FROM kg_api.edges e GROUP BY e.type, e.confidence;

-- name: TypeNumber :one
SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @name;

-- name: TypeIDs :many
SELECT t.id, t.name FROM kg_api.relationship_types t ORDER BY t.name;

-- name: GraphEpoch :one
SELECT g.epoch FROM kg_api.graph_epoch g;

-- name: ConceptNumbers :many
SELECT c.id, c.concept_id FROM kg_api.concepts c WHERE c.concept_id = ANY (@concept_ids::text[]);

-- name: ConceptDegrees :many
-- How many relationships each of the concepts has, for all of them in one query:
-- counted in the two indexes of the edges. Concepts without an embedding of the model
-- are left out; the vectors are not read.
SELECT e.concept,
    ((SELECT count(*) FROM kg_api.edges o WHERE o.src = e.concept)
    + (SELECT count(*) FROM kg_api.edges i WHERE i.dst = e.concept))::int AS degree
FROM kg_api.concept_embeddings e
WHERE e.concept = ANY (@ids::int[]) AND e.model = @model;
