-- +goose Up
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
    id               integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind             text NOT NULL CONSTRAINT proposal_kind_is_known CHECK (kind IN ('promotion', 'demotion', 'merge', 'reassignment')),
    ontology         integer NOT NULL,
    ontology_name    text NOT NULL,
    target           integer, -- NULL: it is made by the execution
    target_name      text,
    anchor           text,    -- the id of the concept that a promotion is about
    suggested_name   text,
    suggested_description text,
    reasoning        text NOT NULL,
    mass             double precision,
    coherence        double precision,
    protection       double precision,
    status           text NOT NULL DEFAULT 'pending' CONSTRAINT proposal_status_is_known
        CHECK (status IN ('pending', 'approved', 'rejected', 'executing', 'executed', 'failed', 'undone', 'expired')),
    made_by          text NOT NULL,
    epoch            bigint NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    reviewed_at      timestamptz,
    reviewed_by      text,
    reviewer_notes   text,
    job_id           text, -- of the execution; its row may be gone
    executed_at      timestamptz,
    result           jsonb,
    removed          jsonb,
    made             boolean NOT NULL DEFAULT false, -- the execution has made the target
    undone_at        timestamptz,
    undone_by        text
);
-- The same is proposed once, and not again when a person has rejected it.
CREATE UNIQUE INDEX ontology_proposals_open_idx ON kg_api.ontology_proposals (kind, ontology, coalesce(target, 0), coalesce(anchor, ''))
    WHERE status IN ('pending', 'rejected');

-- What an execution has moved, as it was: whole documents; chunks that went to a document
-- of the target, made for them or not; and documents that had no chunk left, as rows.
CREATE TABLE kg_api.moved_documents (
    proposal integer NOT NULL REFERENCES kg_api.ontology_proposals (id) ON DELETE CASCADE,
    document integer NOT NULL,
    what     text NOT NULL CONSTRAINT move_is_known CHECK (what IN ('moved', 'made', 'removed')),
    removed  jsonb,
    PRIMARY KEY (proposal, document, what)
);
CREATE TABLE kg_api.moved_sources (
    proposal      integer NOT NULL REFERENCES kg_api.ontology_proposals (id) ON DELETE CASCADE,
    source        integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    from_document integer NOT NULL,
    to_document   integer NOT NULL,
    PRIMARY KEY (proposal, source)
);
CREATE INDEX moved_sources_source_idx ON kg_api.moved_sources (source);

-- +goose Down
DROP TABLE kg_api.moved_sources, kg_api.moved_documents, kg_api.ontology_proposals, kg_api.annealing_state, kg_api.ontology_edges, kg_api.ontology_scores;
