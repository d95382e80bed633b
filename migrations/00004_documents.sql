-- +goose Up
-- Documents in their ontologies, the chunks that they are cut into, and what is known of
-- them before they are read: estimates, analyses, and what was paid for already.

CREATE TABLE kg_api.ontologies (
    id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL UNIQUE CONSTRAINT name_is_1_to_200_characters CHECK (char_length(name) BETWEEN 1 AND 200),
    description     text NOT NULL DEFAULT '',
    lifecycle_state text NOT NULL DEFAULT 'active' CONSTRAINT lifecycle_is_known CHECK (lifecycle_state IN ('active', 'pinned', 'frozen')),
    creation_epoch  bigint NOT NULL DEFAULT 0,
    created_by      integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Made by an ingestion, and not by a person: it goes with its last document.
    implicit        boolean NOT NULL DEFAULT false,
    -- It stays whatever the ontology is called, also in a backup and in another database. The
    -- ids of chunks are made of it: made of the name, a document of a new ontology had the ids
    -- of one that was renamed, and took its chunks.
    key             uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT ontologies_key_key UNIQUE
);

-- Names of ontologies that were deleted and stay blocked.
CREATE TABLE kg_api.ontology_tombstones (
    name       text PRIMARY KEY,
    removed_by text,
    removed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason     text
);

-- An ingested document within an ontology. The same document may be in several.
CREATE TABLE kg_api.documents (
    id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    document_id     text NOT NULL REFERENCES kg_api.contents (content_hash),
    ontology_id     integer NOT NULL REFERENCES kg_api.ontologies (id),
    filename        text NOT NULL,
    content_type    text NOT NULL,
    source_type     text,
    source_path     text,
    source_hostname text,
    user_id         integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    job_id          text NOT NULL, -- the last job that wrote it; the job's row may be gone
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (document_id, ontology_id)
);
-- Earlier versions of a file are found by where it came from. A path may be longer than an
-- entry of an index.
CREATE INDEX documents_source_idx ON kg_api.documents (ontology_id, md5(source_path)) WHERE source_path IS NOT NULL;
-- A page of documents is read in its order: those of an ontology newest first, and its files
-- by their paths, of which an index keeps as much as fits.
CREATE INDEX documents_newest_idx ON kg_api.documents (ontology_id, id);
CREATE INDEX documents_path_idx ON kg_api.documents (ontology_id, left(coalesce(source_path, filename), 500), id);
CREATE INDEX documents_listed_idx ON kg_api.documents (ontology_id, id);

-- Signs that join words are spaces to a search: whoever asks for bar finds foo/bar.
CREATE FUNCTION kg_api.spaced(t text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN translate(t, '/\.@:-_#&=+~*|<>', '               ');

-- The words of a text. Those of a chunk, which has at most 256 KiB, fit into a tsvector.
CREATE FUNCTION kg_api.words_of(t text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN to_tsvector('pg_catalog.simple', kg_api.spaced(t)) || to_tsvector('pg_catalog.english', kg_api.spaced(t));

-- A chunk of a document. Offsets are half-open and count from the document's
-- first byte and first character.
CREATE TABLE kg_api.sources (
    id           integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    source_id    text NOT NULL UNIQUE,
    document     integer NOT NULL REFERENCES kg_api.documents (id) ON DELETE CASCADE,
    chunk_number integer NOT NULL,
    full_text    text NOT NULL,
    start_byte   integer NOT NULL,
    end_byte     integer NOT NULL,
    start_char   integer NOT NULL,
    end_char     integer NOT NULL,
    words        integer NOT NULL,
    boundary     text NOT NULL,
    job_id       text NOT NULL, -- the last job that wrote it
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- A search for words finds each word of a chunk as it is written ("simple") and by its
    -- English stem. The reading is what the reader found in the chunk, compressed: the
    -- same text need not be read again by the same reader.
    words_index  tsvector GENERATED ALWAYS AS (kg_api.words_of(full_text)) STORED,
    text_md5     uuid GENERATED ALWAYS AS (md5(full_text)::uuid) STORED,
    reader       text NOT NULL DEFAULT '',
    reading      bytea,
    CONSTRAINT span_is_not_negative CHECK (0 <= start_byte AND start_byte <= end_byte AND 0 <= start_char AND start_char <= end_char)
);
-- It is compressed already.
ALTER TABLE kg_api.sources ALTER COLUMN reading SET STORAGE EXTERNAL;
CREATE INDEX sources_words_idx ON kg_api.sources USING gin (words_index);
CREATE INDEX sources_text_idx ON kg_api.sources (text_md5);
-- A chunk is found by its document and where it begins, and not by its id: one that was moved
-- keeps its id, and is not taken back.
CREATE INDEX sources_span_idx ON kg_api.sources (document, start_byte);
-- Lists are read in the order of an index: the chunks of the newest document first.
CREATE INDEX sources_listed_idx ON kg_api.sources (document DESC, chunk_number, id);

-- Where in a document a part of a chunk stands: from start_byte, which counts as that
-- of sources does, to the next place. A chunk without pages and headings has none.
CREATE TABLE kg_api.source_places (
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    start_byte integer NOT NULL CONSTRAINT start_is_not_negative CHECK (start_byte >= 0),
    page       integer CONSTRAINT pages_count_from_1 CHECK (page >= 1),
    section    text,
    PRIMARY KEY (source, start_byte)
);

-- The embeddings of the chunks of documents, in pieces that a model can read. text_md5
-- is of the chunk that was embedded: of another text they are stale.
CREATE TABLE kg_api.source_embeddings (
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    model      text NOT NULL,
    piece      smallint NOT NULL, -- from 0
    start_char integer NOT NULL, -- within the chunk
    end_char   integer NOT NULL,
    text_md5   uuid NOT NULL,
    vector     real[] NOT NULL,
    PRIMARY KEY (source, model, piece),
    CONSTRAINT piece_is_not_negative CHECK (0 <= start_char AND start_char <= end_char)
);

-- The pieces of a large document on its way in, for the time of one transaction: a server
-- sends a statement from a copy of all that it holds.
CREATE UNLOGGED TABLE kg_api.content_pieces (
    content_hash text NOT NULL,
    place        integer NOT NULL,
    body         bytea NOT NULL,
    PRIMARY KEY (content_hash, place)
);
ALTER TABLE kg_api.content_pieces ALTER COLUMN body SET STORAGE EXTERNAL;

-- What a model says of an image: the text that is cut into chunks in its place. It is
-- kept, so that the same bytes give the same text, and are paid for once.
CREATE TABLE kg_api.image_descriptions (
    content_hash text NOT NULL REFERENCES kg_api.contents (content_hash) ON DELETE CASCADE,
    model        text NOT NULL,
    description  text NOT NULL CONSTRAINT description_is_not_empty CHECK (description <> ''),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (content_hash, model)
);

-- What a job has had read and paid for, of chunks that it has not stored yet: it goes on
-- with that after a pause, or after its provider was away. Text is known by its hash.
CREATE TABLE kg_api.kept_readings (
    job_id    text NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE,
    text_hash bytea NOT NULL,
    reader    text NOT NULL,
    reading   bytea NOT NULL,
    PRIMARY KEY (job_id, text_hash, reader)
);

-- What ingestions were estimated at and what they took, by model, so that the next
-- estimates are better. expected is the tokens that were sent by the analysis: the chunks,
-- overlap included, and the prompt with each.
CREATE TABLE kg_api.estimates (
    job_id          text PRIMARY KEY,
    model           text NOT NULL,
    chunks          integer NOT NULL,
    words           integer NOT NULL,
    concepts        integer NOT NULL,
    text_tokens     integer NOT NULL DEFAULT 0,
    expected_tokens integer NOT NULL DEFAULT 0,
    input_tokens    bigint NOT NULL DEFAULT 0,
    output_tokens   bigint NOT NULL DEFAULT 0,
    at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT something_was_read CHECK (chunks > 0 AND words > 0)
);
CREATE INDEX estimates_model_idx ON kg_api.estimates (model, at DESC);

-- The analyses that a server has claimed, and what is known of those that go on later.
-- Most pending jobs have no row. What is lost in a crash is claimed again, so these tables
-- need no log; for the same reason no key holds them to the jobs: rows of jobs that are
-- pending no more are swept.
CREATE UNLOGGED TABLE kg_api.analyses (
    job_id      text PRIMARY KEY,
    server      uuid NOT NULL, -- which has claimed it last
    lease_until timestamptz NOT NULL, -- nobody else claims it before
    late_since  timestamptz, -- when it had missed its first limit
    tries       integer NOT NULL DEFAULT 0 -- that failed for a reason that may pass
) WITH (fillfactor = 50);
CREATE INDEX analyses_late_idx ON kg_api.analyses (late_since) WHERE late_since IS NOT NULL;

-- How long the documents of a user have been analysed of late. It is halved as time passes.
CREATE UNLOGGED TABLE kg_api.analysis_use (
    user_id integer PRIMARY KEY,
    seconds double precision NOT NULL,
    mean    double precision NOT NULL, -- of a document of the last ones
    at      timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

-- What is left of seconds that were used up to an instant: half after two minutes.
CREATE FUNCTION kg_api.analysis_seconds(seconds double precision, at timestamptz) RETURNS double precision
LANGUAGE sql VOLATILE RETURN seconds * power(0.5, LEAST(extract(epoch FROM clock_timestamp() - at)::double precision / 120, 100));

-- +goose Down
DROP FUNCTION kg_api.analysis_seconds;
DROP TABLE kg_api.analysis_use, kg_api.analyses, kg_api.estimates, kg_api.kept_readings, kg_api.image_descriptions, kg_api.content_pieces,
    kg_api.source_embeddings, kg_api.source_places, kg_api.sources, kg_api.documents, kg_api.ontology_tombstones, kg_api.ontologies;
DROP FUNCTION kg_api.words_of, kg_api.spaced;
