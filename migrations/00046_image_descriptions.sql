-- +goose Up
-- What a model says of an image: the text that is cut into chunks in its place. It is
-- kept, so that the same bytes give the same text, and are paid for once.
CREATE TABLE kg_api.image_descriptions (
    content_hash text NOT NULL REFERENCES kg_api.contents (content_hash) ON DELETE CASCADE,
    model        text NOT NULL,
    description  text NOT NULL CONSTRAINT description_is_not_empty CHECK (description <> ''),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (content_hash, model)
);

-- +goose Down
DROP TABLE kg_api.image_descriptions;
