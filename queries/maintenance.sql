-- name: ScheduleSeeds :many
SELECT s.name FROM kg_api.schedule_seeds s;

-- name: ScheduleSeedAdd :exec
INSERT INTO kg_api.schedule_seeds (name) VALUES (@name) ON CONFLICT DO NOTHING;

-- name: MaintenanceFigures :one
-- What the conditions of schedules ask: how much there is to be done.
SELECT (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL)::int AS types,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL AND NOT t.is_builtin)::int AS custom_types,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL AND t.category = 'llm_generated')::int AS unsorted_types,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL
        AND NOT EXISTS (SELECT FROM kg_api.type_embeddings e WHERE e.type = t.id AND e.model = @model))::int AS unembedded_types,
    (SELECT count(*) FROM kg_api.relationship_types t
        WHERE t.created_at > coalesce((SELECT v.measured_at FROM kg_api.vocabulary_measurement v), '-infinity'))::int AS unmeasured_types,
    (SELECT count(*) FROM (SELECT FROM kg_api.concepts c LIMIT 1000) c)::int AS concepts,
    (SELECT count(*) FROM (SELECT FROM kg_api.concepts c
        WHERE c.created_at > (SELECT min(p.computed_at) FROM kg_api.projections p WHERE p.looked_at > now() - interval '7 days')
        LIMIT 1000) c)::int AS unprojected_concepts,
    (SELECT count(*) FROM (SELECT FROM kg_api.sources s WHERE s.full_text <> ''
        AND NOT EXISTS (SELECT FROM kg_api.source_embeddings e WHERE e.source = s.id AND e.model = @model) LIMIT 1000) s)::int AS unembedded_sources,
    (SELECT count(*) FROM kg_api.ontologies o)::int AS ontologies,
    (SELECT least(1000, g.epoch - a.epoch) FROM kg_api.graph_epoch g, kg_api.annealing_state a)::int AS unannealed_epochs,
    (SELECT count(*) FROM (SELECT FROM kg_api.jobs j
        WHERE j.job_type IN ('ingestion', 'ingest_image') AND j.status IN ('approved', 'processing') LIMIT 1000) j)::int AS reading_jobs;

-- name: SourcesToEmbed :many
-- The next chunks whose embedding by a model is missing or of another text.
SELECT s.id, s.source_id, s.full_text
FROM kg_api.sources s
WHERE s.id > @after AND (@source_id::text = '' OR s.source_id = @source_id) AND s.full_text <> ''
    AND (@force::bool OR NOT EXISTS (
        SELECT FROM kg_api.source_embeddings e WHERE e.source = s.id AND e.model = @model AND e.text_md5 = md5(s.full_text)::uuid))
ORDER BY s.id
LIMIT @most;

-- name: SourcesToEmbedCount :one
SELECT count(*)::int
FROM kg_api.sources s
WHERE s.id > @after AND (@source_id::text = '' OR s.source_id = @source_id) AND s.full_text <> ''
    AND (@force::bool OR NOT EXISTS (
        SELECT FROM kg_api.source_embeddings e WHERE e.source = s.id AND e.model = @model AND e.text_md5 = md5(s.full_text)::uuid));

-- name: SourceEmbeddingClear :exec
DELETE FROM kg_api.source_embeddings e WHERE e.source = ANY (@sources::int[]) AND e.model = @model;

-- name: SourceEmbeddingInsert :batchexec
-- A chunk that was deleted or replaced meanwhile gets none.
INSERT INTO kg_api.source_embeddings (source, model, piece, start_char, end_char, text_md5, vector)
SELECT s.id, @model, @piece, @start_char, @end_char, md5(s.full_text)::uuid, @vector::real[]
FROM kg_api.sources s WHERE s.id = @source AND md5(s.full_text) = md5(@full_text::text)
FOR KEY SHARE;

-- name: ArtifactFigures :one
SELECT count(*)::int AS total, count(f.id)::int AS with_file, (count(*) - count(f.id))::int AS inline,
    count(*) FILTER (WHERE a.expires_at <= statement_timestamp())::int AS expired
FROM kg_api.artifacts a LEFT JOIN kg_api.artifact_files f ON f.artifact_id = a.id;

-- name: ArtifactsExpired :many
SELECT a.id, EXISTS (SELECT FROM kg_api.artifact_files f WHERE f.artifact_id = a.id) AS has_file
FROM kg_api.artifacts a WHERE a.expires_at <= statement_timestamp() ORDER BY a.id;

-- name: ArtifactFilesOrphaned :many
-- Files whose writer has gone a day ago.
SELECT f.id FROM kg_api.artifact_files f
WHERE f.artifact_id IS NULL AND f.created_at < statement_timestamp() - interval '1 day' ORDER BY f.id;

-- name: ArtifactDeleteExpired :execrows
DELETE FROM kg_api.artifacts a WHERE a.id = @id AND a.expires_at <= statement_timestamp();

-- name: ArtifactFileDeleteOrphan :execrows
DELETE FROM kg_api.artifact_files f WHERE f.id = @id AND f.artifact_id IS NULL;
