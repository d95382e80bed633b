-- +goose Up
CREATE TABLE kg_api.ontologies (
    id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL UNIQUE CONSTRAINT name_is_1_to_200_characters CHECK (char_length(name) BETWEEN 1 AND 200),
    description     text NOT NULL DEFAULT '',
    lifecycle_state text NOT NULL DEFAULT 'active' CONSTRAINT lifecycle_is_known CHECK (lifecycle_state IN ('active', 'pinned', 'frozen')),
    creation_epoch  bigint NOT NULL DEFAULT 0,
    created_by      integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The graph's epoch rises when an ingestion has changed the graph; what was
-- computed under an older epoch is stale.
CREATE TABLE kg_api.graph_epoch (
    one   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_epoch CHECK (one),
    epoch bigint NOT NULL
);
INSERT INTO kg_api.graph_epoch (epoch) VALUES (0);

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
CREATE INDEX documents_ontology_idx ON kg_api.documents (ontology_id);

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
    CONSTRAINT span_is_not_negative CHECK (0 <= start_byte AND start_byte <= end_byte AND 0 <= start_char AND start_char <= end_char)
);
CREATE INDEX sources_document_idx ON kg_api.sources (document, chunk_number);

CREATE TABLE kg_api.concepts (
    id           integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    concept_id   text NOT NULL UNIQUE CONSTRAINT concept_id_has_its_form CHECK (concept_id ~ '^[A-Za-z0-9_:-]{1,200}$' AND concept_id ~ '[_-]'),
    label        text NOT NULL,
    description  text NOT NULL DEFAULT '',
    search_terms text[] NOT NULL DEFAULT '{}',
    -- The label and the search terms in lower case with white space folded.
    term_keys    text[] NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- fastupdate would collect new entries in a list that every search reads.
CREATE INDEX concepts_terms_idx ON kg_api.concepts USING gin (term_keys) WITH (fastupdate = off);

-- Embeddings stand apart, so that walking the graph does not read them.
CREATE TABLE kg_api.concept_embeddings (
    concept   integer PRIMARY KEY REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    model     text NOT NULL,
    vector    real[] NOT NULL,
    signature bit(768) NOT NULL, -- signs of random projections: bits that differ estimate the angle
    bands     integer[] NOT NULL -- the signature in 64 keys; near vectors share one
);
CREATE INDEX concept_embeddings_bands_idx ON kg_api.concept_embeddings USING gin (bands) WITH (fastupdate = off);

-- A quote that shows a concept. Offsets count bytes of the document.
CREATE TABLE kg_api.instances (
    id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    concept    integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    quote      text NOT NULL,
    quote_md5  uuid NOT NULL GENERATED ALWAYS AS (md5(quote)::uuid) STORED,
    start_byte integer NOT NULL,
    end_byte   integer NOT NULL,
    CONSTRAINT a_quote_appears_once UNIQUE (concept, source, quote_md5)
);
CREATE INDEX instances_source_idx ON kg_api.instances (source);

CREATE TABLE kg_api.relationship_types (
    id         smallint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL UNIQUE CONSTRAINT type_is_upper_case CHECK (name ~ '^[A-Z][A-Z0-9_]{0,99}$'),
    category   text NOT NULL,
    is_builtin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE kg_api.edges (
    src        integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    dst        integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    type       smallint NOT NULL REFERENCES kg_api.relationship_types (id),
    confidence real NOT NULL CONSTRAINT confidence_is_0_to_1 CHECK (confidence BETWEEN 0 AND 1), -- the best of its evidence
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (src, dst, type) INCLUDE (confidence),
    CONSTRAINT ends_differ CHECK (src <> dst)
);
CREATE INDEX edges_reverse_idx ON kg_api.edges (dst, src, type) INCLUDE (confidence);

-- Where a relationship was read. An edge goes with its last evidence.
CREATE TABLE kg_api.edge_evidence (
    src        integer NOT NULL,
    dst        integer NOT NULL,
    type       smallint NOT NULL,
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    confidence real NOT NULL,
    quote      text NOT NULL DEFAULT '',
    start_byte integer NOT NULL DEFAULT 0,
    end_byte   integer NOT NULL DEFAULT 0,
    PRIMARY KEY (src, dst, type, source),
    FOREIGN KEY (src, dst, type) REFERENCES kg_api.edges (src, dst, type) ON DELETE CASCADE
);
CREATE INDEX edge_evidence_source_idx ON kg_api.edge_evidence (source);

-- +goose Down
DROP TABLE kg_api.edge_evidence, kg_api.edges, kg_api.relationship_types, kg_api.instances, kg_api.concept_embeddings,
    kg_api.concepts, kg_api.sources, kg_api.documents, kg_api.graph_epoch, kg_api.ontologies;
