-- +goose Up
-- What was read of the document of a job, so that it is read once: by the analysis, and not again
-- by the job and by each further attempt of it. Part 0 is the text, any other one a page that
-- was a picture. They are packed, and can be made anew: whoever cannot read one, or is not the
-- reader that kept it, reads the document. They go when the job is over.
CREATE TABLE kg_api.kept_texts (
    job_id text COLLATE "C" NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE,
    part   integer NOT NULL CONSTRAINT part_is_a_page CHECK (part >= 0),
    reader text NOT NULL, -- and its version
    body   bytea NOT NULL CONSTRAINT kept_text_is_at_most_8_mib CHECK (octet_length(body) <= 8388608),
    PRIMARY KEY (job_id, part)
);
ALTER TABLE kg_api.kept_texts ALTER COLUMN body SET STORAGE EXTERNAL;

-- +goose StatementBegin
CREATE FUNCTION kg_api.forget_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM kg_api.kept_texts t WHERE t.job_id = NEW.job_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- However a job ends, and whichever statement and server ends it.
CREATE TRIGGER forget_texts AFTER UPDATE OF completed_at ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.content_hash IS NOT NULL AND NEW.completed_at IS NOT NULL AND OLD.completed_at IS NULL) EXECUTE FUNCTION kg_api.forget_texts();

-- +goose Down
DROP TRIGGER forget_texts ON kg_api.jobs;
DROP FUNCTION kg_api.forget_texts;
DROP TABLE kg_api.kept_texts;
