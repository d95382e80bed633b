-- +goose Up
-- A relationship type that was merged into another one is not active: its edges are those
-- of the other one, and what is read of it later becomes the other one too. The category
-- of a type that an extractor brought in is computed from its likeness to the built-in
-- types.
ALTER TABLE kg_api.relationship_types
    ADD COLUMN merged_into smallint REFERENCES kg_api.relationship_types (id),
    ADD COLUMN category_confidence double precision CONSTRAINT category_confidence_is_0_to_1 CHECK (category_confidence BETWEEN 0 AND 1), -- NULL: not computed
    ADD COLUMN category_ambiguous boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT a_type_is_not_merged_into_itself CHECK (merged_into <> id),
    ADD CONSTRAINT builtin_types_stay CHECK (NOT is_builtin OR merged_into IS NULL);

-- The type that a type has become, through all merges.
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_type(t smallint) RETURNS smallint LANGUAGE plpgsql STABLE AS $$
DECLARE
    next smallint;
BEGIN
    LOOP
        SELECT r.merged_into INTO next FROM kg_api.relationship_types r WHERE r.id = t;
        IF next IS NULL THEN
            RETURN t;
        END IF;
        t := next;
    END LOOP;
END $$;
-- +goose StatementEnd

CREATE TABLE kg_api.vocabulary_merges (
    id         integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    source     smallint NOT NULL REFERENCES kg_api.relationship_types (id),
    target     smallint NOT NULL REFERENCES kg_api.relationship_types (id),
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
    merge      integer NOT NULL,
    src        integer NOT NULL,
    dst        integer NOT NULL,
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    confidence real NOT NULL,
    quote      text NOT NULL,
    start_byte integer NOT NULL,
    end_byte   integer NOT NULL,
    set_aside  boolean NOT NULL,
    PRIMARY KEY (merge, src, dst, source),
    FOREIGN KEY (merge, src, dst) REFERENCES kg_api.merged_edges (merge, src, dst) ON DELETE CASCADE
);
CREATE INDEX merged_evidence_source_idx ON kg_api.merged_evidence (source);

-- Pairs of types that may mean the same, for a person to decide.
CREATE TABLE kg_api.vocabulary_reviews (
    source     smallint NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    target     smallint NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    similarity double precision NOT NULL,
    reason     text NOT NULL,
    status     text NOT NULL DEFAULT 'open' CONSTRAINT review_status_is_known CHECK (status IN ('open', 'accepted', 'rejected')),
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_by text,
    decided_at timestamptz,
    PRIMARY KEY (source, target)
);

-- How large the vocabulary may be, and how eagerly it is merged.
CREATE TABLE kg_api.vocabulary_settings (
    one            boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    vocab_min      integer NOT NULL DEFAULT 30,
    vocab_max      integer NOT NULL DEFAULT 90,
    vocab_emergency integer NOT NULL DEFAULT 300,
    profile        text NOT NULL DEFAULT 'aggressive',
    auto_threshold double precision NOT NULL DEFAULT 0.9 CONSTRAINT auto_threshold_is_0_to_1 CHECK (auto_threshold BETWEEN 0 AND 1),
    review_threshold double precision NOT NULL DEFAULT 0.75 CONSTRAINT review_threshold_is_0_to_1 CHECK (review_threshold BETWEEN 0 AND 1),
    CONSTRAINT limits_are_in_order CHECK (0 <= vocab_min AND vocab_min < vocab_max AND vocab_max < vocab_emergency)
);
INSERT INTO kg_api.vocabulary_settings DEFAULT VALUES;

-- +goose Down
DROP TABLE kg_api.vocabulary_settings, kg_api.vocabulary_reviews, kg_api.merged_evidence, kg_api.merged_edges, kg_api.vocabulary_merges;
DROP FUNCTION kg_api.current_type;
ALTER TABLE kg_api.relationship_types DROP COLUMN merged_into, DROP COLUMN category_confidence, DROP COLUMN category_ambiguous;
