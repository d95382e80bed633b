-- +goose Up
-- The keys of providers, encrypted with a key that is in a file of the servers and never
-- here: key_id says with which. A row that was moved to another provider cannot be decrypted.
CREATE TABLE kg_api.provider_keys (
    provider     text PRIMARY KEY,
    key_id       text NOT NULL,
    sealed       bytea NOT NULL,
    last_four    text NOT NULL DEFAULT '' CONSTRAINT last_four_are_four CHECK (length(last_four) <= 4),
    validated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_by   text NOT NULL DEFAULT ''
);

-- +goose Down
DROP TABLE kg_api.provider_keys;
