-- +goose Up
-- The oldest version of the schema whose programs work with this one, so that the
-- servers of an upgrade can be replaced one after the other. A migration that only
-- adds leaves it as it is; one that takes away or changes what an older program
-- uses raises it, and comes a release after the last program that does.
CREATE TABLE kg_api.schema_floor (
    only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one CHECK (only_one),
    version  bigint NOT NULL
);
INSERT INTO kg_api.schema_floor (version) VALUES (13);

-- +goose Down
DROP TABLE kg_api.schema_floor;
