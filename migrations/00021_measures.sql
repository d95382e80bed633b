-- +goose Up
-- The embeddings of relationship types, by model. text is what was embedded: when a
-- program words it otherwise, the type is embedded anew.
CREATE TABLE kg_api.type_embeddings (
    type   smallint NOT NULL REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    model  text NOT NULL,
    text   text NOT NULL,
    vector real[] NOT NULL,
    PRIMARY KEY (type, model)
);

-- What was measured of each relationship type, by the model in use. The projection
-- is what an edge of the type adds to the grounding of its target; the rest is the
-- epistemic status of the type, NULL until it was measured.
CREATE TABLE kg_api.type_measures (
    type          smallint PRIMARY KEY REFERENCES kg_api.relationship_types (id) ON DELETE CASCADE,
    projection    double precision NOT NULL CONSTRAINT projection_is_minus_1_to_1 CHECK (projection BETWEEN -1 AND 1),
    status        text CONSTRAINT status_is_known CHECK (status IN ('HISTORICAL', 'INSUFFICIENT_DATA', 'WELL_GROUNDED',
        'MIXED_GROUNDING', 'WEAK_GROUNDING', 'POORLY_GROUNDED', 'CONTRADICTED')),
    avg_grounding double precision,
    std_grounding double precision,
    min_grounding double precision,
    max_grounding double precision,
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

-- +goose Down
DROP TABLE kg_api.vocabulary_measurement, kg_api.type_measures, kg_api.type_embeddings;
