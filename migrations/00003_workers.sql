-- +goose Up
-- Who works on jobs: the servers, the workers on other machines, and what the runs of these
-- leave behind.

-- One row for each process that claims jobs: its lease, renewed by one
-- heartbeat whatever the number of its jobs.
CREATE TABLE kg_api.workers (
    worker_id    uuid PRIMARY KEY,
    hostname     text NOT NULL, -- a label; the id is what counts
    pid          integer NOT NULL,
    version      text NOT NULL,
    state        text NOT NULL DEFAULT 'live' CONSTRAINT state_is_known CHECK (state IN ('live', 'stopped', 'dead')),
    started_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_until  timestamptz NOT NULL,
    -- The job types that a worker's program has handlers for, so that jobs which nobody
    -- works on are reported. NULL: a program that does not say.
    job_types    text[],

    -- Workers on other machines, beside the servers. An identity is what the token of such
    -- a worker says; one process has it, under one live row. The generation counts its
    -- connections: what a connection does at its end names its own.
    kind         text NOT NULL DEFAULT 'server' CONSTRAINT kind_is_known CHECK (kind IN ('server', 'remote')),
    identity     text,
    generation   bigint NOT NULL DEFAULT 0,
    lease        interval NOT NULL DEFAULT '15 seconds',
    profile      text NOT NULL DEFAULT '',
    name         text NOT NULL DEFAULT '',
    server       text NOT NULL DEFAULT '', -- the one that its socket ends at
    address      text NOT NULL DEFAULT '',
    labels       jsonb,
    groups       jsonb, -- its slot groups
    capacity     integer NOT NULL DEFAULT 0,
    usage        jsonb, -- what its groups do, as of seen_at
    connected_at timestamptz,
    seen_at      timestamptz, -- its last frame
    connected    boolean NOT NULL DEFAULT false,
    draining     boolean NOT NULL DEFAULT false,
    completed    bigint NOT NULL DEFAULT 0,
    failed       bigint NOT NULL DEFAULT 0,
    late         bigint NOT NULL DEFAULT 0,
    -- What an operator wants of a remote worker: beside the drain, slot groups in place of its
    -- own. Orders are numbered, so that nobody takes an older one for the latest.
    orders       bigint NOT NULL DEFAULT 0,
    asked_groups jsonb -- NULL: its own
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX workers_identity_idx ON kg_api.workers (identity) WHERE identity IS NOT NULL AND state = 'live';

-- Who leads, and under which term. The advisory lock elects; each leader's
-- write names its term, and a deposed leader's write finds another one.
CREATE TABLE kg_api.leader (
    one       boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_leader CHECK (one),
    term      bigint NOT NULL,
    worker_id uuid,
    since     timestamptz
);
INSERT INTO kg_api.leader (term) VALUES (0);

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
-- Claim tokens are given in the order of time: what is old is found by the primary key.
CREATE INDEX run_claims_open_idx ON kg_api.run_claims (worker_id) WHERE ended_at IS NULL;
CREATE INDEX run_claims_job_idx ON kg_api.run_claims (job_id, claim_token);
-- A confirmation changes a claim in place: no index says whether it is confirmed, so
-- that none of them gets a new entry. The few claims that are open are read instead.
CREATE INDEX run_claims_reserved_idx ON kg_api.run_claims (reserved_until) WHERE ended_at IS NULL;

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

-- Inputs of runs that are too large for the data of their job. Each is uploaded by itself,
-- and jobs refer to it by its id. jobs counts them: a clip goes with the last of them, and
-- one that no job has ever used goes after a day.
CREATE TABLE kg_api.dataclips (
    dataclip_id text PRIMARY KEY,
    user_id     int NOT NULL,
    body        bytea NOT NULL,
    bytes       int NOT NULL GENERATED ALWAYS AS (octet_length(body)) STORED,
    jobs        int NOT NULL DEFAULT 0,
    used        boolean NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT dataclip_jobs_not_negative CHECK (jobs >= 0)
);
CREATE INDEX dataclips_user_idx ON kg_api.dataclips (user_id, created_at);
CREATE INDEX dataclips_free_idx ON kg_api.dataclips (created_at) WHERE jobs = 0;

-- Which jobs refer to which.
CREATE TABLE kg_api.job_dataclips (
    job_id      text NOT NULL,
    dataclip_id text NOT NULL,
    PRIMARY KEY (job_id, dataclip_id)
);

-- The jobs of remote workers whose spending is counted for their parents, each once.
CREATE TABLE kg_api.charged_runs (
    job_id text PRIMARY KEY REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE
);

-- Identities that an operator refuses.
CREATE TABLE kg_api.blocked_workers (
    identity   text PRIMARY KEY,
    blocked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    blocked_by integer NOT NULL
);

-- +goose Down
DROP TABLE kg_api.blocked_workers, kg_api.charged_runs, kg_api.job_dataclips, kg_api.dataclips, kg_api.run_dataclips, kg_api.run_steps,
    kg_api.run_logs, kg_api.run_claims, kg_api.leader, kg_api.workers;
