-- +goose Up
-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

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
    CONSTRAINT a_mention_appears_once UNIQUE (source, place)
);
CREATE INDEX mentions_concept_idx ON kg_api.mentions (concept, id);

-- Made by an ingestion, and not by a person: it goes with its last document.
ALTER TABLE kg_api.ontologies ADD COLUMN implicit boolean NOT NULL DEFAULT false;

-- Names of ontologies that were deleted and stay blocked.
CREATE TABLE kg_api.ontology_tombstones (
    name       text PRIMARY KEY,
    removed_by text,
    removed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reason     text
);

-- +goose Down
DROP TABLE kg_api.ontology_tombstones, kg_api.mentions;
ALTER TABLE kg_api.ontologies DROP COLUMN implicit;
