-- +goose Up
-- What document a job brings a version of, while that matters.
ALTER TABLE kg_api.jobs ADD COLUMN identity uuid;
CREATE INDEX jobs_identity_idx ON kg_api.jobs (identity)
    WHERE identity IS NOT NULL AND status IN ('pending', 'awaiting_approval', 'approved', 'processing');

-- How many earlier versions of a document stay readable.
ALTER TABLE kg_api.ontologies ADD COLUMN keep_versions integer NOT NULL DEFAULT 10
    CONSTRAINT keep_versions_is_0_to_1000 CHECK (keep_versions BETWEEN 0 AND 1000);

-- +goose Down
ALTER TABLE kg_api.ontologies DROP COLUMN keep_versions;
ALTER TABLE kg_api.jobs DROP COLUMN identity;
