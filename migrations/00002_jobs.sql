-- +goose Up
CREATE SEQUENCE kg_api.claim_tokens;

-- Stored documents; jobs and documents refer to them by hash.
CREATE TABLE kg_api.contents (
    content_hash text PRIMARY KEY CONSTRAINT content_hash_is_sha256 CHECK (content_hash ~ '^sha256:[0-9a-f]{64}$'),
    body         bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What every job has comes first, numbers and times before texts: PostgreSQL finds
-- such a column without walking over those before it, and a change of a job looks at
-- each column of each index.
CREATE TABLE kg_api.jobs (
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    run_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    event_seq        bigint NOT NULL DEFAULT 0,
    user_id          integer NOT NULL REFERENCES kg_api.users (id),
    attempt          integer NOT NULL DEFAULT 0,
    retries          integer NOT NULL DEFAULT 0,
    max_retries      integer NOT NULL DEFAULT 3,
    crash_count      integer NOT NULL DEFAULT 0,
    priority         smallint NOT NULL DEFAULT 0 CONSTRAINT priority_is_in_range CHECK (priority BETWEEN -100 AND 100),
    is_system        boolean NOT NULL DEFAULT false,
    -- An approved job whose run_at lies ahead is not due and stays out of the
    -- index that claims read; the scheduler makes it due.
    due              boolean NOT NULL DEFAULT true,
    cancel_requested boolean NOT NULL DEFAULT false,
    forced           boolean NOT NULL DEFAULT false,
    job_id           text PRIMARY KEY CONSTRAINT job_id_has_its_form CHECK (job_id ~ '^job_[0-9a-f]{12}$'),
    status           text NOT NULL CONSTRAINT status_is_known CHECK (status IN
        ('pending', 'awaiting_approval', 'approved', 'processing', 'completed', 'failed', 'cancelled')),
    job_type         text NOT NULL,
    lane             text, -- stamped at the claim, so that slots are counted right when a type moves
    claim_token      bigint,
    claimed_by       uuid,
    queue            text NOT NULL DEFAULT 'default',

    approved_at      timestamptz,
    expires_at       timestamptz,
    started_at       timestamptz,
    completed_at     timestamptz,
    claimed_at       timestamptz,
    crash_since      timestamptz,
    progress_at      timestamptz,
    approved_by      text,

    progress         jsonb,
    checkpoint       jsonb,
    result           jsonb,
    error            text,
    data             jsonb,

    ontology         text,
    content_hash     text REFERENCES kg_api.contents (content_hash),
    processing_mode  text,
    filename         text,
    source_type      text,
    source_path      text,
    source_hostname  text,
    analysis         jsonb,

    CONSTRAINT processing_has_a_claim CHECK (status <> 'processing'
        OR (lane IS NOT NULL AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL)),
    CONSTRAINT approved_has_an_approval CHECK (status NOT IN ('approved', 'processing')
        OR (approved_at IS NOT NULL AND approved_by IS NOT NULL)),
    CONSTRAINT terminal_has_an_end CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL)),
    CONSTRAINT ingestion_has_a_document CHECK (job_type <> 'ingestion' OR (ontology IS NOT NULL AND content_hash IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

-- What a claim reads: one range for each job type, already in claim order.
CREATE INDEX jobs_claim_idx ON kg_api.jobs (job_type, priority DESC, created_at, job_id)
    WHERE status = 'approved' AND due;
-- Approved jobs that wait for their run_at.
CREATE INDEX jobs_run_at_idx ON kg_api.jobs (run_at) WHERE status = 'approved' AND NOT due;
-- The slots in use of a lane, and the jobs of a worker.
CREATE INDEX jobs_processing_idx ON kg_api.jobs (lane, claimed_by) WHERE status = 'processing';
CREATE INDEX jobs_pending_idx ON kg_api.jobs (created_at) WHERE status = 'pending';
CREATE INDEX jobs_expires_idx ON kg_api.jobs (expires_at) WHERE status = 'awaiting_approval';
CREATE INDEX jobs_list_idx ON kg_api.jobs (created_at DESC, job_id DESC);
CREATE INDEX jobs_document_idx ON kg_api.jobs (content_hash, ontology, created_at DESC) WHERE content_hash IS NOT NULL;
-- Two identical submissions at the same moment make one job.
CREATE UNIQUE INDEX jobs_one_per_document_idx ON kg_api.jobs (ontology, content_hash)
    WHERE status IN ('pending', 'awaiting_approval', 'approved', 'processing') AND NOT forced AND content_hash IS NOT NULL;

-- The history of a job. Rows are written only by statements that change the
-- job's row, under its lock, and deleted with it; so there is no foreign key to
-- check on this busiest of tables.
CREATE TABLE kg_api.job_events (
    job_id  text NOT NULL,
    seq     bigint NOT NULL,
    kind    text NOT NULL CONSTRAINT kind_is_known CHECK (kind IN ('status', 'progress', 'completed', 'failed', 'cancelled')),
    payload jsonb NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);

-- One row for each process that claims jobs: its lease, renewed by one
-- heartbeat whatever the number of its jobs.
CREATE TABLE kg_api.workers (
    worker_id   uuid PRIMARY KEY,
    hostname    text NOT NULL, -- a label; the id is what counts
    pid         integer NOT NULL,
    version     text NOT NULL,
    state       text NOT NULL DEFAULT 'live' CONSTRAINT state_is_known CHECK (state IN ('live', 'stopped', 'dead')),
    started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    lease_until timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Who leads, and under which term. The advisory lock elects; each leader's
-- write names its term, and a deposed leader's write finds another one.
CREATE TABLE kg_api.leader (
    one       boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_leader CHECK (one),
    term      bigint NOT NULL,
    worker_id uuid,
    since     timestamptz
);
INSERT INTO kg_api.leader (term) VALUES (0);

-- +goose Down
DROP TABLE kg_api.leader, kg_api.workers, kg_api.job_events, kg_api.jobs, kg_api.contents;
DROP SEQUENCE kg_api.claim_tokens;
