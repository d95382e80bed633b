-- name: StorageTables :many
-- Every table with about how many rows it has and how many bytes it takes, from the catalogue
-- and the files alone: no row is read.
SELECT c.relname::text AS name, greatest(c.reltuples, coalesce(s.n_live_tup, 0), 0)::bigint AS about_rows,
    pg_table_size(c.oid)::bigint AS table_bytes, pg_indexes_size(c.oid)::bigint AS index_bytes
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_stat_user_tables s ON s.relid = c.oid
WHERE n.nspname = 'kg_api' AND c.relkind = 'r'
ORDER BY c.relname;

-- name: StorageDatabase :one
SELECT current_database()::text AS name, pg_database_size(current_database())::bigint AS bytes;

-- name: StorageReadable :one
-- What the database is called, when what is stored in it can be read: the bytes of one content.
SELECT current_database()::text AS name, coalesce((SELECT octet_length(substring(c.body FROM 1 FOR 1)) FROM kg_api.contents c LIMIT 1), 0)::int AS bytes;

-- name: ContentsAbout :one
-- About how many documents are stored, as StorageTables says it of one table.
SELECT greatest(c.reltuples, coalesce(s.n_live_tup, 0), 0)::bigint AS about_rows
FROM pg_catalog.pg_class c
LEFT JOIN pg_catalog.pg_stat_user_tables s ON s.relid = c.oid
WHERE c.oid = 'kg_api.contents'::regclass;

-- name: ContentObjects :many
-- A page of the stored documents by their hash. How long one is stands beside it: nothing of
-- it is read.
SELECT c.content_hash, octet_length(c.body)::bigint AS bytes, c.created_at FROM kg_api.contents c
WHERE c.content_hash >= @from_hash::text
ORDER BY c.content_hash LIMIT @most::int OFFSET @skip::int;

-- name: ContentObject :one
SELECT c.content_hash, octet_length(c.body)::bigint AS bytes, c.created_at,
    coalesce((SELECT d.content_type FROM kg_api.documents d WHERE d.document_id = c.content_hash ORDER BY d.id LIMIT 1), '')::text AS content_type,
    coalesce((SELECT d.filename FROM kg_api.documents d WHERE d.document_id = c.content_hash ORDER BY d.id LIMIT 1), '')::text AS filename,
    (SELECT count(*) FROM kg_api.documents d WHERE d.document_id = c.content_hash) AS documents,
    (SELECT count(*) FROM kg_api.jobs j WHERE j.content_hash = c.content_hash) AS jobs
FROM kg_api.contents c WHERE c.content_hash = @content_hash;

-- name: ContentReferences :one
-- How many documents there are, of an ontology or of all for '', and how many stored contents.
SELECT (SELECT count(DISTINCT d.document_id) FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE @ontology::text = '' OR o.name = @ontology) AS documents,
    (SELECT count(*) FROM kg_api.contents) AS contents, clock_timestamp()::timestamptz AS at;

-- name: ContentsMissing :many
-- Documents whose content is not stored. A foreign key keeps it so that there are none.
SELECT DISTINCT d.document_id FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE (@ontology::text = '' OR o.name = @ontology) AND NOT EXISTS (SELECT FROM kg_api.contents c WHERE c.content_hash = d.document_id)
ORDER BY d.document_id LIMIT @most;

-- name: ContentsOrphaned :many
-- Contents that no document, no version and no job refers to: the next cleanup removes them.
SELECT c.content_hash FROM kg_api.contents c
WHERE NOT EXISTS (SELECT FROM kg_api.documents d WHERE d.document_id = c.content_hash)
    AND NOT EXISTS (SELECT FROM kg_api.document_versions v WHERE v.document_id = c.content_hash)
    AND NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.content_hash = c.content_hash)
ORDER BY c.content_hash LIMIT @most;

-- name: CleanupPreview :one
-- What a cleanup would remove now. Each count ends at a limit.
SELECT
    (SELECT count(*) FROM (SELECT FROM kg_api.jobs j WHERE j.status IN ('completed', 'cancelled') AND j.completed_at < statement_timestamp() - @keep_completed::interval LIMIT @most) x) AS completed_jobs,
    (SELECT count(*) FROM (SELECT FROM kg_api.jobs j WHERE j.status = 'failed' AND j.completed_at < statement_timestamp() - @keep_failed::interval LIMIT @most) x) AS failed_jobs,
    (SELECT count(*) FROM (SELECT FROM kg_api.contents c WHERE c.created_at < statement_timestamp() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.content_hash = c.content_hash)
        AND NOT EXISTS (SELECT FROM kg_api.documents d WHERE d.document_id = c.content_hash)
        AND NOT EXISTS (SELECT FROM kg_api.document_versions v WHERE v.document_id = c.content_hash) LIMIT @most) x) AS contents,
    (SELECT count(*) FROM (SELECT FROM kg_api.schedule_runs r WHERE r.at < statement_timestamp() - @keep_failed LIMIT @most) x) AS schedule_runs,
    (SELECT count(*) FROM (SELECT FROM kg_api.audit_log a WHERE a.at < statement_timestamp() - @keep_audit::interval LIMIT @most) x) AS audit_entries,
    (SELECT count(*) FROM (SELECT FROM kg_api.submissions s WHERE s.created_at < statement_timestamp() - @keep_keys::interval LIMIT @most) x) AS submissions,
    (SELECT count(*) FROM (SELECT FROM kg_api.artifacts a WHERE a.expires_at <= statement_timestamp() LIMIT @most) x) AS artifacts,
    (SELECT count(*) FROM (SELECT FROM kg_api.artifact_files f WHERE f.artifact_id IS NULL AND f.created_at < statement_timestamp() - interval '1 day' LIMIT @most) x) AS files,
    (SELECT count(*) FROM (SELECT FROM kg_api.dataclips c WHERE c.jobs = 0 AND (c.used OR c.created_at < statement_timestamp() - @keep_clips::interval) LIMIT @most) x) AS dataclips;
