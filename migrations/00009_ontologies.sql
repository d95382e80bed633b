-- +goose Up
-- What is measured and counted of ontologies, and the changes of them that are proposed.

-- What was measured of each ontology, as of a graph epoch.
CREATE TABLE kg_api.ontology_scores (
    ontology          integer PRIMARY KEY REFERENCES kg_api.ontologies (id) ON DELETE CASCADE,
    files             integer NOT NULL,
    sources           integer NOT NULL,
    concepts          integer NOT NULL,
    evidence          integer NOT NULL,
    internal_edges    integer NOT NULL, -- between two of its concepts
    crossing_edges    integer NOT NULL, -- from one of its concepts to another one, or back
    mass              double precision NOT NULL,
    coherence         double precision NOT NULL,
    raw_exposure      double precision NOT NULL,
    weighted_exposure double precision NOT NULL,
    protection        double precision NOT NULL,
    epoch             bigint NOT NULL,
    at                timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How ontologies overlap, as of the last annealing: one row for two of them. The first one
-- specializes the second one when most of its concepts are in that one.
CREATE TABLE kg_api.ontology_edges (
    src    integer NOT NULL REFERENCES kg_api.ontologies (id) ON DELETE CASCADE,
    dst    integer NOT NULL REFERENCES kg_api.ontologies (id) ON DELETE CASCADE,
    kind   text NOT NULL CONSTRAINT edge_kind_is_known CHECK (kind IN ('OVERLAPS', 'SPECIALIZES')),
    score  double precision NOT NULL, -- the share of the smaller one's concepts that both have
    shared integer NOT NULL,
    epoch  bigint NOT NULL,
    PRIMARY KEY (src, dst),
    CONSTRAINT two_ontologies CHECK (src <> dst)
);
CREATE INDEX ontology_edges_dst_idx ON kg_api.ontology_edges (dst);

-- When the ontologies were last annealed.
CREATE TABLE kg_api.annealing_state (
    one   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    epoch bigint NOT NULL DEFAULT 0,
    at    timestamptz
);
INSERT INTO kg_api.annealing_state DEFAULT VALUES;

-- Changes of ontologies that were proposed, and what has become of them. An ontology may be
-- gone: the numbers refer to nothing. removed is the ontology that the execution has
-- removed, for its undo.
CREATE TABLE kg_api.ontology_proposals (
    id                    integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind                  text NOT NULL CONSTRAINT proposal_kind_is_known CHECK (kind IN ('promotion', 'demotion', 'merge', 'reassignment')),
    ontology              integer NOT NULL,
    ontology_name         text NOT NULL,
    target                integer, -- NULL: it is made by the execution
    target_name           text,
    anchor                text, -- the id of the concept that a promotion is about
    suggested_name        text,
    suggested_description text,
    reasoning             text NOT NULL,
    mass                  double precision,
    coherence             double precision,
    protection            double precision,
    status                text NOT NULL DEFAULT 'pending' CONSTRAINT proposal_status_is_known
        CHECK (status IN ('pending', 'approved', 'rejected', 'executing', 'executed', 'failed', 'undone', 'expired')),
    made_by               text NOT NULL,
    epoch                 bigint NOT NULL,
    created_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    reviewed_at           timestamptz,
    reviewed_by           text,
    reviewer_notes        text,
    job_id                text, -- of the execution; its row may be gone
    executed_at           timestamptz,
    result                jsonb,
    removed               jsonb,
    made                  boolean NOT NULL DEFAULT false, -- the execution has made the target
    undone_at             timestamptz,
    undone_by             text
);
-- The same is proposed once, and not again when a person has rejected it.
CREATE UNIQUE INDEX ontology_proposals_open_idx ON kg_api.ontology_proposals (kind, ontology, coalesce(target, 0), coalesce(anchor, ''))
    WHERE status IN ('pending', 'rejected');

-- What an execution has moved, as it was: whole documents; chunks that went to a document
-- of the target, made for them or not; and documents that had no chunk left, as rows. It is
-- moved back by an undo unless it was read again since: job_id is the job that had written it
-- last, from_job the one of the document that it was in, and newest the number of the newest
-- chunk of all at that time. NULL: older than these columns.
CREATE TABLE kg_api.moved_documents (
    proposal integer NOT NULL REFERENCES kg_api.ontology_proposals (id) ON DELETE CASCADE,
    document integer NOT NULL,
    what     text NOT NULL CONSTRAINT move_is_known CHECK (what IN ('moved', 'made', 'removed')),
    removed  jsonb,
    job_id   text,
    PRIMARY KEY (proposal, document, what)
);

CREATE TABLE kg_api.moved_sources (
    proposal      integer NOT NULL REFERENCES kg_api.ontology_proposals (id) ON DELETE CASCADE,
    source        integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    from_document integer NOT NULL,
    to_document   integer NOT NULL,
    job_id        text,
    from_job      text,
    newest        integer,
    PRIMARY KEY (proposal, source)
);
CREATE INDEX moved_sources_source_idx ON kg_api.moved_sources (source);

-- What an ontology holds is counted where it changes, so that showing it costs the same in
-- every graph. Whoever writes only appends to ontology_changes, and so waits for nobody; a
-- reader adds those changes to the counts; and now and then a server folds them in.

-- How often an ontology shows a concept (other and type are 0 then), or a relationship.
CREATE TABLE kg_api.ontology_holdings (
    ontology integer NOT NULL,
    concept  integer NOT NULL,
    other    integer NOT NULL DEFAULT 0,
    type     integer NOT NULL DEFAULT 0,
    times    bigint NOT NULL CONSTRAINT holdings_are_shown CHECK (times > 0),
    PRIMARY KEY (ontology, concept, other, type)
);
CREATE INDEX ontology_holdings_concept_idx ON kg_api.ontology_holdings (concept, ontology) WHERE other = 0;

-- A row is a document, a chunk, a quote, or a piece of evidence that came (1) or went (-1),
-- or several.
CREATE TABLE kg_api.ontology_changes (
    kind     text NOT NULL CONSTRAINT kind_of_change_is_known CHECK (kind IN ('document', 'source', 'quote', 'evidence')),
    ontology integer NOT NULL,
    concept  integer NOT NULL DEFAULT 0,
    other    integer NOT NULL DEFAULT 0,
    type     integer NOT NULL DEFAULT 0,
    change   bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE TABLE kg_api.ontology_counts (
    ontology      integer PRIMARY KEY,
    documents     bigint NOT NULL DEFAULT 0,
    sources       bigint NOT NULL DEFAULT 0,
    quotes        bigint NOT NULL DEFAULT 0,
    concepts      bigint NOT NULL DEFAULT 0, -- shown by at least one quote
    relationships bigint NOT NULL DEFAULT 0 -- shown by at least one piece of evidence
) WITH (fillfactor = 50);

-- How many concepts two ontologies share, a row from either side.
CREATE TABLE kg_api.ontology_pairs (
    ontology integer NOT NULL,
    other    integer NOT NULL,
    shared   bigint NOT NULL,
    PRIMARY KEY (ontology, other)
);

-- The sum of the changes of each thing, and how often it was shown before them.
CREATE VIEW kg_api.ontology_pending AS
SELECT s.kind, s.ontology, s.concept, s.other, s.type, s.change, coalesce(h.times, 0) AS before
FROM (SELECT c.kind, c.ontology, c.concept, c.other, c.type, sum(c.change)::bigint AS change
    FROM kg_api.ontology_changes c GROUP BY c.kind, c.ontology, c.concept, c.other, c.type HAVING sum(c.change) <> 0) s
LEFT JOIN kg_api.ontology_holdings h ON s.concept <> 0 AND h.ontology = s.ontology AND h.concept = s.concept AND h.other = s.other AND h.type = s.type;

-- What every ontology holds at this moment.
CREATE VIEW kg_api.ontology_totals AS
SELECT o.id AS ontology,
    (coalesce(c.documents, 0) + coalesce(p.documents, 0))::bigint AS documents,
    (coalesce(c.sources, 0) + coalesce(p.sources, 0))::bigint AS sources,
    (coalesce(c.quotes, 0) + coalesce(p.quotes, 0))::bigint AS quotes,
    (coalesce(c.concepts, 0) + coalesce(p.concepts, 0))::bigint AS concepts,
    (coalesce(c.relationships, 0) + coalesce(p.relationships, 0))::bigint AS relationships
FROM kg_api.ontologies o
LEFT JOIN kg_api.ontology_counts c ON c.ontology = o.id
LEFT JOIN (SELECT n.ontology,
        sum(n.change) FILTER (WHERE n.kind = 'document') AS documents,
        sum(n.change) FILTER (WHERE n.kind = 'source') AS sources,
        sum(n.change) FILTER (WHERE n.kind = 'quote') AS quotes,
        sum((n.before + n.change > 0)::int - (n.before > 0)::int) FILTER (WHERE n.kind = 'quote') AS concepts,
        sum((n.before + n.change > 0)::int - (n.before > 0)::int) FILTER (WHERE n.kind = 'evidence') AS relationships
    FROM kg_api.ontology_pending n GROUP BY n.ontology) p ON p.ontology = o.id;

-- What the changes do to that. An ontology that begins or ends to show a concept shares it
-- with those that show it all the while, and with those that do so at the same moment.
CREATE VIEW kg_api.ontology_pairs_pending AS
WITH crossing AS MATERIALIZED (
    SELECT n.ontology, n.concept, CASE WHEN n.before > 0 THEN -1 ELSE 1 END AS sign
    FROM kg_api.ontology_pending n WHERE n.kind = 'quote' AND (n.before > 0) <> (n.before + n.change > 0)
), steady AS (
    SELECT x.ontology, h.ontology AS other, x.sign
    FROM crossing x JOIN kg_api.ontology_holdings h ON h.concept = x.concept AND h.other = 0 AND h.ontology <> x.ontology
    WHERE (h.ontology, h.concept) NOT IN (SELECT y.ontology, y.concept FROM crossing y)
)
SELECT p.ontology, p.other, sum(p.sign)::bigint AS change
FROM (SELECT s.ontology, s.other, s.sign FROM steady s
    UNION ALL SELECT s.other, s.ontology, s.sign FROM steady s
    UNION ALL SELECT x.ontology, y.ontology, x.sign FROM crossing x JOIN crossing y ON y.concept = x.concept AND y.ontology <> x.ontology AND y.sign = x.sign) p
GROUP BY p.ontology, p.other;

-- Folds the changes into the counts, and returns how many there were. One does so at a time;
-- changes that are not committed yet are folded in the next time. Its statements must see
-- the same changes, so it wants a snapshot that lasts.
-- +goose StatementBegin
CREATE FUNCTION kg_api.fold_ontology_changes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    folded bigint;
BEGIN
    IF current_setting('transaction_isolation') NOT IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'changes of ontologies are folded in at repeatable read';
    END IF;
    IF NOT EXISTS (SELECT FROM kg_api.ontology_changes) OR NOT pg_try_advisory_xact_lock(hashtextextended('kg_api.ontology_counts', 0)) THEN
        RETURN 0;
    END IF;
    INSERT INTO kg_api.ontology_pairs AS p (ontology, other, shared)
    SELECT n.ontology, n.other, n.change FROM kg_api.ontology_pairs_pending n WHERE n.change <> 0
    ON CONFLICT (ontology, other) DO UPDATE SET shared = p.shared + excluded.shared;
    INSERT INTO kg_api.ontology_counts AS c (ontology, documents, sources, quotes, concepts, relationships)
    SELECT t.ontology, t.documents, t.sources, t.quotes, t.concepts, t.relationships FROM kg_api.ontology_totals t
    ON CONFLICT (ontology) DO UPDATE SET documents = excluded.documents, sources = excluded.sources, quotes = excluded.quotes,
        concepts = excluded.concepts, relationships = excluded.relationships
    WHERE (c.documents, c.sources, c.quotes, c.concepts, c.relationships)
        <> (excluded.documents, excluded.sources, excluded.quotes, excluded.concepts, excluded.relationships);
    DELETE FROM kg_api.ontology_pairs p WHERE p.shared = 0;
    DELETE FROM kg_api.ontology_counts c WHERE NOT EXISTS (SELECT FROM kg_api.ontologies o WHERE o.id = c.ontology);
    -- Those that go first: how often the others were shown before changes with the next statement.
    DELETE FROM kg_api.ontology_holdings h USING kg_api.ontology_pending n
    WHERE n.before > 0 AND n.before + n.change <= 0 AND h.ontology = n.ontology AND h.concept = n.concept AND h.other = n.other AND h.type = n.type;
    INSERT INTO kg_api.ontology_holdings (ontology, concept, other, type, times)
    SELECT n.ontology, n.concept, n.other, n.type, n.before + n.change FROM kg_api.ontology_pending n WHERE n.concept <> 0 AND n.before + n.change > 0
    ON CONFLICT (ontology, concept, other, type) DO UPDATE SET times = excluded.times;
    DELETE FROM kg_api.ontology_changes;
    GET DIAGNOSTICS folded = ROW_COUNT;
    RETURN folded;
END $$;
-- +goose StatementEnd

-- Counts everything anew, for whoever writes the tables past the triggers. The caller holds
-- the lock of the graph alone.
-- +goose StatementBegin
CREATE FUNCTION kg_api.recount_ontologies() RETURNS void LANGUAGE plpgsql SET enable_hashjoin = on SET enable_mergejoin = on AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('kg_api.ontology_counts', 0));
    DELETE FROM kg_api.ontology_changes;
    DELETE FROM kg_api.ontology_holdings;
    DELETE FROM kg_api.ontology_counts;
    DELETE FROM kg_api.ontology_pairs;
    INSERT INTO kg_api.ontology_holdings (ontology, concept, times)
    SELECT d.ontology_id, i.concept, count(*) FROM kg_api.instances i
    JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document GROUP BY d.ontology_id, i.concept;
    INSERT INTO kg_api.ontology_holdings (ontology, concept, other, type, times)
    SELECT d.ontology_id, v.src, v.dst, v.type, count(*) FROM kg_api.edge_evidence v
    JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document GROUP BY d.ontology_id, v.src, v.dst, v.type;
    INSERT INTO kg_api.ontology_counts (ontology, documents, sources, quotes, concepts, relationships)
    SELECT o.id, coalesce(d.documents, 0), coalesce(s.sources, 0), coalesce(h.quotes, 0), coalesce(h.concepts, 0), coalesce(h.relationships, 0)
    FROM kg_api.ontologies o
    LEFT JOIN (SELECT x.ontology_id, count(*) AS documents FROM kg_api.documents x GROUP BY x.ontology_id) d ON d.ontology_id = o.id
    LEFT JOIN (SELECT x.ontology_id, count(*) AS sources FROM kg_api.sources y JOIN kg_api.documents x ON x.id = y.document GROUP BY x.ontology_id) s ON s.ontology_id = o.id
    LEFT JOIN (SELECT x.ontology, sum(x.times) FILTER (WHERE x.other = 0) AS quotes, count(*) FILTER (WHERE x.other = 0) AS concepts,
        count(*) FILTER (WHERE x.other <> 0) AS relationships FROM kg_api.ontology_holdings x GROUP BY x.ontology) h ON h.ontology = o.id;
    INSERT INTO kg_api.ontology_pairs (ontology, other, shared)
    SELECT a.ontology, b.ontology, count(*) FROM kg_api.ontology_holdings a
    JOIN kg_api.ontology_holdings b ON b.concept = a.concept AND b.other = 0 AND b.ontology <> a.ontology WHERE a.other = 0 GROUP BY a.ontology, b.ontology;
END $$;
-- +goose StatementEnd

-- What came with new rows, or went with old ones; an update has both.
-- +goose StatementBegin
CREATE FUNCTION kg_api.count_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- A document moves with its chunks, quotes and evidence.
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, other, type, change)
        WITH moved AS MATERIALIZED (
            SELECT n.id, p.ontology_id AS gone, n.ontology_id AS come FROM changed n JOIN previous p ON p.id = n.id WHERE n.ontology_id <> p.ontology_id
        ), held AS MATERIALIZED (
            SELECT 'document' AS kind, m.gone, m.come, 0 AS concept, 0 AS other, 0 AS type FROM moved m
            UNION ALL SELECT 'source', m.gone, m.come, 0, 0, 0 FROM moved m JOIN kg_api.sources s ON s.document = m.id
            UNION ALL SELECT 'quote', m.gone, m.come, i.concept, 0, 0 FROM moved m JOIN kg_api.sources s ON s.document = m.id JOIN kg_api.instances i ON i.source = s.id
            UNION ALL SELECT 'evidence', m.gone, m.come, v.src, v.dst, v.type FROM moved m JOIN kg_api.sources s ON s.document = m.id JOIN kg_api.edge_evidence v ON v.source = s.id
        )
        SELECT h.kind, h.gone, h.concept, h.other, h.type, -count(*) FROM held h GROUP BY h.kind, h.gone, h.concept, h.other, h.type
        UNION ALL
        SELECT h.kind, h.come, h.concept, h.other, h.type, count(*) FROM held h GROUP BY h.kind, h.come, h.concept, h.other, h.type;
    ELSE
        INSERT INTO kg_api.ontology_changes (kind, ontology, change)
        SELECT 'document', c.ontology_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed c GROUP BY c.ontology_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.count_sources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- A chunk moves with its quotes and evidence.
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, other, type, change)
        WITH moved AS MATERIALIZED (
            SELECT n.id, a.ontology_id AS gone, b.ontology_id AS come
            FROM changed n JOIN previous p ON p.id = n.id JOIN kg_api.documents a ON a.id = p.document JOIN kg_api.documents b ON b.id = n.document
            WHERE n.document <> p.document AND a.ontology_id <> b.ontology_id
        ), held AS MATERIALIZED (
            SELECT 'source' AS kind, m.gone, m.come, 0 AS concept, 0 AS other, 0 AS type FROM moved m
            UNION ALL SELECT 'quote', m.gone, m.come, i.concept, 0, 0 FROM moved m JOIN kg_api.instances i ON i.source = m.id
            UNION ALL SELECT 'evidence', m.gone, m.come, v.src, v.dst, v.type FROM moved m JOIN kg_api.edge_evidence v ON v.source = m.id
        )
        SELECT h.kind, h.gone, h.concept, h.other, h.type, -count(*) FROM held h GROUP BY h.kind, h.gone, h.concept, h.other, h.type
        UNION ALL
        SELECT h.kind, h.come, h.concept, h.other, h.type, count(*) FROM held h GROUP BY h.kind, h.come, h.concept, h.other, h.type;
    ELSE
        INSERT INTO kg_api.ontology_changes (kind, ontology, change)
        SELECT 'source', d.ontology_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed c JOIN kg_api.documents d ON d.id = c.document GROUP BY d.ontology_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.count_quotes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, change)
        SELECT 'quote', d.ontology_id, r.concept, sum(r.change)
        FROM changed n JOIN previous p ON p.id = n.id AND (p.concept, p.source) IS DISTINCT FROM (n.concept, n.source)
        CROSS JOIN LATERAL (VALUES (p.concept, p.source, -1), (n.concept, n.source, 1)) AS r (concept, source, change)
        JOIN kg_api.sources s ON s.id = r.source JOIN kg_api.documents d ON d.id = s.document
        GROUP BY d.ontology_id, r.concept HAVING sum(r.change) <> 0;
    ELSE
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, change)
        SELECT 'quote', d.ontology_id, c.concept, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed c JOIN kg_api.sources s ON s.id = c.source JOIN kg_api.documents d ON d.id = s.document GROUP BY d.ontology_id, c.concept;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Evidence has no number of its own, so that an update cannot say which row became which:
-- all old ones went, and all new ones came.
-- +goose StatementBegin
CREATE FUNCTION kg_api.count_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, other, type, change)
        SELECT 'evidence', d.ontology_id, r.src, r.dst, r.type, sum(r.change)
        FROM (SELECT p.src, p.dst, p.type, p.source, -1 AS change FROM previous p UNION ALL SELECT n.src, n.dst, n.type, n.source, 1 FROM changed n) r
        JOIN kg_api.sources s ON s.id = r.source JOIN kg_api.documents d ON d.id = s.document
        GROUP BY d.ontology_id, r.src, r.dst, r.type HAVING sum(r.change) <> 0;
    ELSE
        INSERT INTO kg_api.ontology_changes (kind, ontology, concept, other, type, change)
        SELECT 'evidence', d.ontology_id, c.src, c.dst, c.type, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
        FROM changed c JOIN kg_api.sources s ON s.id = c.source JOIN kg_api.documents d ON d.id = s.document GROUP BY d.ontology_id, c.src, c.dst, c.type;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What was truncated took others with it.
-- +goose StatementBegin
CREATE FUNCTION kg_api.count_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kg_api.recount_ontologies();
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A document takes its chunks with it, and a chunk its quotes and evidence. They go before
-- it, since of what goes after it nobody could say any more which ontology it was in.
-- +goose StatementBegin
CREATE FUNCTION kg_api.count_chunks_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kg_api.sources s WHERE s.document = OLD.id;
    RETURN OLD;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.count_quotes_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kg_api.instances i WHERE i.source = OLD.id;
    DELETE FROM kg_api.edge_evidence v WHERE v.source = OLD.id;
    RETURN OLD;
END $$;
-- +goose StatementEnd

CREATE TRIGGER count_chunks_first BEFORE DELETE ON kg_api.documents FOR EACH ROW EXECUTE FUNCTION kg_api.count_chunks_first();
CREATE TRIGGER count_quotes_first BEFORE DELETE ON kg_api.sources FOR EACH ROW EXECUTE FUNCTION kg_api.count_quotes_first();

-- +goose StatementBegin
DO $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT * FROM (VALUES ('documents'), ('sources'), ('quotes'), ('evidence')) AS v (what) LOOP
        EXECUTE format('CREATE TRIGGER count_%1$s_added AFTER INSERT ON kg_api.%2$s REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.count_%1$s();
            CREATE TRIGGER count_%1$s_changed AFTER UPDATE ON kg_api.%2$s REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.count_%1$s();
            CREATE TRIGGER count_%1$s_truncated AFTER TRUNCATE ON kg_api.%2$s FOR EACH STATEMENT EXECUTE FUNCTION kg_api.count_truncated();
            CREATE TRIGGER count_%1$s_removed AFTER DELETE ON kg_api.%2$s REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.count_%1$s()',
            t.what, CASE t.what WHEN 'quotes' THEN 'instances' WHEN 'evidence' THEN 'edge_evidence' ELSE t.what END);
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP FUNCTION kg_api.count_documents, kg_api.count_sources, kg_api.count_quotes, kg_api.count_evidence, kg_api.count_truncated,
    kg_api.count_chunks_first, kg_api.count_quotes_first CASCADE; -- with their triggers
DROP FUNCTION kg_api.recount_ontologies, kg_api.fold_ontology_changes;
DROP VIEW kg_api.ontology_pairs_pending, kg_api.ontology_totals, kg_api.ontology_pending;
DROP TABLE kg_api.ontology_pairs, kg_api.ontology_counts, kg_api.ontology_changes, kg_api.ontology_holdings, kg_api.moved_sources,
    kg_api.moved_documents, kg_api.ontology_proposals, kg_api.annealing_state, kg_api.ontology_edges, kg_api.ontology_scores;
