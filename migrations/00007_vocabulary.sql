-- +goose Up
-- The vocabulary: what is measured of relationship types, and how those that mean the same
-- become one.

-- The embeddings of relationship types, by model. text is what was embedded: when a
-- program words it otherwise, the type is embedded anew.
CREATE TABLE kg_api.type_embeddings (
    type   integer NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    model  text NOT NULL,
    text   text NOT NULL,
    vector real[] NOT NULL,
    PRIMARY KEY (type, model)
);

-- What was measured of each relationship type, by the model in use. The projection
-- is what an edge of the type adds to the grounding of its target; the rest is the
-- epistemic status of the type, NULL until it was measured.
CREATE TABLE kg_api.type_measures (
    type              integer PRIMARY KEY REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    projection        double precision NOT NULL CONSTRAINT projection_is_minus_1_to_1 CHECK (projection BETWEEN -1 AND 1),
    status            text CONSTRAINT status_is_known CHECK (status IN ('HISTORICAL', 'INSUFFICIENT_DATA', 'WELL_GROUNDED',
        'MIXED_GROUNDING', 'WEAK_GROUNDING', 'POORLY_GROUNDED', 'CONTRADICTED')),
    avg_grounding     double precision,
    std_grounding     double precision,
    min_grounding     double precision,
    max_grounding     double precision,
    measured_concepts integer NOT NULL DEFAULT 0, -- distinct targets of the sampled edges
    sampled_edges     integer NOT NULL DEFAULT 0,
    total_edges       integer NOT NULL DEFAULT 0,
    measured_at       timestamptz
);

-- The last measurement of all types: as of which epoch of the graph, and with which
-- model.
CREATE TABLE kg_api.vocabulary_measurement (
    one         boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_measurement CHECK (one),
    model       text NOT NULL,
    epoch       bigint NOT NULL,
    sample_size integer NOT NULL,
    measured_at timestamptz NOT NULL
);

-- The types that were merged into others, with all that it takes to undo it.
CREATE TABLE kg_api.vocabulary_merges (
    id         integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    source     integer NOT NULL REFERENCES kg_api.relationship_types (id),
    target     integer NOT NULL REFERENCES kg_api.relationship_types (id),
    similarity double precision, -- NULL: nobody compared them
    reason     text NOT NULL DEFAULT '',
    made_by    text NOT NULL,
    edges      integer NOT NULL DEFAULT 0,
    evidence   integer NOT NULL DEFAULT 0,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    undone_at  timestamptz
);
CREATE INDEX vocabulary_merges_standing_idx ON kg_api.vocabulary_merges (id) WHERE undone_at IS NULL;

-- What a merge has moved, as it was: for its undo. An edge that was there already with
-- the target's type keeps the confidence that it had.
CREATE TABLE kg_api.merged_edges (
    merge             integer NOT NULL REFERENCES kg_api.vocabulary_merges (id) ON DELETE CASCADE,
    src               integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    dst               integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    confidence        real NOT NULL,
    created_at        timestamptz NOT NULL,
    evidence          integer NOT NULL, -- how many rows it had
    target_confidence real, -- NULL: there was no such edge of the target's type
    target_evidence   integer NOT NULL, -- how many rows that one had
    PRIMARY KEY (merge, src, dst)
);
CREATE INDEX merged_edges_src_idx ON kg_api.merged_edges (src);
CREATE INDEX merged_edges_dst_idx ON kg_api.merged_edges (dst);

-- The evidence of these edges. What could not move, because the target's edge has
-- evidence of the same chunk, is set aside here, and counts as evidence.
CREATE TABLE kg_api.merged_evidence (
    merge        integer NOT NULL,
    src          integer NOT NULL,
    dst          integer NOT NULL,
    source       integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    confidence   real NOT NULL,
    quote        text NOT NULL,
    start_byte   integer NOT NULL,
    end_byte     integer NOT NULL,
    set_aside    boolean NOT NULL,
    -- As edge_evidence has them.
    from_kind    text NOT NULL DEFAULT '',
    from_start   smallint NOT NULL DEFAULT 0,
    from_end     smallint NOT NULL DEFAULT 0,
    to_kind      text NOT NULL DEFAULT '',
    to_start     smallint NOT NULL DEFAULT 0,
    to_end       smallint NOT NULL DEFAULT 0,
    before_quote text NOT NULL DEFAULT '',
    before_start integer NOT NULL DEFAULT 0,
    created_at   timestamptz,
    -- What is moved may be surer than what stands there already, of the same chunk. Then that
    -- gives way, and is kept here beside the evidence that took its place.
    given_way    jsonb,
    PRIMARY KEY (merge, src, dst, source),
    FOREIGN KEY (merge, src, dst) REFERENCES kg_api.merged_edges (merge, src, dst) ON DELETE CASCADE
);
CREATE INDEX merged_evidence_source_idx ON kg_api.merged_evidence (source);

-- Pairs of types that may mean the same, for a person to decide.
CREATE TABLE kg_api.vocabulary_reviews (
    source     integer NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    target     integer NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    similarity double precision NOT NULL,
    reason     text NOT NULL,
    status     text NOT NULL DEFAULT 'open' CONSTRAINT review_status_is_known CHECK (status IN ('open', 'accepted', 'rejected')),
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_by text,
    decided_at timestamptz,
    PRIMARY KEY (source, target)
);

-- Curves that say how eagerly the vocabulary is merged. The built-in ones are those of
-- the code, for the settings to refer to.
CREATE TABLE kg_api.vocabulary_profiles (
    name        text PRIMARY KEY,
    x1          double precision NOT NULL CONSTRAINT x1_is_0_to_1 CHECK (x1 BETWEEN 0 AND 1),
    y1          double precision NOT NULL,
    x2          double precision NOT NULL CONSTRAINT x2_is_0_to_1 CHECK (x2 BETWEEN 0 AND 1),
    y2          double precision NOT NULL,
    description text NOT NULL,
    is_builtin  boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by  text
);
INSERT INTO kg_api.vocabulary_profiles (name, x1, y1, x2, y2, description, is_builtin) VALUES
    ('aggressive', 0.1, 0, 0.9, 1, 'Waits, and then merges ever more eagerly towards the maximum', true),
    ('ease', 0.25, 0.1, 0.25, 1, 'Is eager early, and levels off', true),
    ('ease-in', 0.42, 0, 1, 1, 'Begins slowly, and ends fast', true),
    ('ease-in-out', 0.42, 0, 0.58, 1, 'Begins and ends slowly', true),
    ('ease-out', 0, 0, 0.58, 1, 'Begins fast, and ends slowly', true),
    ('exponential', 0.7, 0, 0.84, 0, 'Merges next to nothing until close to the maximum', true),
    ('gentle', 0.5, 0.5, 0.5, 0.5, 'Grows evenly around the middle', true),
    ('linear', 0, 0, 1, 1, 'Grows with the number of types', true);

-- How large the vocabulary may be, and how eagerly it is merged.
CREATE TABLE kg_api.vocabulary_settings (
    one              boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    vocab_min        integer NOT NULL DEFAULT 30,
    vocab_max        integer NOT NULL DEFAULT 90,
    vocab_emergency  integer NOT NULL DEFAULT 300,
    profile          text NOT NULL DEFAULT 'aggressive',
    auto_threshold   double precision NOT NULL DEFAULT 0.9 CONSTRAINT auto_threshold_is_0_to_1 CHECK (auto_threshold BETWEEN 0 AND 1),
    review_threshold double precision NOT NULL DEFAULT 0.75 CONSTRAINT review_threshold_is_0_to_1 CHECK (review_threshold BETWEEN 0 AND 1),
    updated_at       timestamptz,
    updated_by       text,
    CONSTRAINT limits_are_in_order CHECK (0 <= vocab_min AND vocab_min < vocab_max AND vocab_max < vocab_emergency),
    CONSTRAINT vocabulary_profile_is_known FOREIGN KEY (profile) REFERENCES kg_api.vocabulary_profiles (name)
);
INSERT INTO kg_api.vocabulary_settings DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.vocabulary_settings, kg_api.vocabulary_profiles, kg_api.vocabulary_reviews, kg_api.merged_evidence, kg_api.merged_edges,
    kg_api.vocabulary_merges, kg_api.vocabulary_measurement, kg_api.type_measures, kg_api.type_embeddings;
