-- +goose Up
-- Versions of documents. A document has an identity in its ontology: a key that its submitter
-- gave, or the place that it came from. What is ingested under it again is a new version: the
-- one before leaves the graph in the transaction that brings the new one, and its texts stay
-- readable here.

-- Who writes chunks has this lock first, and then the tables.
SELECT pg_advisory_xact_lock(100000002);

-- What documents are versions of the same one; NULL is none.
CREATE FUNCTION kg_api.document_identity(apart boolean, document_key text, source_type text, source_path text, source_hostname text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN apart THEN NULL
        WHEN document_key IS NOT NULL THEN md5('key' || chr(31) || document_key)::uuid
        WHEN source_path IS NOT NULL
            -- A URL is the same whichever machine names it.
            THEN md5('place' || chr(31) || coalesce(source_type, '') || chr(31) || CASE WHEN source_type = 'url' THEN '' ELSE coalesce(source_hostname, '') END
                || chr(31) || source_path)::uuid
    END;

ALTER TABLE kg_api.documents
    ADD COLUMN document_key text,
    -- It is a version of nothing: its submitter said so.
    ADD COLUMN apart boolean NOT NULL DEFAULT false,
    ADD COLUMN version integer NOT NULL DEFAULT 1 CONSTRAINT versions_count_from_1 CHECK (version >= 1),
    -- When it was submitted: of two versions the one that was submitted last stands, whichever
    -- was read first. NULL: it was not read to its end, or an older server has read it.
    ADD COLUMN submitted_at timestamptz,
    -- Whose earlier versions it replaces: nobody's, those of its user, or all.
    ADD COLUMN replaces text NOT NULL DEFAULT '' CONSTRAINT replaces_is_known CHECK (replaces IN ('', 'own', 'all')),
    ADD COLUMN identity uuid GENERATED ALWAYS AS (kg_api.document_identity(apart, document_key, source_type, source_path, source_hostname)) STORED;
CREATE INDEX documents_identity_idx ON kg_api.documents (ontology_id, identity) WHERE identity IS NOT NULL;
-- A name that many documents bear is told apart by their paths. It may be longer than an entry.
CREATE INDEX documents_filename_idx ON kg_api.documents USING hash (filename);
UPDATE kg_api.documents d SET submitted_at = d.created_at, version = n.version
FROM (SELECT x.id, CASE WHEN x.identity IS NULL THEN 1 ELSE row_number() OVER (PARTITION BY x.ontology_id, x.identity ORDER BY x.id) END AS version FROM kg_api.documents x) n
WHERE n.id = d.id;

-- A version that another one has replaced. What it said is kept as the graph had it then: the
-- ids and names of its concepts and relationships.
CREATE TABLE kg_api.document_versions (
    id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    version_key     uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE, -- also in an archive
    ontology_id     integer NOT NULL REFERENCES kg_api.ontologies (id) ON DELETE CASCADE,
    identity        uuid NOT NULL,
    version         integer NOT NULL CONSTRAINT versions_count_from_1 CHECK (version >= 1),
    document        integer, -- the number of its row in documents, which no other row has; NULL: of another database
    document_id     text NOT NULL REFERENCES kg_api.contents (content_hash),
    filename        text NOT NULL,
    content_type    text NOT NULL,
    document_key    text,
    source_type     text,
    source_path     text,
    source_hostname text,
    user_id         integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    job_id          text NOT NULL, -- the last job that wrote it
    created_at      timestamptz NOT NULL,
    retired_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_by      text NOT NULL, -- the job that brought the next version
    chunks          integer NOT NULL,
    words           integer NOT NULL,
    concepts        jsonb NOT NULL, -- [{id, label, quotes}]
    relationships   jsonb NOT NULL  -- [{from, from_label, type, to, to_label, confidence}]
);
CREATE INDEX document_versions_identity_idx ON kg_api.document_versions (ontology_id, identity, retired_at DESC, id DESC);
CREATE INDEX document_versions_content_idx ON kg_api.document_versions (document_id, ontology_id);
CREATE INDEX document_versions_user_idx ON kg_api.document_versions (user_id) WHERE user_id IS NOT NULL;

-- The chunks of an earlier version; see sources.
CREATE TABLE kg_api.version_chunks (
    version      integer NOT NULL REFERENCES kg_api.document_versions (id) ON DELETE CASCADE,
    source_id    text NOT NULL,
    chunk_number integer NOT NULL,
    full_text    text NOT NULL,
    start_byte   integer NOT NULL,
    end_byte     integer NOT NULL,
    start_char   integer NOT NULL,
    end_char     integer NOT NULL,
    PRIMARY KEY (version, chunk_number)
);

-- And its passages, with which questions are answered about a time when it stood; see passages.
CREATE TABLE kg_api.version_passages (
    version    integer NOT NULL REFERENCES kg_api.document_versions (id) ON DELETE CASCADE,
    number     integer NOT NULL,
    chunk      integer NOT NULL,
    start_byte integer NOT NULL,
    end_byte   integer NOT NULL,
    start_char integer NOT NULL,
    end_char   integer NOT NULL,
    page       integer,
    section    text NOT NULL,
    class      text NOT NULL,
    language   text NOT NULL,
    columns    text[] NOT NULL,
    defines    text[] NOT NULL,
    body       text NOT NULL,
    PRIMARY KEY (version, number)
);

-- The last version that there was of an identity in an ontology; 0 for none.
CREATE FUNCTION kg_api.last_version(of_ontology integer, of_identity uuid) RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    RETURN greatest(
        (SELECT coalesce(max(d.version), 0) FROM kg_api.documents d WHERE d.ontology_id = of_ontology AND d.identity = of_identity),
        (SELECT coalesce(max(v.version), 0) FROM kg_api.document_versions v WHERE v.ontology_id = of_ontology AND v.identity = of_identity));

-- The earlier versions go where their document goes: to another path, or another ontology.
-- +goose StatementBegin
CREATE FUNCTION kg_api.move_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kg_api.document_versions v SET ontology_id = n.ontology_id, identity = n.identity
    FROM changed n JOIN previous p ON p.id = n.id
    WHERE (n.ontology_id, n.identity) IS DISTINCT FROM (p.ontology_id, p.identity) AND n.identity IS NOT NULL
        AND v.ontology_id = p.ontology_id AND v.identity = p.identity
        AND NOT EXISTS (SELECT FROM kg_api.documents o WHERE o.ontology_id = p.ontology_id AND o.identity = p.identity);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER move_versions AFTER UPDATE ON kg_api.documents
    REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.move_versions();

-- What the graph has gained since a moment is looked up without reading all of it.
CREATE INDEX concepts_created_idx ON kg_api.concepts USING brin (created_at);
CREATE INDEX edges_created_idx ON kg_api.edges USING brin (created_at);

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP INDEX kg_api.concepts_created_idx, kg_api.edges_created_idx;
DROP TRIGGER move_versions ON kg_api.documents;
DROP FUNCTION kg_api.move_versions, kg_api.last_version;
DROP TABLE kg_api.version_passages, kg_api.version_chunks, kg_api.document_versions;
DROP INDEX kg_api.documents_filename_idx;
ALTER TABLE kg_api.documents DROP COLUMN identity, DROP COLUMN replaces, DROP COLUMN submitted_at, DROP COLUMN version, DROP COLUMN apart, DROP COLUMN document_key;
DROP FUNCTION kg_api.document_identity;
