-- +goose Up
-- What was set at run time about models: which are used, how providers are reached, and
-- what models cost. Whoever changes any of it raises the revision in the same transaction,
-- which also has one do so after the other. Every server follows within a second: it is
-- notified on kg_models, and asks for the revision besides.
CREATE TABLE kg_api.model_settings (
    one       boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_row CHECK (one),
    revision  bigint NOT NULL DEFAULT 0,
    max_calls integer CONSTRAINT max_calls_are_1_to_1000 CHECK (max_calls BETWEEN 1 AND 1000)
);
INSERT INTO kg_api.model_settings DEFAULT VALUES;

CREATE TABLE kg_api.model_profiles (
    profile_id       integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    slot             text NOT NULL CONSTRAINT slot_is_known CHECK (slot IN ('extraction', 'embedding', 'vision')),
    name             text NOT NULL DEFAULT '',
    provider         text NOT NULL,
    model            text NOT NULL,
    max_tokens       integer NOT NULL DEFAULT 0 CONSTRAINT max_tokens_not_negative CHECK (max_tokens >= 0),
    dimensions       integer NOT NULL DEFAULT 0,
    active           boolean NOT NULL DEFAULT false,
    delete_protected boolean NOT NULL DEFAULT false,
    change_protected boolean NOT NULL DEFAULT false,
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_by       text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX model_profiles_active_idx ON kg_api.model_profiles (slot) WHERE active;

CREATE TABLE kg_api.provider_settings (
    provider            text PRIMARY KEY,
    url                 text,
    context             integer,
    max_calls           integer CONSTRAINT provider_calls_are_1_to_1000 CHECK (max_calls BETWEEN 1 AND 1000),
    requests_per_minute integer CONSTRAINT requests_not_negative CHECK (requests_per_minute >= 0),
    tokens_per_minute   integer CONSTRAINT tokens_not_negative CHECK (tokens_per_minute >= 0)
);

CREATE TABLE kg_api.model_prices (
    provider text NOT NULL,
    model    text NOT NULL,
    input    double precision NOT NULL,
    output   double precision NOT NULL,
    PRIMARY KEY (provider, model),
    CONSTRAINT prices_not_negative CHECK (input >= 0 AND output >= 0)
);

-- +goose Down
DROP TABLE kg_api.model_prices, kg_api.provider_settings, kg_api.model_profiles, kg_api.model_settings;
