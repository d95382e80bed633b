-- +goose Up
-- What people decide about concepts: which are one, and which stay two.

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
CREATE INDEX concept_merges_merged_idx ON kg_api.concept_merges (merged) WHERE undone_at IS NULL;

-- The rows of the concept that went. One is a double when the other concept had the same
-- already, or would stand in a relationship with itself: it is kept here alone. What is moved
-- may be surer than what stands there already, of the same chunk. Then that gives way, and is
-- kept here too.
CREATE TABLE kg_api.concept_merge_rows (
    merge     integer NOT NULL REFERENCES kg_api.concept_merges (id) ON DELETE CASCADE,
    kind      text NOT NULL CONSTRAINT kind_is_known CHECK (kind IN ('mention', 'instance', 'edge', 'evidence', 'given_way')),
    is_double boolean NOT NULL,
    content   jsonb NOT NULL
);
CREATE INDEX concept_merge_rows_idx ON kg_api.concept_merge_rows (merge, kind);

-- Where evidence of the concept that went stands since the merge.
-- +goose StatementBegin
CREATE FUNCTION kg_api.merged_place(kept integer, merged integer, content jsonb) RETURNS kg_api.edge_evidence LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN kg_api.placed(jsonb_populate_record(NULL::kg_api.edge_evidence, content || jsonb_build_object(
        'src', CASE WHEN (content ->> 'src')::integer = merged THEN kept ELSE (content ->> 'src')::integer END,
        'dst', CASE WHEN (content ->> 'dst')::integer = merged THEN kept ELSE (content ->> 'dst')::integer END)));
END $$;
-- +goose StatementEnd

-- The relationship types that documents brought in and that nothing needs any more: no
-- edge has them, and none would by undoing a merge of types or of concepts. A document
-- that uses one again brings it back.
CREATE VIEW kg_api.unused_types AS
SELECT t.id, t.name
FROM kg_api.relationship_types t
WHERE NOT t.is_builtin AND t.added_by IS NULL AND t.merged_into IS NULL
    AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.type = t.id)
    AND NOT EXISTS (SELECT FROM kg_api.vocabulary_merges m WHERE t.id IN (m.source, m.target))
    AND NOT EXISTS (SELECT FROM kg_api.concept_merge_rows r WHERE r.kind = 'edge' AND (r.content ->> 'type')::int = t.id);

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

-- Concepts of one name of which somebody said that they stay two: they are not offered again.
CREATE TABLE kg_api.concepts_apart (
    a       integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    b       integer NOT NULL REFERENCES kg_api.concepts (id) ON DELETE CASCADE,
    reason  text NOT NULL DEFAULT '',
    made_by text NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (a, b),
    CONSTRAINT concepts_are_in_order CHECK (a < b)
);
CREATE INDEX concepts_apart_b_idx ON kg_api.concepts_apart (b);

-- +goose Down
DROP VIEW kg_api.unused_types;
DROP FUNCTION kg_api.names_alone, kg_api.merged_place;
DROP TABLE kg_api.concepts_apart, kg_api.concept_blocks, kg_api.concept_merge_rows, kg_api.concept_merges;
