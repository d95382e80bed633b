-- +goose Up
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
    balance_at      timestamptz
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
    leased_until timestamptz NOT NULL
);
CREATE INDEX model_calls_holder_idx ON kg_api.model_calls (holder);

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
DROP TABLE kg_api.model_usage, kg_api.model_calls, kg_api.providers;
