-- +goose Up
-- How a concept came about: an ingestion found it, or a person or an agent made it.
ALTER TABLE kg_api.concepts ADD creation_method text NOT NULL DEFAULT 'llm_extraction'
    CONSTRAINT creation_method_is_known CHECK (creation_method IN ('llm_extraction', 'human', 'agent'));

-- +goose Down
ALTER TABLE kg_api.concepts DROP creation_method;
