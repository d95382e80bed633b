-- name: ContentInsert :exec
-- Stores a document, or locks and renews the one that is there, so that it is
-- not cleaned up before its job refers to it.
INSERT INTO kg_api.contents (content_hash, body) VALUES (@content_hash, @body)
ON CONFLICT (content_hash) DO UPDATE SET created_at = clock_timestamp();

-- name: ContentKnown :execrows
-- Locks and renews a document that is there.
UPDATE kg_api.contents c SET created_at = clock_timestamp() WHERE c.content_hash = @content_hash;

-- name: ContentPieceInsert :exec
INSERT INTO kg_api.content_pieces (content_hash, place, body) VALUES (@content_hash, @place, @body);

-- name: ContentFromPieces :exec
-- Stores a document whose pieces have been inserted.
INSERT INTO kg_api.contents (content_hash, body)
SELECT p.content_hash, string_agg(p.body, ''::bytea ORDER BY p.place) FROM kg_api.content_pieces p
WHERE p.content_hash = @content_hash GROUP BY p.content_hash
ON CONFLICT (content_hash) DO UPDATE SET created_at = clock_timestamp();

-- name: ContentPiecesDelete :exec
DELETE FROM kg_api.content_pieces p WHERE p.content_hash = @content_hash;

-- name: ContentBegin :one
-- How long a document is, and its first bytes.
SELECT octet_length(c.body)::int AS bytes, substring(c.body FROM 1 FOR @first::int)::bytea AS body
FROM kg_api.contents c WHERE c.content_hash = @content_hash;

-- name: ContentPiece :one
-- A part of a document; the first byte is number 1.
SELECT substring(c.body FROM @first_byte::int FOR @bytes::int)::bytea AS body FROM kg_api.contents c WHERE c.content_hash = @content_hash;

-- name: IngestionDocument :one
-- What the submission of a job said about the document, while the claim is current. No
-- row: stale.
SELECT j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname
FROM kg_api.jobs j
WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing';

-- name: IngestionExisting :one
-- The work that a submission of the same bytes to the same ontology would
-- repeat: a job that is under way, else one that completed within the window
-- and of whose document something still exists.
SELECT j.job_id, j.job_type, j.user_id, j.status, j.created_at, j.completed_at, j.result
FROM kg_api.jobs j
WHERE j.content_hash = @content_hash AND j.ontology = @ontology
    AND (j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
        OR (j.status = 'completed' AND j.completed_at > clock_timestamp() - @since::interval
            AND EXISTS (SELECT 1 FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id JOIN kg_api.sources s ON s.document = d.id
                WHERE d.document_id = j.content_hash AND o.name = j.ontology)))
ORDER BY (j.status = 'completed'), j.created_at DESC
LIMIT 1;

-- name: DocumentExisting :one
-- The document row answers when its job has been purged, if its last chunk is there:
-- chunks are stored in their order, and a job that was cancelled or has failed may
-- have stored some.
SELECT d.job_id, d.document_id, d.filename, d.source_type, d.created_at, d.user_id,
    (SELECT count(*) FROM kg_api.sources s WHERE s.document = d.id) AS sources
FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE d.document_id = @content_hash AND o.name = @ontology
    AND d.created_at > clock_timestamp() - @since::interval
    AND EXISTS (SELECT 1 FROM kg_api.sources s WHERE s.document = d.id AND s.boundary = 'end_of_document')
    AND NOT EXISTS (SELECT 1 FROM kg_api.jobs j WHERE j.job_id = d.job_id);

-- name: EarlierVersions :one
-- How many other documents of an ontology a document would be a later version of, how many of
-- those are a user's, and when the last of them was submitted.
SELECT count(d.id)::int AS versions, count(d.id) FILTER (WHERE d.user_id = @owner)::int AS own, coalesce(max(d.submitted_at), 'epoch')::timestamptz AS last_submitted
FROM kg_api.ontologies o
JOIN kg_api.documents d ON d.ontology_id = o.id AND d.document_id <> @document_id
    AND d.identity = kg_api.document_identity(false, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname))
WHERE o.name = @ontology;

-- name: IdentityLock :exec
-- Holds the identity of a document within its ontology: of two submissions of versions of it, the
-- second one is later.
SELECT pg_advisory_xact_lock(100000011, hashtext(concat_ws(chr(31), @ontology::text, @document_key::text, @source_path::text)));

-- name: IdentityWriteLock :exec
-- Has of two first chunks of versions of a document the second one see the first.
SELECT pg_advisory_xact_lock(100000012, hashtext(concat_ws(chr(31), @ontology::text, @document_key::text, @source_path::text)));

-- name: SubmissionMoment :one
SELECT clock_timestamp()::timestamptz AS moment;

-- name: SubmittedAgain :exec
-- Says that the document of a job that has not ended was submitted once more, after other versions
-- of it.
UPDATE kg_api.jobs j SET data = j.data || jsonb_build_object('submitted_at', @submitted_at::timestamptz)
WHERE j.job_id = @job_id AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
    AND j.identity = kg_api.document_identity(false, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname));

-- name: VersionUnderWay :one
-- A job that has not ended and brings, or is to bring, another version of a document.
SELECT j.job_id FROM kg_api.jobs j
WHERE j.ontology = @ontology::text AND j.content_hash <> @content_hash::text
    AND j.identity = kg_api.document_identity(false, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname))
    AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing')
LIMIT 1;

-- name: DocumentStanding :one
-- What stands of a document besides the version that a job is to bring: a later one, with its job, or
-- earlier ones that go when this one is complete, as does what was not read to its end. Those of
-- others count as far as this one, or the later one, replaces them.
SELECT coalesce(max(e.job_id) FILTER (WHERE e.submitted_at > @submitted_at::timestamptz AND (e.replaces = 'all' OR e.replaces = 'own' AND e.user_id = @owner::int)), '')::text AS later_job,
    count(*) FILTER (WHERE coalesce(e.submitted_at, '-infinity') <= @submitted_at AND (@replaces::text = 'all' OR @replaces = 'own' AND e.user_id = @owner))::int AS earlier
FROM kg_api.documents e JOIN kg_api.ontologies o ON o.id = e.ontology_id
WHERE o.name = @ontology AND e.document_id <> @document_id
    AND e.identity = kg_api.document_identity(false, sqlc.narg(document_key), sqlc.narg(source_type), sqlc.narg(source_path), sqlc.narg(source_hostname));

-- name: VersionExpected :one
-- What version the document of a job would be, and which one it would replace: the newest that it
-- may; document_id is empty for none. namesake says that the ontology has another document of the same name, of which this one is no
-- version. No row: there is no such ontology yet.
SELECT (kg_api.last_version(o.id, j.identity) + 1)::int AS version, (j.identity IS NOT NULL)::bool AS known, coalesce(e.document_id, '')::text AS document_id,
    coalesce(e.filename, '')::text AS filename, coalesce(e.version, 0)::int AS replaces, coalesce(e.created_at, o.created_at)::timestamptz AS created_at,
    coalesce(j.filename, '')::text AS of_filename,
    (j.identity IS NULL AND coalesce(j.data ->> 'apart', 'false') <> 'true'
        AND EXISTS (SELECT FROM kg_api.documents d WHERE d.ontology_id = o.id AND d.filename = j.filename AND d.document_id <> j.content_hash))::bool AS namesake
FROM kg_api.jobs j
JOIN kg_api.ontologies o ON o.name = j.ontology
LEFT JOIN LATERAL (
    SELECT d.document_id, d.filename, d.version, d.created_at FROM kg_api.documents d
    WHERE d.ontology_id = o.id AND d.identity = j.identity AND d.document_id <> j.content_hash
        AND (j.data ->> 'replace' = 'all' OR j.data ->> 'replace' = 'own' AND d.user_id = j.user_id)
    ORDER BY d.submitted_at DESC NULLS LAST, d.id DESC LIMIT 1
) e ON true
WHERE j.job_id = @job_id AND j.content_hash IS NOT NULL;

-- name: OntologyState :one
SELECT o.lifecycle_state FROM kg_api.ontologies o WHERE o.name = @name;

-- name: WaitingAnalyses :one
-- How many documents of a user wait for their analysis, up to most.
SELECT count(*)::int FROM (SELECT 1 FROM kg_api.jobs j WHERE j.status = 'pending' AND j.user_id = @user_id LIMIT @most::int) w;

-- name: JobAnalyzed :one
-- Stores the analysis; the job then waits for approval, or is approved at once
-- and wakes the lanes. No row: it is not pending any more, or another server has claimed
-- its analysis.
WITH claim AS (
    DELETE FROM kg_api.analyses a WHERE a.job_id = @job_id AND a.server = sqlc.narg(server)::uuid
), analysed AS (
    UPDATE kg_api.jobs j
    SET analysis = @analysis,
        status = CASE WHEN @auto_approve::bool THEN 'approved' ELSE 'awaiting_approval' END,
        approved_at = CASE WHEN @auto_approve THEN clock_timestamp() END,
        approved_by = CASE WHEN @auto_approve THEN 'auto' END,
        expires_at = CASE WHEN NOT @auto_approve THEN clock_timestamp() + @approval_expires::interval END,
        event_seq = j.event_seq + 1
    WHERE j.job_id = @job_id AND j.status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM kg_api.analyses a WHERE a.job_id = @job_id AND a.server IS DISTINCT FROM sqlc.narg(server)::uuid)
    RETURNING j.job_id, j.job_type, j.status, j.approved_by, j.event_seq
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT a.job_id, a.event_seq, 'status', kg_api.status_event(a.status, 'pending', a.approved_by, NULL, NULL)
    FROM analysed a
), woken AS (
    SELECT w.lane FROM analysed a CROSS JOIN LATERAL kg_api.wake_lanes(a.job_type) AS w (lane)
    WHERE a.status = 'approved'
)
SELECT a.job_id, (SELECT count(*) FROM woken) AS lanes FROM analysed a;

-- name: JobAnalysisFailed :one
WITH claim AS (
    DELETE FROM kg_api.analyses a WHERE a.job_id = @job_id AND a.server = sqlc.narg(server)::uuid
), failed AS (
    UPDATE kg_api.jobs j
    SET status = 'failed', error = @error::text, error_key = kg_api.fold_error(@error::text), completed_at = clock_timestamp(), event_seq = j.event_seq + 2
    WHERE j.job_id = @job_id AND j.status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM kg_api.analyses a WHERE a.job_id = @job_id AND a.server IS DISTINCT FROM sqlc.narg(server)::uuid)
    RETURNING j.job_id, j.event_seq, j.error
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT f.job_id, f.event_seq - 1, 'status', kg_api.status_event('failed', 'pending', NULL, f.error, NULL) FROM failed f
    UNION ALL
    SELECT f.job_id, f.event_seq, 'failed', kg_api.end_event('failed', NULL, f.error) FROM failed f
)
SELECT f.job_id FROM failed f;
