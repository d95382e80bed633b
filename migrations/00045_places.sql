-- +goose Up
-- Where in a document a part of a chunk stands: from start_byte, which counts as that
-- of sources does, to the next place. A chunk without pages and headings has none.
CREATE TABLE kg_api.source_places (
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    start_byte integer NOT NULL CONSTRAINT start_is_not_negative CHECK (start_byte >= 0),
    page       integer CONSTRAINT pages_count_from_1 CHECK (page >= 1),
    section    text,
    PRIMARY KEY (source, start_byte)
);

-- +goose Down
DROP TABLE kg_api.source_places;
