-- +goose Up
-- Models and their providers: what is set, who is called, and what it has cost.

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

CREATE TABLE kg_api.model_prices (
    provider text NOT NULL,
    model    text NOT NULL,
    input    double precision NOT NULL,
    output   double precision NOT NULL,
    PRIMARY KEY (provider, model),
    CONSTRAINT prices_not_negative CHECK (input >= 0 AND output >= 0)
);

-- The providers of models, and how they are at present: nobody calls one before
-- throttled_until. failures counts what failed since the last answer. The balances are
-- what the limits by the minute leave, at balance_at.
CREATE TABLE kg_api.providers (
    name            text PRIMARY KEY,
    throttled_until timestamptz,
    failures        integer NOT NULL DEFAULT 0,
    error           text NOT NULL DEFAULT '', -- of the last failure since the last answer
    error_at        timestamptz,
    requests        double precision NOT NULL DEFAULT 0,
    tokens          double precision NOT NULL DEFAULT 0,
    balance_at      timestamptz,
    -- Until when a provider has asked for no calls, which a call that an operator makes does not
    -- end; throttled_until may be later, where calls have failed without such a word.
    asked_until     timestamptz
);

-- The jobs that wait for a provider of models: from the first call that it did not take, or
-- that was not made because it takes none, up to its first answer to a call of the job. told
-- and warned say what those who follow the job have been told. There is no foreign key: a
-- provider's calls wait for no job's row.
CREATE TABLE kg_api.provider_waits (
    job_id   text NOT NULL,
    provider text NOT NULL,
    reason   text NOT NULL,
    since    timestamptz NOT NULL DEFAULT clock_timestamp(),
    until    timestamptz NOT NULL, -- the provider is not called before
    told     boolean NOT NULL DEFAULT false,
    warned   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (job_id, provider)
);

-- The calls to providers that wait or run, in all processes. A row counts until its
-- lease ends, which its process renews: one that was killed gives its calls up so.
CREATE TABLE kg_api.model_calls (
    call_id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    provider     text NOT NULL REFERENCES kg_api.providers (name),
    model        text NOT NULL,
    purpose      text NOT NULL,
    job_id       text NOT NULL DEFAULT '',
    holder       uuid NOT NULL, -- the process
    tokens       integer NOT NULL, -- about as many as it will use
    queued_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at   timestamptz, -- NULL: it waits
    leased_until timestamptz NOT NULL,
    -- A call is queued under a key that its process chose, so that queueing it again, because
    -- the answer to the first time was lost, makes no second call that nobody makes.
    call_key     uuid NOT NULL DEFAULT gen_random_uuid()
);
CREATE INDEX model_calls_holder_idx ON kg_api.model_calls (holder);
CREATE UNIQUE INDEX model_calls_key_idx ON kg_api.model_calls (call_key);

-- Calls whose end is counted: an end that is stored again, because the answer to the first
-- time was lost, counts nothing twice. A row is of no use any more after some minutes.
CREATE TABLE kg_api.charged_calls (
    call_id    bigint PRIMARY KEY,
    charged_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX charged_calls_at_idx ON kg_api.charged_calls (charged_at);

-- What calls have cost, by the job that they were made for; '' is for no job. It stays
-- when the job is deleted.
CREATE TABLE kg_api.model_usage (
    job_id        text NOT NULL,
    model         text NOT NULL,
    purpose       text NOT NULL,
    calls         integer NOT NULL DEFAULT 0,
    failed_calls  integer NOT NULL DEFAULT 0,
    input_tokens  bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0,
    cost_usd      double precision NOT NULL DEFAULT 0,
    seconds       double precision NOT NULL DEFAULT 0,
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, model, purpose)
);

-- +goose Down
DROP TABLE kg_api.model_usage, kg_api.charged_calls, kg_api.model_calls, kg_api.provider_waits, kg_api.providers, kg_api.model_prices,
    kg_api.provider_keys, kg_api.provider_settings, kg_api.model_profiles, kg_api.model_settings;
