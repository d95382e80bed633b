-- name: ChangesOfEpoch :one
-- When an epoch of the graph began.
SELECT e.at FROM kg_api.epoch_log e WHERE e.epoch = @epoch;

-- name: ChangesOfJob :one
-- When a job had changed the graph, or else when it ended; 1970 when it has not.
SELECT coalesce((SELECT max(e.at) FROM kg_api.epoch_log e WHERE e.job_id = @job_id::text),
    (SELECT j.completed_at FROM kg_api.jobs j WHERE j.job_id = @job_id), 'epoch')::timestamptz AS at;

-- name: ChangesNow :one
SELECT e.epoch, clock_timestamp()::timestamptz AS at FROM kg_api.graph_epoch e;

-- name: ChangesTotals :one
-- How much was gained and lost since a moment, of an ontology or of all for ''. What was taken out
-- in all counts for '' alone.
WITH stood AS MATERIALIZED (
    SELECT v.concepts, v.relationships FROM kg_api.document_versions v JOIN kg_api.ontologies o ON o.id = v.ontology_id
    WHERE v.created_at <= @since::timestamptz AND v.retired_at > @since AND (@ontology::text = '' OR o.name = @ontology::text)
)
SELECT
    (SELECT count(*) FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE d.created_at > @since AND (@ontology::text = '' OR o.name = @ontology::text)) AS documents,
    (SELECT count(*) FROM kg_api.concepts c WHERE c.created_at > @since AND (@ontology::text = '' OR EXISTS (
        SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id AND o.name = @ontology::text))) AS concepts,
    (SELECT count(*) FROM kg_api.edges e WHERE e.created_at > @since AND (@ontology::text = '' OR EXISTS (
        SELECT FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE (v.src, v.dst, v.type) = (e.src, e.dst, e.type) AND o.name = @ontology::text))) AS relationships,
    (SELECT count(DISTINCT x.item ->> 'id') FROM stood v CROSS JOIN LATERAL jsonb_array_elements(v.concepts) AS x (item)
        WHERE NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.concept_id = x.item ->> 'id')) AS lost_concepts,
    (SELECT count(DISTINCT (x.item ->> 'from', x.item ->> 'type', x.item ->> 'to')) FROM stood v CROSS JOIN LATERAL jsonb_array_elements(v.relationships) AS x (item)
        WHERE NOT EXISTS (SELECT FROM kg_api.edges e JOIN kg_api.concepts f ON f.id = e.src JOIN kg_api.concepts g ON g.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type
            WHERE f.concept_id = x.item ->> 'from' AND g.concept_id = x.item ->> 'to' AND t.name = x.item ->> 'type')) AS lost_relationships,
    (SELECT coalesce(sum(l.concepts_removed), 0) FROM kg_api.epoch_log l WHERE l.at > @since AND @ontology::text = '')::bigint AS concepts_removed,
    (SELECT coalesce(sum(l.edges_removed), 0) FROM kg_api.epoch_log l WHERE l.at > @since AND @ontology::text = '')::bigint AS relationships_removed;

-- name: ChangesDocuments :many
-- Documents that came since a moment. Of one that is a version of another, before is that which
-- stood then; 0 is none.
SELECT d.document_id, d.filename, coalesce(d.source_path, '')::text AS source_path, o.name AS ontology, d.version, d.job_id, d.created_at,
    coalesce((SELECT v.version FROM kg_api.document_versions v WHERE v.ontology_id = d.ontology_id AND v.identity = d.identity
        AND v.created_at <= @since::timestamptz AND v.retired_at > @since ORDER BY v.version DESC LIMIT 1), 0)::int AS before
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.created_at > @since AND (@ontology::text = '' OR o.name = @ontology::text)
ORDER BY d.created_at, d.id LIMIT @most OFFSET @skip;

-- name: ChangesRemoved :many
-- Documents that were taken out since a moment and do not stand. What they were called went with
-- them.
SELECT e.object AS document_id, max(e.at)::timestamptz AS at FROM kg_api.epoch_log e
WHERE e.at > @since::timestamptz AND e.act = 'document.delete' AND NOT EXISTS (SELECT FROM kg_api.documents d WHERE d.document_id = e.object)
GROUP BY e.object ORDER BY 2, 1 LIMIT @most OFFSET @skip;

-- name: ChangesConcepts :many
SELECT c.concept_id, (CASE WHEN @ontology::text = '' THEN c.label ELSE kg_api.label_in(c.id, c.label, @ontology::text) END)::text AS label, c.created_at FROM kg_api.concepts c
WHERE c.created_at > @since::timestamptz AND (@ontology::text = '' OR EXISTS (
    SELECT FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE i.concept = c.id AND o.name = @ontology::text))
ORDER BY c.created_at, c.id LIMIT @most OFFSET @skip;

-- name: ChangesConceptsLost :many
-- Concepts that versions of documents showed which stood at a moment, and that are gone.
SELECT l.concept_id::text AS concept_id, l.label::text AS label, l.at::timestamptz AS at, l.document_id::text AS document_id, l.filename::text AS filename,
    coalesce((SELECT m.kept_id FROM kg_api.concept_merges m WHERE m.merged_id = l.concept_id AND m.undone_at IS NULL ORDER BY m.id DESC LIMIT 1), '')::text AS merged_into
FROM (
    SELECT x.item ->> 'id' AS concept_id, min(x.item ->> 'label') AS label, max(v.retired_at) AS at, min(v.document_id) AS document_id, min(v.filename) AS filename
    FROM kg_api.document_versions v JOIN kg_api.ontologies o ON o.id = v.ontology_id
    CROSS JOIN LATERAL jsonb_array_elements(v.concepts) AS x (item)
    WHERE v.created_at <= @since::timestamptz AND v.retired_at > @since AND (@ontology::text = '' OR o.name = @ontology::text)
        AND NOT EXISTS (SELECT FROM kg_api.concepts c WHERE c.concept_id = x.item ->> 'id')
    GROUP BY x.item ->> 'id'
) l
ORDER BY l.at, l.concept_id LIMIT @most OFFSET @skip;

-- name: ChangesRelationships :many
SELECT f.concept_id AS from_id, (CASE WHEN @ontology::text = '' THEN f.label ELSE kg_api.label_in(f.id, f.label, @ontology::text) END)::text AS from_label, t.name AS type,
    g.concept_id AS to_id, (CASE WHEN @ontology::text = '' THEN g.label ELSE kg_api.label_in(g.id, g.label, @ontology::text) END)::text AS to_label, e.confidence, e.created_at
FROM kg_api.edges e JOIN kg_api.concepts f ON f.id = e.src JOIN kg_api.concepts g ON g.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type
WHERE e.created_at > @since::timestamptz AND (@ontology::text = '' OR EXISTS (
    SELECT FROM kg_api.edge_evidence v JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
    WHERE (v.src, v.dst, v.type) = (e.src, e.dst, e.type) AND o.name = @ontology::text))
ORDER BY e.created_at, e.src, e.dst, e.type LIMIT @most OFFSET @skip;

-- name: ChangesRelationshipsLost :many
SELECT (x.item ->> 'from')::text AS from_id, min(x.item ->> 'from_label')::text AS from_label, (x.item ->> 'type')::text AS type, (x.item ->> 'to')::text AS to_id,
    min(x.item ->> 'to_label')::text AS to_label, max((x.item ->> 'confidence')::real)::real AS confidence, max(v.retired_at)::timestamptz AS at
FROM kg_api.document_versions v JOIN kg_api.ontologies o ON o.id = v.ontology_id
CROSS JOIN LATERAL jsonb_array_elements(v.relationships) AS x (item)
WHERE v.created_at <= @since::timestamptz AND v.retired_at > @since AND (@ontology::text = '' OR o.name = @ontology::text)
    AND NOT EXISTS (SELECT FROM kg_api.edges e JOIN kg_api.concepts f ON f.id = e.src JOIN kg_api.concepts g ON g.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type
        WHERE f.concept_id = x.item ->> 'from' AND g.concept_id = x.item ->> 'to' AND t.name = x.item ->> 'type')
GROUP BY x.item ->> 'from', x.item ->> 'type', x.item ->> 'to' ORDER BY 7, 1, 3, 4 LIMIT @most OFFSET @skip;
