-- +goose Up
-- The last projection of each ontology, of all of them where there is none, and of each
-- kind of item. The body is the answer of the API, as it is sent.
CREATE TABLE kg_api.projections (
    id           bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    ontology_id  integer REFERENCES kg_api.ontologies (id) ON DELETE CASCADE, -- NULL: all
    source       text NOT NULL CONSTRAINT source_is_known CHECK (source IN ('concepts', 'sources', 'vocabulary', 'combined')),
    changelist   text NOT NULL, -- of the input: the epoch, the items and the parameters
    graph_epoch  bigint NOT NULL,
    computed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    items        integer NOT NULL,
    parameters   json NOT NULL,
    job_id       text NOT NULL, -- that made it; its row may be gone
    body         json NOT NULL,
    UNIQUE NULLS NOT DISTINCT (ontology_id, source)
);

-- The embeddings of the chunks of documents, in pieces that a model can read. text_md5
-- is of the chunk that was embedded: of another text they are stale.
CREATE TABLE kg_api.source_embeddings (
    source     integer NOT NULL REFERENCES kg_api.sources (id) ON DELETE CASCADE,
    model      text NOT NULL,
    piece      smallint NOT NULL, -- from 0
    start_char integer NOT NULL,  -- within the chunk
    end_char   integer NOT NULL,
    text_md5   uuid NOT NULL,
    vector     real[] NOT NULL,
    PRIMARY KEY (source, model, piece),
    CONSTRAINT piece_is_not_negative CHECK (0 <= start_char AND start_char <= end_char)
);

-- +goose Down
DROP TABLE kg_api.source_embeddings, kg_api.projections;
