-- +goose Up
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
DROP TABLE kg_api.concepts_apart;
