-- +goose Up
-- The graph: concepts with the quotes that show them, and relationships with their evidence.
--
-- Two rules of relationships are kept here, and not by each statement in its own way: a type
-- that reads the same in both directions has the end with the smaller number first, so that
-- two concepts have one such relationship and not two; and the confidence of a relationship
-- is that of its best evidence.
--
-- Whoever writes the graph, a migration too, holds pg_advisory_xact_lock(100000002) from the
-- beginning: without it, a chunk that is being written and the other could wait for each other.

CREATE TABLE kg_api.concepts (
    id              integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    concept_id      text NOT NULL UNIQUE CONSTRAINT concept_id_has_its_form CHECK (concept_id ~ '^[A-Za-z0-9_:-]{1,200}$' AND concept_id ~ '[_-]'),
    label           text NOT NULL,
    description     text NOT NULL DEFAULT '',
    search_terms    text[] NOT NULL DEFAULT '{}',
    -- The label and the search terms in lower case with white space folded.
    term_keys       text[] NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How a concept came about: an ingestion found it, or a person or an agent made it.
    creation_method text NOT NULL DEFAULT 'llm_extraction'
        CONSTRAINT creation_method_is_known CHECK (creation_method IN ('llm_extraction', 'human', 'agent'))
);
-- fastupdate would collect new entries in a list that every search reads.
CREATE INDEX concepts_terms_idx ON kg_api.concepts USING gin (term_keys) WITH (fastupdate = off);

-- The model that made the embeddings of the graph. Those of two models cannot be
-- compared, so there is one: what another one made is refused, and a job (reembed) makes
-- all of them anew for a new model. NULL: the first server says, see EmbeddingSpaceBegin.
CREATE TABLE kg_api.embedding_space (
    one         boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    model       text,
    dimensions  integer,
    reembedding boolean NOT NULL DEFAULT false -- older embeddings of another model are left
);
INSERT INTO kg_api.embedding_space DEFAULT VALUES;

-- Embeddings stand apart, so that walking the graph does not read them.
CREATE TABLE kg_api.concept_embeddings (
    concept    integer PRIMARY KEY REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    model      text NOT NULL,
    vector     real[] NOT NULL,
    signature  bit(768) NOT NULL, -- signs of random projections: bits that differ estimate the angle
    bands      integer[] NOT NULL, -- the signature in 64 keys; near vectors share one
    dimensions integer GENERATED ALWAYS AS (cardinality(vector)) STORED
);
-- The built-in embeddings compare names only, and nothing is matched by them: they need not
-- be in this index, which costs more than all else that a new concept writes, and more the
-- larger the graph is.
CREATE INDEX concept_embeddings_bands_idx ON kg_api.concept_embeddings USING gin (bands) WITH (fastupdate = off)
    WHERE model <> 'local-ngram-768';

-- +goose StatementBegin
CREATE FUNCTION kg_api.check_embedding_space() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    space kg_api.embedding_space;
BEGIN
    SELECT s.* INTO space FROM kg_api.embedding_space s;
    IF space.model IS NULL THEN
        RETURN NULL;
    END IF;
    IF space.dimensions IS NULL THEN
        UPDATE kg_api.embedding_space s SET dimensions = (SELECT c.dimensions FROM changed c LIMIT 1)
        WHERE s.dimensions IS NULL RETURNING s.dimensions INTO space.dimensions;
    END IF;
    IF EXISTS (SELECT 1 FROM changed c WHERE c.model <> space.model OR c.dimensions <> space.dimensions) THEN
        RAISE EXCEPTION 'embeddings of another model than that of the graph' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER check_space_added AFTER INSERT ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_embedding_space();
CREATE TRIGGER check_space_changed AFTER UPDATE ON kg_api.concept_embeddings
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_embedding_space();

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

-- What each chunk says of a concept: the label that it uses, a description, other
-- names. The first one made the concept, the others added to it; when a document is
-- taken out, what is left of a concept is made of the mentions that remain.
CREATE TABLE kg_api.mentions (
    id           bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    concept      integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    source       integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    place        integer NOT NULL, -- among the concepts of the chunk
    label        text NOT NULL,
    description  text NOT NULL,
    search_terms text[] NOT NULL,
    -- How a mention was taken for the concept: what decided, and how similar the embeddings
    -- are. NULL: it made the concept, or is older than these columns.
    matched_by   text,
    score        real,
    -- How much a chunk is about a concept: the sum over a document says how much the
    -- document is. 0: older than this column.
    weight       real NOT NULL DEFAULT 0,
    CONSTRAINT a_mention_appears_once UNIQUE (source, place),
    CONSTRAINT weight_is_not_negative CHECK (weight >= 0)
);
CREATE INDEX mentions_concept_idx ON kg_api.mentions (concept, id);

-- What a concept is called within an ontology, '' for all: its own name, unless only documents
-- of other ontologies gave it that; a name that no document gave it was given by a person, for
-- all. They have subqueries, so PostgreSQL does not put them into the statements that use them:
-- each is planned once a session, and called for each concept.
CREATE FUNCTION kg_api.label_in(concept_number integer, own text, ontology_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_name = '' THEN own
        WHEN NOT EXISTS (SELECT FROM kg_api.mentions m WHERE m.concept = concept_number AND m.label = own) THEN own
        ELSE coalesce((
            SELECT m.label
            FROM kg_api.mentions m
            JOIN kg_api.sources s ON s.id = m.source
            JOIN kg_api.documents d ON d.id = s.document
            JOIN kg_api.ontologies o ON o.id = d.ontology_id
            WHERE m.concept = concept_number AND o.name = ontology_name
            ORDER BY m.label <> own, m.id LIMIT 1), own)
    END
$$;

CREATE FUNCTION kg_api.description_in(concept_number integer, own text, ontology_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_name = '' OR own = '' THEN own
        WHEN NOT EXISTS (SELECT FROM kg_api.mentions m WHERE m.concept = concept_number AND m.description = own) THEN own
        ELSE coalesce((
            SELECT m.description
            FROM kg_api.mentions m
            JOIN kg_api.sources s ON s.id = m.source
            JOIN kg_api.documents d ON d.id = s.document
            JOIN kg_api.ontologies o ON o.id = d.ontology_id
            WHERE m.concept = concept_number AND o.name = ontology_name AND m.description <> ''
            ORDER BY m.description <> own, m.id LIMIT 1), '')
    END
$$;

CREATE TABLE kg_api.relationship_types (
    id                  integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name                text NOT NULL UNIQUE CONSTRAINT type_is_upper_case CHECK (name ~ '^[A-Z][A-Z0-9_]{0,99}$'),
    category            text NOT NULL,
    is_builtin          boolean NOT NULL DEFAULT false,
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- A relationship type that was merged into another one is not active: its edges are those
    -- of the other one, and what is read of it later becomes the other one too. The category
    -- of a type that an extractor brought in is computed from its likeness to the built-in
    -- types.
    merged_into         integer REFERENCES kg_api.relationship_types (id),
    category_confidence double precision CONSTRAINT category_confidence_is_0_to_1 CHECK (category_confidence BETWEEN 0 AND 1), -- NULL: not computed
    category_ambiguous  boolean NOT NULL DEFAULT false,
    -- A relationship type that somebody has added by hand: what it means, and who. NULL is
    -- a built-in one, or one that an extractor brought in.
    description         text,
    added_by            text,
    -- The types that read the same in both directions; vocabulary.SymmetricType has them too.
    is_symmetric        boolean NOT NULL GENERATED ALWAYS AS (name IN ('RELATED_TO')) STORED,
    CONSTRAINT a_type_is_not_merged_into_itself CHECK (merged_into <> id),
    CONSTRAINT builtin_types_stay CHECK (NOT is_builtin OR merged_into IS NULL)
);

CREATE TABLE kg_api.edges (
    src        integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    dst        integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    type       integer NOT NULL REFERENCES kg_api.relationship_types (id),
    confidence real NOT NULL CONSTRAINT confidence_is_0_to_1 CHECK (confidence BETWEEN 0 AND 1), -- the best of its evidence
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (src, dst, type) INCLUDE (confidence),
    CONSTRAINT ends_differ CHECK (src <> dst)
);
CREATE INDEX edges_reverse_idx ON kg_api.edges (dst, src, type) INCLUDE (confidence);

-- Where a relationship was read. An edge goes with its last evidence.
CREATE TABLE kg_api.edge_evidence (
    src          integer NOT NULL,
    dst          integer NOT NULL,
    type         integer NOT NULL,
    source       integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    confidence   real NOT NULL,
    quote        text NOT NULL DEFAULT '',
    start_byte   integer NOT NULL DEFAULT 0,
    end_byte     integer NOT NULL DEFAULT 0,
    -- Where both ends of a relationship stand in its quote, in bytes of the quote: by a name,
    -- by a word that refers to them, or in the sentence before, which is kept then. What is
    -- older than these columns says nothing of it, nor when it was read.
    from_kind    text NOT NULL DEFAULT '',
    from_start   smallint NOT NULL DEFAULT 0,
    from_end     smallint NOT NULL DEFAULT 0,
    to_kind      text NOT NULL DEFAULT '',
    to_start     smallint NOT NULL DEFAULT 0,
    to_end       smallint NOT NULL DEFAULT 0,
    before_quote text NOT NULL DEFAULT '',
    before_start integer NOT NULL DEFAULT 0,
    created_at   timestamptz DEFAULT clock_timestamp(),
    PRIMARY KEY (src, dst, type, source),
    FOREIGN KEY (src, dst, type) REFERENCES kg_api.edges (src, dst, type) ON DELETE CASCADE,
    CONSTRAINT kinds_of_marks_are_known CHECK (from_kind IN ('', 'name', 'reference', 'before') AND to_kind IN ('', 'name', 'reference', 'before')),
    CONSTRAINT marks_stand_in_the_quote CHECK (0 <= from_start AND from_start <= from_end AND from_end <= octet_length(quote)
        AND 0 <= to_start AND to_start <= to_end AND to_end <= octet_length(quote))
);
CREATE INDEX edge_evidence_source_idx ON kg_api.edge_evidence (source);
-- The sentences that state a relationship in the order in which answers show them; see
-- EdgeEvidence. Whoever asks for the three best of a relationship reads three.
CREATE INDEX edge_evidence_best_idx ON kg_api.edge_evidence
    (src, dst, type, (quote = ''), confidence DESC, (from_kind = 'name' AND to_kind = 'name') DESC, source);

-- That the ends of symmetric types are in order asks another table, so it is a trigger; of a
-- statement, since chunks write many relationships at once.
-- +goose StatementBegin
CREATE FUNCTION kg_api.check_ends_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed e JOIN kg_api.relationship_types t ON t.id = e.type WHERE e.src > e.dst AND t.is_symmetric) THEN
        RAISE EXCEPTION 'a relationship of a symmetric type has its ends out of order'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ends_of_symmetric_types_are_in_order', SCHEMA = 'kg_api', TABLE = 'edges';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER ends_added_are_in_order AFTER INSERT ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_ends_in_order();
CREATE TRIGGER ends_changed_are_in_order AFTER UPDATE ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_ends_in_order();

-- The type that a type has become, through all merges.
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_type(t integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    next integer;
BEGIN
    LOOP
        SELECT r.merged_into INTO next FROM kg_api.relationship_types r WHERE r.id = t;
        EXIT WHEN next IS NULL;
        t := next;
    END LOOP;
    RETURN t;
END $$;
-- +goose StatementEnd

-- The concept that a concept has become, through all merges that stand: see
-- 00008_curation.sql.
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_concept(c integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    next integer;
BEGIN
    LOOP
        IF EXISTS (SELECT FROM kg_api.concepts o WHERE o.id = c) THEN
            RETURN c;
        END IF;
        SELECT m.kept INTO next FROM kg_api.concept_merges m WHERE m.merged = c AND m.undone_at IS NULL ORDER BY m.id DESC LIMIT 1;
        IF next IS NULL THEN
            RETURN c;
        END IF;
        c := next;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Evidence as it is stored: between the concepts and of the type that its ends and its type
-- have become, and of a symmetric type with the ends, and their marks, in order.
-- +goose StatementBegin
CREATE FUNCTION kg_api.placed(v kg_api.edge_evidence) RETURNS kg_api.edge_evidence LANGUAGE plpgsql STABLE AS $$
DECLARE
    p kg_api.edge_evidence := v;
BEGIN
    p.type := kg_api.current_type(v.type);
    p.src := kg_api.current_concept(v.src);
    p.dst := kg_api.current_concept(v.dst);
    IF p.src > p.dst AND (SELECT t.is_symmetric FROM kg_api.relationship_types t WHERE t.id = p.type) THEN
        SELECT p.dst, p.src, v.to_kind, v.to_start, v.to_end, v.from_kind, v.from_start, v.from_end
            INTO p.src, p.dst, p.from_kind, p.from_start, p.from_end, p.to_kind, p.to_start, p.to_end;
    END IF;
    RETURN p;
END $$;
-- +goose StatementEnd

-- Stores evidence with the relationships that it is of; what has lost an end or its chunk is
-- left out. Of two rows of one relationship in one chunk the surer stays, and of two that
-- are as sure the one that is there. A row is evidence as jsonb, which may have besides
-- since when its relationship is there (edge_created_at).
-- +goose StatementBegin
CREATE FUNCTION kg_api.place_evidence(rows jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    placed kg_api.edge_evidence[];
    since timestamptz[]; -- of the relationship of each
BEGIN
    SELECT array_agg(best.v), array_agg(best.since) INTO placed, since
    FROM (SELECT DISTINCT ON ((r.v).src, (r.v).dst, (r.v).type, (r.v).source) r.v, r.since
        FROM (SELECT kg_api.placed(jsonb_populate_record(NULL::kg_api.edge_evidence, u.content)) AS v, (u.content ->> 'edge_created_at')::timestamptz AS since
            FROM unnest(rows) AS u (content) OFFSET 0) r
        JOIN kg_api.concepts a ON a.id = (r.v).src
        JOIN kg_api.concepts b ON b.id = (r.v).dst
        JOIN kg_api.sources s ON s.id = (r.v).source
        WHERE (r.v).src <> (r.v).dst
        ORDER BY (r.v).src, (r.v).dst, (r.v).type, (r.v).source, (r.v).confidence DESC, (r.v).start_byte, r.since) best;

    INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
    SELECT p.src, p.dst, p.type, max(p.confidence), coalesce(min(p.since), clock_timestamp())
    FROM (SELECT (u.v).src, (u.v).dst, (u.v).type, (u.v).confidence, u.since FROM (SELECT unnest(placed) AS v, unnest(since) AS since) u) p
    GROUP BY p.src, p.dst, p.type ORDER BY p.src, p.dst, p.type
    ON CONFLICT (src, dst, type) DO NOTHING;

    -- What was written before marks were kept has none.
    INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
        from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
    SELECT p.src, p.dst, p.type, p.source, p.confidence, p.quote, p.start_byte, p.end_byte,
        coalesce(p.from_kind, ''), coalesce(p.from_start, 0), coalesce(p.from_end, 0), coalesce(p.to_kind, ''), coalesce(p.to_start, 0), coalesce(p.to_end, 0),
        coalesce(p.before_quote, ''), coalesce(p.before_start, 0), p.created_at
    FROM unnest(placed) AS p
    ON CONFLICT (src, dst, type, source) DO UPDATE
    SET confidence = excluded.confidence, quote = excluded.quote, start_byte = excluded.start_byte, end_byte = excluded.end_byte,
        from_kind = excluded.from_kind, from_start = excluded.from_start, from_end = excluded.from_end,
        to_kind = excluded.to_kind, to_start = excluded.to_start, to_end = excluded.to_end,
        before_quote = excluded.before_quote, before_start = excluded.before_start, created_at = excluded.created_at
    WHERE edge_evidence.confidence < excluded.confidence;

    PERFORM kg_api.settle_edges(array_agg(p.src), array_agg(p.dst), array_agg(p.type::integer)) FROM unnest(placed) AS p;
END $$;
-- +goose StatementEnd

-- Gives relationships the confidence of their best evidence. Those that have none go.
-- +goose StatementBegin
CREATE FUNCTION kg_api.settle_edges(srcs integer[], dsts integer[], types integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kg_api.edges e SET confidence = b.best
    FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best
        FROM (SELECT DISTINCT * FROM unnest(srcs, dsts, types) AS u (src, dst, type)) t
        JOIN kg_api.edge_evidence v ON v.src = t.src AND v.dst = t.dst AND v.type = t.type
        GROUP BY v.src, v.dst, v.type) b
    WHERE e.src = b.src AND e.dst = b.dst AND e.type = b.type AND e.confidence <> b.best;
    DELETE FROM kg_api.edges e USING (SELECT DISTINCT * FROM unnest(srcs, dsts, types) AS u (src, dst, type)) t
    WHERE e.src = t.src AND e.dst = t.dst AND e.type = t.type
        AND NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type);
END $$;
-- +goose StatementEnd

-- Whether a part of a text stands at an offset in bytes.
CREATE FUNCTION kg_api.stands_at(whole text, start integer, bytes integer, part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN start >= 0 AND bytes = octet_length(part)
    AND substring(convert_to(whole, 'UTF8') FROM greatest(start, 0) + 1 FOR greatest(bytes, 0)) = convert_to(part, 'UTF8');

-- The graph's epoch rises when an ingestion has changed the graph; what was
-- computed under an older epoch is stale.
CREATE TABLE kg_api.graph_epoch (
    one   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_epoch CHECK (one),
    epoch bigint NOT NULL
);
INSERT INTO kg_api.graph_epoch (epoch) VALUES (0);

-- What raised the graph's epoch, a row each. The counts are of concepts that
-- came and went, and of relationships that were written and that went.
CREATE TABLE kg_api.epoch_log (
    epoch            bigint PRIMARY KEY,
    at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind             text NOT NULL CONSTRAINT epoch_kind_is_known CHECK (kind IN ('ingestion', 'reasoning', 'breathing', 'edit')),
    act              text NOT NULL, -- as the audit log names it
    actor            text NOT NULL DEFAULT '', -- a user name; '': the server itself
    job_id           text, -- whose row may be gone
    object           text NOT NULL DEFAULT '', -- what it was about
    concepts_added   integer NOT NULL DEFAULT 0,
    concepts_removed integer NOT NULL DEFAULT 0,
    edges_set        integer NOT NULL DEFAULT 0,
    edges_removed    integer NOT NULL DEFAULT 0
);
CREATE INDEX epoch_log_job_idx ON kg_api.epoch_log (job_id, epoch) WHERE job_id IS NOT NULL;
CREATE INDEX epoch_log_note_idx ON kg_api.epoch_log (object, epoch) WHERE act = 'graph.write';
CREATE INDEX epoch_log_kind_idx ON kg_api.epoch_log (kind, epoch);
CREATE INDEX epoch_log_actor_idx ON kg_api.epoch_log (actor, epoch);
CREATE INDEX epoch_log_at_idx ON kg_api.epoch_log (at);

-- How questions are put to the tables of the graph. Every server follows a change
-- within a second: it is notified on kg_graph_settings.
CREATE TABLE kg_api.graph_settings (
    one                   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    max_workers           integer NOT NULL DEFAULT 8 CONSTRAINT workers_are_1_to_32 CHECK (max_workers BETWEEN 1 AND 32),
    timeout_seconds       integer NOT NULL DEFAULT 30 CONSTRAINT timeout_is_5_to_120_seconds CHECK (timeout_seconds BETWEEN 5 AND 120),
    parallel_from         integer NOT NULL DEFAULT 4000 CONSTRAINT parallel_from_is_1_to_1000000 CHECK (parallel_from BETWEEN 1 AND 1000000),
    chunk_size            integer NOT NULL DEFAULT 1000 CONSTRAINT chunk_size_is_1_to_100000 CHECK (chunk_size BETWEEN 1 AND 100000),
    chunk_timeout_seconds integer NOT NULL DEFAULT 5 CONSTRAINT chunk_timeout_is_1_to_120_seconds CHECK (chunk_timeout_seconds BETWEEN 1 AND 120),
    max_results_per_chunk integer NOT NULL DEFAULT 500000 CONSTRAINT chunk_results_are_100_to_5000000 CHECK (max_results_per_chunk BETWEEN 100 AND 5000000),
    updated_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO kg_api.graph_settings DEFAULT VALUES;

-- What is set for searches while servers run.
CREATE TABLE kg_api.search_settings (
    one       boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    threshold double precision CONSTRAINT threshold_is_0_to_1 CHECK (threshold BETWEEN 0 AND 1) -- NULL: the default
);
INSERT INTO kg_api.search_settings DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.search_settings, kg_api.graph_settings, kg_api.epoch_log, kg_api.graph_epoch;
DROP FUNCTION kg_api.stands_at, kg_api.settle_edges, kg_api.place_evidence, kg_api.placed, kg_api.current_concept, kg_api.current_type;
DROP FUNCTION kg_api.description_in, kg_api.label_in;
DROP TABLE kg_api.edge_evidence, kg_api.edges, kg_api.relationship_types, kg_api.mentions, kg_api.instances, kg_api.concept_embeddings,
    kg_api.embedding_space, kg_api.concepts;
DROP FUNCTION kg_api.check_ends_in_order, kg_api.check_embedding_space;
