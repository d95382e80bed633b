-- +goose Up
-- What became of each claim of a remote worker. A claim is a reservation until the
-- worker confirms it; the number is that of the last of its events that is stored.
CREATE TABLE kg_api.run_claims (
    claim_token    bigint PRIMARY KEY,
    worker_seq     bigint NOT NULL DEFAULT 0,
    generation     bigint NOT NULL,
    reserved_until timestamptz NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    confirmed_at   timestamptz,
    ended_at       timestamptz,
    worker_id      uuid NOT NULL,
    job_id         text COLLATE "C" NOT NULL,
    group_key      text NOT NULL,
    outcome        text CONSTRAINT outcome_is_known CHECK (outcome IN
        ('completed', 'failed', 'cancelled', 'retried', 'released', 'forgotten', 'expired', 'returned', 'fenced')),
    late_reason    text, -- what the worker said of an attempt that was another's by then
    CONSTRAINT an_end_has_an_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX run_claims_open_idx ON kg_api.run_claims (worker_id) WHERE ended_at IS NULL;
CREATE INDEX run_claims_reserved_idx ON kg_api.run_claims (reserved_until) WHERE ended_at IS NULL AND confirmed_at IS NULL;
CREATE INDEX run_claims_job_idx ON kg_api.run_claims (job_id, claim_token);
CREATE INDEX run_claims_created_idx ON kg_api.run_claims (created_at);

-- What runs leave behind: the lines of their logs, and of runs of the compatible
-- profile the steps and what flows between them. All of it goes with the job.
CREATE TABLE kg_api.run_logs (
    job_id      text COLLATE "C" NOT NULL,
    claim_token bigint NOT NULL,
    line        integer NOT NULL, -- from 1, in the order in which they came
    level       text NOT NULL,
    source      text NOT NULL DEFAULT '',
    step_id     text NOT NULL DEFAULT '',
    worker_time text NOT NULL DEFAULT '', -- as the worker says, never compared
    message     text NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, claim_token, line)
);
CREATE TABLE kg_api.run_steps (
    job_id             text COLLATE "C" NOT NULL,
    claim_token        bigint NOT NULL,
    step_id            text NOT NULL,
    position           integer NOT NULL,
    plan_job           text NOT NULL DEFAULT '',
    reason             text,
    error_type         text,
    error_message      text,
    input_dataclip_id  text NOT NULL DEFAULT '',
    output_dataclip_id text NOT NULL DEFAULT '',
    started_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at           timestamptz,
    PRIMARY KEY (job_id, claim_token, step_id)
);
CREATE TABLE kg_api.run_dataclips (
    job_id      text COLLATE "C" NOT NULL,
    claim_token bigint NOT NULL,
    dataclip_id text NOT NULL,
    is_json     boolean NOT NULL,
    body        text NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, claim_token, dataclip_id)
);
-- Identities that an operator refuses.
CREATE TABLE kg_api.blocked_workers (
    identity   text PRIMARY KEY,
    blocked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    blocked_by integer NOT NULL
);

-- +goose Down
DROP TABLE kg_api.blocked_workers, kg_api.run_dataclips, kg_api.run_steps, kg_api.run_logs, kg_api.run_claims;
