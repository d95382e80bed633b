-- +goose Up
-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- How much a chunk is about a concept, above 0: the sum over a document says how much
-- the document is. What was written before has none.
ALTER TABLE kg_api.mentions
    ADD COLUMN weight real NOT NULL DEFAULT 0,
    ADD CONSTRAINT weight_is_not_negative CHECK (weight >= 0);

-- +goose Down
ALTER TABLE kg_api.mentions DROP COLUMN weight;
