-- +goose Up
-- Concepts that people or programs have merged by hand, with all that it takes to undo it:
-- the row of the concept that went, with its embedding, and what the other one got of it.
CREATE TABLE kg_api.concept_merges (
    id                integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kept              integer REFERENCES kg_api.concepts (id) ON DELETE SET NULL,
    kept_id           text NOT NULL,
    kept_label        text NOT NULL,
    merged            integer NOT NULL, -- the number of the concept that went
    merged_id         text NOT NULL,
    merged_label      text NOT NULL,
    reason            text NOT NULL,
    score             real,
    made_by           text NOT NULL,
    at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    undone_at         timestamptz,
    concept           jsonb NOT NULL,
    embedding         jsonb,
    added_terms       text[] NOT NULL DEFAULT '{}',
    added_keys        text[] NOT NULL DEFAULT '{}',
    added_description boolean NOT NULL DEFAULT false
);
CREATE INDEX concept_merges_kept_idx ON kg_api.concept_merges (kept);

-- The rows of the concept that went. One is a double when the other concept had the same
-- already, or would stand in a relationship with itself: it is kept here alone.
CREATE TABLE kg_api.concept_merge_rows (
    merge     integer NOT NULL REFERENCES kg_api.concept_merges (id) ON DELETE CASCADE,
    kind      text NOT NULL CONSTRAINT kind_is_known CHECK (kind IN ('mention', 'instance', 'edge', 'evidence')),
    is_double boolean NOT NULL,
    content   jsonb NOT NULL
);
CREATE INDEX concept_merge_rows_idx ON kg_api.concept_merge_rows (merge, kind);

-- Names that matching never takes for one concept, in lower case with white space folded.
CREATE TABLE kg_api.concept_blocks (
    a       text NOT NULL,
    b       text NOT NULL,
    reason  text NOT NULL DEFAULT '',
    made_by text NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (a, b),
    CONSTRAINT names_are_in_order CHECK (a < b)
);
CREATE INDEX concept_blocks_b_idx ON kg_api.concept_blocks (b);

-- Whether a text has one of the names, and none of the others.
CREATE FUNCTION kg_api.names_alone(quote text, names text[], others text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN EXISTS (SELECT 1 FROM unnest(names) AS n (name) WHERE strpos(lower(quote), n.name) > 0)
    AND NOT EXISTS (SELECT 1 FROM unnest(others) AS o (name) WHERE strpos(lower(quote), o.name) > 0);

-- How a mention was taken for the concept: what decided, and how similar the embeddings
-- are. NULL: it made the concept, or is from before this was kept.
ALTER TABLE kg_api.mentions ADD COLUMN matched_by text, ADD COLUMN score real;

-- +goose Down
ALTER TABLE kg_api.mentions DROP COLUMN matched_by, DROP COLUMN score;
DROP FUNCTION kg_api.names_alone;
DROP TABLE kg_api.concept_blocks, kg_api.concept_merge_rows, kg_api.concept_merges;
