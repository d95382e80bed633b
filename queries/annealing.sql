-- name: AnnealingOntologies :many
-- Every ontology, by its number, or for a name only that one.
SELECT o.id, o.name, o.lifecycle_state, o.creation_epoch
FROM kg_api.ontologies o WHERE @name::text = '' OR o.name = @name
ORDER BY o.id;

-- name: OntologyMeasures :one
-- What an ontology holds, and how its concepts are connected with each other and with
-- the rest.
WITH chunks AS MATERIALIZED (
    SELECT s.id FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id WHERE d.ontology_id = @id
), shown AS MATERIALIZED (
    SELECT DISTINCT i.concept FROM chunks c JOIN kg_api.instances i ON i.source = c.id
), leaving AS MATERIALIZED (
    SELECT EXISTS (SELECT FROM shown b WHERE b.concept = e.dst) AS stays FROM shown a JOIN kg_api.edges e ON e.src = a.concept
)
SELECT (SELECT count(*) FROM kg_api.documents d WHERE d.ontology_id = @id)::int AS files,
    (SELECT count(*) FROM chunks)::int AS sources,
    (SELECT count(*) FROM shown)::int AS concepts,
    (SELECT count(*) FROM chunks c JOIN kg_api.instances i ON i.source = c.id)::int AS evidence,
    (SELECT count(*) FROM leaving l WHERE l.stays)::int AS internal_edges,
    ((SELECT count(*) FROM leaving l WHERE NOT l.stays)
        + (SELECT count(*) FROM shown a JOIN kg_api.edges e ON e.dst = a.concept
            WHERE NOT EXISTS (SELECT FROM shown b WHERE b.concept = e.src)))::int AS crossing_edges;

-- name: OntologyVectors :many
-- Embeddings of concepts of an ontology, always the same ones of the same graph.
SELECT e.vector
FROM kg_api.concept_embeddings e
WHERE e.model = @model AND e.concept IN (
    SELECT i.concept FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id JOIN kg_api.instances i ON i.source = s.id
    WHERE d.ontology_id = @id)
ORDER BY e.concept
LIMIT @most;

-- name: OntologyAffinities :many
-- How many concepts every two ontologies share, of one ontology or for 0 of all: each
-- pair from both sides.
SELECT p.ontology, p.other, o.name AS other_name, p.shared::int AS shared, mine.concepts::int AS concepts, theirs.concepts::int AS of_other
FROM (SELECT k.ontology, k.other, sum(k.shared) AS shared
    FROM (SELECT e.ontology, e.other, e.shared FROM kg_api.ontology_pairs e
        UNION ALL SELECT n.ontology, n.other, n.change FROM kg_api.ontology_pairs_pending n) k
    WHERE @id::int = 0 OR k.ontology = @id
    GROUP BY k.ontology, k.other HAVING sum(k.shared) > 0) p
JOIN kg_api.ontology_totals mine ON mine.ontology = p.ontology
JOIN kg_api.ontology_totals theirs ON theirs.ontology = p.other
JOIN kg_api.ontologies o ON o.id = p.other
ORDER BY p.ontology, p.shared DESC, p.other;

-- name: OntologyDegrees :many
-- The concepts of an ontology with the most relationships within it. The neighbours are
-- the other concepts that they lead to, each once. IS TRUE has the second end looked up in a
-- hash, however few concepts the planner believes in.
WITH shown AS MATERIALIZED (
    SELECT h.concept
    FROM (SELECT x.concept, x.times AS quotes FROM kg_api.ontology_holdings x WHERE x.ontology = @id AND x.other = 0
        UNION ALL SELECT y.concept, y.change FROM kg_api.ontology_changes y WHERE y.ontology = @id AND y.kind = 'quote') h
    GROUP BY h.concept HAVING sum(h.quotes) > 0
), within AS MATERIALIZED (
    SELECT e.src, e.dst FROM shown a JOIN kg_api.edges e ON e.src = a.concept WHERE (e.dst IN (SELECT b.concept FROM shown b)) IS TRUE
), ends AS (
    SELECT w.src AS concept, w.dst AS other, 1 AS leaves FROM within w UNION ALL SELECT w.dst, w.src, 0 FROM within w
), degrees AS (
    SELECT n.concept, count(*) AS degree, sum(n.leaves) AS leaves, count(DISTINCT n.other) AS neighbours FROM ends n GROUP BY n.concept
)
SELECT c.id, c.concept_id, c.label, g.degree::int AS degree, g.leaves::int AS leaves, g.neighbours::int AS neighbours, (SELECT count(*) FROM shown)::int AS concepts
FROM degrees g JOIN kg_api.concepts c ON c.id = g.concept
ORDER BY g.degree DESC, c.id
LIMIT @most;

-- name: PromotedDocuments :many
-- The documents of an ontology that are about a concept: at least half of their chunks
-- show it.
SELECT d.id
FROM kg_api.documents d JOIN kg_api.sources s ON s.document = d.id
WHERE d.ontology_id = @id
GROUP BY d.id
HAVING 2 * count(*) FILTER (WHERE EXISTS (
    SELECT FROM kg_api.instances i JOIN kg_api.concepts c ON c.id = i.concept WHERE i.source = s.id AND c.concept_id = @anchor)) >= count(*)
ORDER BY d.id;

-- name: ScoresStore :exec
-- Stores the scores of an ontology, unless newer ones are there or it is gone.
INSERT INTO kg_api.ontology_scores AS o (ontology, files, sources, concepts, evidence, internal_edges, crossing_edges, mass, coherence, raw_exposure,
    weighted_exposure, protection, epoch)
SELECT x.id, @files::int, @sources::int, @concepts::int, @evidence::int, @internal_edges::int, @crossing_edges::int, @mass::float8, @coherence::float8,
    @raw_exposure::float8, @weighted_exposure::float8, @protection::float8, @epoch::bigint
FROM kg_api.ontologies x WHERE x.id = @id FOR KEY SHARE
ON CONFLICT (ontology) DO UPDATE
SET files = excluded.files, sources = excluded.sources, concepts = excluded.concepts, evidence = excluded.evidence, internal_edges = excluded.internal_edges,
    crossing_edges = excluded.crossing_edges, mass = excluded.mass, coherence = excluded.coherence, raw_exposure = excluded.raw_exposure,
    weighted_exposure = excluded.weighted_exposure, protection = excluded.protection, epoch = excluded.epoch, at = excluded.at
WHERE o.epoch <= excluded.epoch;

-- name: ScoresList :many
SELECT o.name, o.lifecycle_state, x.files, x.sources, x.concepts, x.evidence, x.internal_edges, x.crossing_edges, x.mass, x.coherence, x.raw_exposure,
    x.weighted_exposure, x.protection, x.epoch
FROM kg_api.ontology_scores x JOIN kg_api.ontologies o ON o.id = x.ontology
WHERE @name::text = '' OR o.name = @name
ORDER BY x.protection DESC, o.name;

-- name: OntologyEdgesOutdated :execrows
-- Removes the edges that are not among the new ones.
DELETE FROM kg_api.ontology_edges e
WHERE NOT EXISTS (SELECT FROM (SELECT unnest(@srcs::int[]) AS src, unnest(@dsts::int[]) AS dst) n WHERE n.src = e.src AND n.dst = e.dst);

-- name: OntologyEdgesStore :one
-- Stores edges, and returns how many are new.
WITH stored AS (
    INSERT INTO kg_api.ontology_edges AS e (src, dst, kind, score, shared, epoch)
    SELECT n.src, n.dst, n.kind, n.score, n.shared, @epoch::bigint
    FROM (SELECT unnest(@srcs::int[]) AS src, unnest(@dsts::int[]) AS dst, unnest(@kinds::text[]) AS kind, unnest(@scores::float8[]) AS score, unnest(@shares::int[]) AS shared) n
    JOIN kg_api.ontologies a ON a.id = n.src JOIN kg_api.ontologies b ON b.id = n.dst
    ON CONFLICT (src, dst) DO UPDATE SET kind = excluded.kind, score = excluded.score, shared = excluded.shared, epoch = excluded.epoch
    RETURNING e.xmax = 0 AS made
)
SELECT count(*) FILTER (WHERE s.made)::int FROM stored s;

-- name: OntologyEdgesOf :many
SELECT a.name AS from_name, b.name AS to_name, e.kind, e.score, e.shared, e.epoch, (e.src = @id::int)::bool AS leaves
FROM kg_api.ontology_edges e JOIN kg_api.ontologies a ON a.id = e.src JOIN kg_api.ontologies b ON b.id = e.dst
WHERE e.src = @id OR e.dst = @id
ORDER BY e.score DESC, a.name, b.name;

-- name: AnnealingDone :exec
UPDATE kg_api.annealing_state s SET epoch = greatest(s.epoch, @epoch::bigint), at = clock_timestamp();

-- name: ProposalAdd :one
-- No row: the same is open, or a person has rejected or undone it.
INSERT INTO kg_api.ontology_proposals (kind, ontology, ontology_name, target, target_name, anchor, suggested_name, suggested_description, reasoning,
    mass, coherence, protection, made_by, epoch, status)
SELECT @kind, @ontology::int, @ontology_name, sqlc.narg(target)::int, sqlc.narg(target_name), sqlc.narg(anchor)::text, sqlc.narg(suggested_name), sqlc.narg(suggested_description), @reasoning,
    sqlc.narg(mass)::float8, sqlc.narg(coherence)::float8, sqlc.narg(protection)::float8, @made_by, @epoch::bigint, @status::text
WHERE @status <> 'pending' OR NOT EXISTS (
    SELECT FROM kg_api.ontology_proposals p
    WHERE p.kind = @kind AND p.ontology = @ontology AND p.status IN ('approved', 'executing', 'undone') AND p.anchor IS NOT DISTINCT FROM sqlc.narg(anchor)::text
        AND (p.anchor IS NOT NULL OR p.target IS NOT DISTINCT FROM sqlc.narg(target)::int))
ON CONFLICT DO NOTHING
RETURNING id;

-- name: ProposalsExpire :exec
-- Closes proposals about an ontology that is gone, or that is not to be changed any more.
UPDATE kg_api.ontology_proposals p SET status = 'expired'
WHERE p.status = 'pending' AND (
    NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.id = p.ontology AND o.lifecycle_state = 'active')
    OR p.target IS NOT NULL AND NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.id = p.target AND o.lifecycle_state <> 'frozen'));

-- name: ProposalList :many
-- Proposals, newest first, with the names that the ontologies have now.
SELECT p.id, p.kind, p.ontology, coalesce(o.name, p.ontology_name) AS ontology_name, p.target, coalesce(t.name, p.target_name, '')::text AS target_name, p.anchor,
    p.suggested_name, p.suggested_description, p.reasoning, p.mass, p.coherence, p.protection, p.status, p.made_by, p.epoch, p.created_at, p.reviewed_at,
    p.reviewed_by, p.reviewer_notes, p.job_id, p.executed_at, p.result, p.undone_at, p.undone_by
FROM kg_api.ontology_proposals p
LEFT JOIN kg_api.ontologies o ON o.id = p.ontology
LEFT JOIN kg_api.ontologies t ON t.id = p.target
WHERE (@id::int = 0 OR p.id = @id) AND (@status::text = '' OR p.status = @status) AND (@kind::text = '' OR p.kind = @kind)
    AND (@ontology::text = '' OR coalesce(o.name, p.ontology_name) = @ontology)
ORDER BY p.id DESC LIMIT @most;

-- name: ProposalHold :one
SELECT p.id, p.kind, p.ontology, p.ontology_name, p.target, p.anchor, p.suggested_name, p.suggested_description, p.status, p.job_id, p.removed, p.made, p.executed_at, p.result
FROM kg_api.ontology_proposals p WHERE p.id = @id FOR UPDATE;

-- name: ProposalReview :exec
-- An earlier job has ended: the next one is named when it is submitted.
UPDATE kg_api.ontology_proposals p
SET status = @status, reviewed_at = clock_timestamp(), reviewed_by = @reviewed_by::text, reviewer_notes = nullif(@notes::text, ''), job_id = NULL
WHERE p.id = @id;

-- name: ProposalsUnsent :many
-- Accepted proposals that were left without a job: whoever accepted them was interrupted.
SELECT p.id, coalesce(p.reviewed_by, '')::text AS reviewed_by FROM kg_api.ontology_proposals p
WHERE p.status = 'approved' AND p.job_id IS NULL AND p.reviewed_at < clock_timestamp() - make_interval(secs => @age_seconds::float8)
    AND NOT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_type = 'proposal_execution' AND j.data ->> 'proposal_id' = p.id::text AND j.created_at >= p.reviewed_at)
ORDER BY p.id LIMIT 100;

-- name: ProposalJob :exec
-- Names the job that executes a proposal. One that has begun holds the row and names itself.
UPDATE kg_api.ontology_proposals p SET job_id = @job_id::text
WHERE p.id = (SELECT h.id FROM kg_api.ontology_proposals h WHERE h.id = @id FOR UPDATE SKIP LOCKED);

-- name: ProposalBegin :exec
UPDATE kg_api.ontology_proposals p
SET status = 'executing', job_id = coalesce(sqlc.narg(job_id)::text, p.job_id), target = @target::int, target_name = @target_name::text, made = p.made OR @made::bool, executed_at = coalesce(p.executed_at, clock_timestamp())
WHERE p.id = @id;

-- name: ProposalEnd :exec
UPDATE kg_api.ontology_proposals p SET status = @status, result = @result::jsonb WHERE p.id = @id;

-- name: ProposalLater :many
-- The proposals that were executed after one, stand, and touch one of its ontologies.
SELECT l.id FROM kg_api.ontology_proposals p
JOIN kg_api.ontology_proposals l ON l.id <> p.id AND l.status IN ('executing', 'executed', 'failed') AND l.executed_at > p.executed_at
    AND (l.ontology IN (p.ontology, p.target) OR l.target IN (p.ontology, p.target))
WHERE p.id = @id ORDER BY l.executed_at DESC LIMIT 1;

-- name: ProposalUndone :exec
UPDATE kg_api.ontology_proposals p SET status = 'undone', undone_at = clock_timestamp(), undone_by = @undone_by::text, removed = NULL WHERE p.id = @id;

-- name: OntologyHold :one
-- Holds an ontology by its number.
SELECT o.id, o.name, o.lifecycle_state FROM kg_api.ontologies o WHERE o.id = @id FOR UPDATE;

-- name: MoveDocumentsNext :many
-- The next documents of an ontology.
SELECT d.id FROM kg_api.documents d WHERE d.ontology_id = @ontology ORDER BY d.id LIMIT @most;

-- name: DocumentsIn :many
-- Those of documents that are in an ontology.
SELECT d.id FROM kg_api.documents d WHERE d.id = ANY (@documents::int[]) AND d.ontology_id = @ontology ORDER BY d.id;

-- name: JobWorks :one
-- Whether a job is not over.
SELECT EXISTS (SELECT FROM kg_api.jobs j WHERE j.job_id = @job_id AND j.status NOT IN ('completed', 'failed', 'cancelled'));

-- name: MoveSourcesOf :many
-- The chunks of an ontology that are named, each with its document.
SELECT s.id, s.source_id, s.document FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document
WHERE d.ontology_id = @ontology AND s.source_id = ANY (@source_ids::text[]);

-- name: MoveWhole :many
-- Moves documents that the target has not, with all of their chunks.
WITH moved AS (
    UPDATE kg_api.documents d SET ontology_id = @target::int
    WHERE d.id = ANY (@documents::int[]) AND d.ontology_id = @ontology::int
        AND NOT EXISTS (SELECT FROM kg_api.documents o WHERE o.ontology_id = @target AND o.document_id = d.document_id)
    RETURNING d.id, d.job_id
), recorded AS (
    INSERT INTO kg_api.moved_documents (proposal, document, what, job_id) SELECT @proposal::int, m.id, 'moved', m.job_id FROM moved m
)
SELECT m.id, (SELECT count(*) FROM kg_api.sources s WHERE s.document = m.id)::int AS sources FROM moved m;

-- name: MoveMakeDocuments :exec
-- Makes a document in the target for each of these that it has not.
WITH made AS (
    INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, source_type, source_path, source_hostname, user_id, job_id, created_at,
        document_key, apart, version, submitted_at, replaces)
    SELECT d.document_id, @target::int, d.filename, d.content_type, d.source_type, d.source_path, d.source_hostname, d.user_id, d.job_id, d.created_at,
        d.document_key, d.apart, d.version, d.submitted_at, d.replaces
    FROM kg_api.documents d WHERE d.id = ANY (@documents::int[])
    ON CONFLICT (document_id, ontology_id) DO NOTHING
    RETURNING documents.id
)
INSERT INTO kg_api.moved_documents (proposal, document, what) SELECT @proposal::int, m.id, 'made' FROM made m;

-- name: MoveSources :execrows
-- Moves chunks to the documents of the target that have the same content.
WITH pairs AS MATERIALIZED (
    SELECT s.id, s.document, s.job_id, d.job_id AS from_job, t.id AS target
    FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.documents t ON t.document_id = d.document_id AND t.ontology_id = @target::int
    WHERE s.document = ANY (@documents::int[]) AND (NOT @only_named::bool OR s.id = ANY (@sources::int[]))
), recorded AS (
    INSERT INTO kg_api.moved_sources (proposal, source, from_document, to_document, job_id, from_job, newest)
    SELECT @proposal::int, p.id, p.document, p.target, p.job_id, p.from_job, (SELECT max(n.id) FROM kg_api.sources n) FROM pairs p
)
UPDATE kg_api.sources s SET document = p.target FROM pairs p WHERE s.id = p.id;

-- name: MoveRemoveDocuments :exec
-- Removes documents that have no chunk left, and keeps what they were.
WITH gone AS (
    DELETE FROM kg_api.documents d
    WHERE d.id = ANY (@documents::int[]) AND NOT EXISTS (SELECT FROM kg_api.sources s WHERE s.document = d.id)
    RETURNING d.*
)
INSERT INTO kg_api.moved_documents (proposal, document, what, removed) SELECT @proposal::int, g.id, 'removed', to_jsonb(g) FROM gone g;

-- name: MoveRemoveOntology :exec
-- Removes an ontology that has no document left, and keeps what it was.
WITH gone AS (
    DELETE FROM kg_api.ontologies o WHERE o.id = @ontology::int RETURNING o.*
)
UPDATE kg_api.ontology_proposals p SET removed = to_jsonb(g) FROM gone g WHERE p.id = @proposal::int;

-- name: MoveJobs :exec
-- Has the jobs that are not over follow an ontology to the one that it has become part of,
-- also one that was claimed this moment: before its first chunk it waits for the lock of the
-- graph, and finds the new name then.
UPDATE kg_api.jobs j SET ontology = @new_name::text
WHERE j.ontology = @name::text AND j.status IN ('pending', 'awaiting_approval', 'approved', 'processing');

-- name: OntologyOfKey :one
-- What an ontology is called now that was removed.
SELECT o.name FROM kg_api.ontologies o WHERE o.key = (@removed::jsonb ->> 'key')::uuid;

-- name: UndoneOntology :exec
-- Puts an ontology back as it was. What refers to a user who is gone refers to nobody; one
-- that was removed before it had a key gets one.
INSERT INTO kg_api.ontologies (id, name, description, lifecycle_state, creation_epoch, created_by, created_at, implicit, key)
OVERRIDING SYSTEM VALUE
SELECT (r.o ->> 'id')::int, r.o ->> 'name', r.o ->> 'description', r.o ->> 'lifecycle_state', (r.o ->> 'creation_epoch')::bigint,
    (SELECT u.id FROM kg_api.users u WHERE u.id = (r.o ->> 'created_by')::int), (r.o ->> 'created_at')::timestamptz, (r.o ->> 'implicit')::boolean,
    coalesce((r.o ->> 'key')::uuid, gen_random_uuid())
FROM (SELECT @removed::jsonb AS o) r;

-- name: UndoneDocuments :exec
-- Puts documents back that had no chunk left, unless they were ingested again since, or no
-- chunk is there that comes back to them.
INSERT INTO kg_api.documents (id, document_id, ontology_id, filename, content_type, source_type, source_path, source_hostname, user_id, job_id, created_at,
    document_key, apart, version, submitted_at, replaces)
OVERRIDING SYSTEM VALUE
SELECT m.document, m.removed ->> 'document_id', (m.removed ->> 'ontology_id')::int, m.removed ->> 'filename', m.removed ->> 'content_type', m.removed ->> 'source_type',
    m.removed ->> 'source_path', m.removed ->> 'source_hostname', (SELECT u.id FROM kg_api.users u WHERE u.id = (m.removed ->> 'user_id')::int),
    m.removed ->> 'job_id', (m.removed ->> 'created_at')::timestamptz,
    m.removed ->> 'document_key', coalesce((m.removed ->> 'apart')::boolean, false), coalesce((m.removed ->> 'version')::int, 1),
    (m.removed ->> 'submitted_at')::timestamptz, coalesce(m.removed ->> 'replaces', '')
FROM kg_api.moved_documents m
WHERE m.proposal = @proposal AND m.what = 'removed'
    AND EXISTS (SELECT FROM kg_api.moved_sources w JOIN kg_api.sources s ON s.id = w.source AND s.document = w.to_document
        WHERE w.proposal = m.proposal AND w.from_document = m.document AND (w.job_id IS NULL OR s.job_id = w.job_id))
ON CONFLICT DO NOTHING;

-- name: UndoneGone :exec
-- Makes documents for chunks that come back, where the document that they were in has gone
-- since by another way: with the ingestion that had written it, of which these are no part.
INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, source_type, source_path, source_hostname, user_id, job_id, created_at,
    document_key, apart, version, submitted_at, replaces)
SELECT DISTINCT ON (t.document_id) t.document_id, @ontology::int, t.filename, t.content_type, t.source_type, t.source_path, t.source_hostname, t.user_id,
    coalesce(m.from_job, t.job_id), t.created_at, t.document_key, t.apart, t.version, t.submitted_at, t.replaces
FROM kg_api.moved_sources m
JOIN kg_api.sources s ON s.id = m.source AND s.document = m.to_document AND (m.job_id IS NULL OR s.job_id = m.job_id)
JOIN kg_api.documents t ON t.id = m.to_document
WHERE m.proposal = @proposal
ORDER BY t.document_id, m.source
ON CONFLICT DO NOTHING;

-- name: UndoneSources :exec
-- Moves chunks back that are where they were moved to. Those that were read again there
-- since stay there, and so do those of which the document has got chunks of its own since.
UPDATE kg_api.sources s SET document = b.id
FROM kg_api.moved_sources m
JOIN kg_api.documents t ON t.id = m.to_document
JOIN kg_api.documents b ON b.document_id = t.document_id AND b.ontology_id = @ontology::int
WHERE m.proposal = @proposal AND s.id = m.source AND s.document = m.to_document AND (m.job_id IS NULL OR s.job_id = m.job_id)
    AND (m.from_job IS NULL OR b.job_id = m.from_job) AND NOT EXISTS (SELECT FROM kg_api.sources n WHERE n.document = b.id AND n.id > m.newest);

-- name: UndoneWhole :exec
-- Moves documents back, but for those that were ingested again since, here or there.
UPDATE kg_api.documents d SET ontology_id = @ontology::int
FROM kg_api.moved_documents m
WHERE m.proposal = @proposal AND m.what = 'moved' AND d.id = m.document AND d.ontology_id = @target::int AND (m.job_id IS NULL OR d.job_id = m.job_id)
    AND NOT EXISTS (SELECT FROM kg_api.documents o WHERE o.ontology_id = @ontology AND o.document_id = d.document_id);

-- name: UndoneMade :exec
-- Removes the documents that were made for chunks that are back, and those that these chunks
-- were the last of: what else they had is gone since.
DELETE FROM kg_api.documents d
WHERE d.id IN (
        SELECT m.document FROM kg_api.moved_documents m WHERE m.proposal = @proposal AND m.what = 'made'
        UNION ALL SELECT m.to_document FROM kg_api.moved_sources m WHERE m.proposal = @proposal
    ) AND NOT EXISTS (SELECT FROM kg_api.sources s WHERE s.document = d.id);

-- name: UndoneEmpty :execrows
-- Removes an ontology that the execution made, when it is empty again.
DELETE FROM kg_api.ontologies o WHERE o.id = @ontology AND NOT EXISTS (SELECT FROM kg_api.documents d WHERE d.ontology_id = o.id);

-- name: UndoneForget :exec
WITH documents AS (
    DELETE FROM kg_api.moved_documents m WHERE m.proposal = @proposal
)
DELETE FROM kg_api.moved_sources m WHERE m.proposal = @proposal;
