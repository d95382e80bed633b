-- +goose Up
-- Results that users keep: an analysis, a drawing, a report. What a user kept outlives
-- the account, and is its administrators' then: others may build on it.
CREATE TABLE kg_api.artifacts (
    id                  bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    artifact_type       text NOT NULL CONSTRAINT artifact_type_is_a_word CHECK (artifact_type ~ '^[a-z][a-z0-9_]{0,49}$'),
    representation      text NOT NULL CONSTRAINT representation_is_a_word CHECK (representation ~ '^[a-z][a-z0-9_]{0,49}$'),
    name                text CONSTRAINT artifact_name_is_1_to_200_characters CHECK (char_length(name) BETWEEN 1 AND 200),
    owner_id            integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    graph_epoch         bigint NOT NULL, -- of the graph that it was computed from
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at          timestamptz, -- NULL: never
    parameters          json NOT NULL DEFAULT '{}',
    metadata            json,
    ontology            text,
    concept_ids         text[],
    query_definition_id bigint,
    job_id              text UNIQUE, -- the job that made it, once; its row may be gone
    payload             json NOT NULL -- as it came: nothing in it is searched for
);
CREATE INDEX artifacts_owner_idx ON kg_api.artifacts (owner_id, id DESC);
CREATE INDEX artifacts_expiry_idx ON kg_api.artifacts (expires_at) WHERE expires_at IS NOT NULL;

-- What is shown of an artifact besides its payload, while it has not expired.
CREATE VIEW kg_api.shown_artifacts AS
SELECT a.id, a.artifact_type, a.representation, a.name, a.owner_id, a.graph_epoch, a.created_at, a.expires_at, a.parameters, a.metadata,
    a.ontology, a.concept_ids, a.query_definition_id, a.graph_epoch = (SELECT g.epoch FROM kg_api.graph_epoch g) AS is_fresh
FROM kg_api.artifacts a
WHERE a.expires_at IS NULL OR a.expires_at > statement_timestamp();

-- +goose Down
DROP VIEW kg_api.shown_artifacts;
DROP TABLE kg_api.artifacts;
