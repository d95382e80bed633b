-- +goose Up
-- Jobs: what was submitted, what becomes of it, its history, the lanes in which servers
-- claim it, and the schedules that submit it. See 00003_workers.sql for who works.

-- Stored documents; jobs and documents refer to them by hash.
CREATE TABLE kg_api.contents (
    content_hash text PRIMARY KEY CONSTRAINT content_hash_is_sha256 CHECK (content_hash ~ '^sha256:[0-9a-f]{64}$'),
    body         bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Every claim has a token of its own: whoever holds an older one writes nothing more.
CREATE SEQUENCE kg_api.claim_tokens;

-- What every job has comes first, numbers and times before texts: PostgreSQL finds
-- such a column without walking over those before it, and a change of a job looks at
-- each column of each index. Ids and types are compared byte by byte, whatever the
-- language of the database: that is quicker on every descent of an index, and their order
-- cannot change with the operating system. A row is replaced several times in its life;
-- where its page has room for the next version (fillfactor), that costs one page less.
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
    -- Each change of a job leaves an entry under its id, for a short time. To put those of
    -- a full page together would be work for nothing: they are removed soon.
    job_id           text COLLATE "C" PRIMARY KEY WITH (deduplicate_items = off),
    status           text NOT NULL,
    job_type         text COLLATE "C" NOT NULL,
    lane             text COLLATE "C", -- stamped at the claim, so that slots are counted right when a type moves
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

    -- The busiest events have no rows of their own, because the row of the job says
    -- all there is to say of them: the claim of a running job, and both events of
    -- the end of a job that its worker has ended. Here are their numbers; the last
    -- event comes right after end_seq. NULL: the event has a row.
    claim_seq        bigint,
    end_seq          bigint,

    -- Jobs for workers on other machines are in no lane. They alone are in the index that
    -- is read by queue, so that it costs the others nothing.
    remote           boolean NOT NULL DEFAULT false,
    deadline_ms      integer CONSTRAINT deadline_is_1_s_to_7_days CHECK (deadline_ms BETWEEN 1000 AND 604800000), -- of an attempt; NULL: the default
    parent_id        text COLLATE "C", -- the job that made this one for a part of its work
    -- What a job may spend on calls to models; NULL sets no limit. One that reaches it awaits
    -- approval again, and its error says so.
    budget_usd       double precision CONSTRAINT budget_is_positive CHECK (budget_usd > 0),
    budget_tokens    bigint CONSTRAINT budget_is_at_least_one_token CHECK (budget_tokens > 0),

    -- These are checked at every change of every job, so they are cheap: a regular
    -- expression took a tenth of the time of a claim; what a job must have in each status is
    -- one check, which ends at its status; and nearly every job has the queue default.
    CONSTRAINT job_id_has_its_form CHECK (octet_length(job_id) = 16 AND starts_with(job_id, 'job_')),
    CONSTRAINT ingestion_has_a_document CHECK (job_type <> 'ingestion' OR (ontology IS NOT NULL AND content_hash IS NOT NULL)),
    CONSTRAINT status_has_its_facts CHECK (CASE status
        WHEN 'processing' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
            AND (lane IS NOT NULL OR remote) AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL
        WHEN 'completed' THEN completed_at IS NOT NULL
        WHEN 'approved' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
        WHEN 'awaiting_approval' THEN completed_at IS NULL
        WHEN 'pending' THEN completed_at IS NULL
        WHEN 'failed' THEN completed_at IS NOT NULL
        WHEN 'cancelled' THEN completed_at IS NOT NULL
        ELSE false END),
    CONSTRAINT queue_is_1_to_64_letters_digits_and_underscores CHECK (queue = 'default' OR (octet_length(queue) BETWEEN 1 AND 64
        AND translate(queue, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_', '') = ''))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

-- What a claim of a lane reads: one range for each job type. Within a priority the owners of
-- jobs take turns: a claim reads the first jobs of each owner, so those of one stand together.
CREATE INDEX jobs_claim_idx ON kg_api.jobs (job_type, priority DESC, user_id DESC, created_at, job_id)
    WHERE status = 'approved' AND due;
-- What a claim of a remote worker reads, which names queues. What stands in other queues than
-- those that it names is read in jobs_claim_idx, which has that order already. The condition
-- is one that no other index is for: who names it reads this one, whatever the planner
-- believes of the queues.
CREATE INDEX jobs_queue_idx ON kg_api.jobs (job_type, queue, priority DESC, user_id DESC, created_at, job_id)
    WHERE CASE WHEN remote AND due THEN status = 'approved' ELSE false END;
-- Approved jobs that wait for their run_at.
CREATE INDEX jobs_run_at_idx ON kg_api.jobs (run_at) WHERE status = 'approved' AND NOT due;
CREATE INDEX jobs_pending_idx ON kg_api.jobs (created_at) WHERE status = 'pending';
CREATE INDEX jobs_expires_idx ON kg_api.jobs (expires_at) WHERE status = 'awaiting_approval';
CREATE INDEX jobs_document_idx ON kg_api.jobs (content_hash, ontology, created_at DESC) WHERE content_hash IS NOT NULL;
-- Two identical submissions at the same moment make one job.
CREATE UNIQUE INDEX jobs_one_per_document_idx ON kg_api.jobs (ontology, content_hash)
    WHERE status IN ('pending', 'awaiting_approval', 'approved', 'processing') AND NOT forced AND content_hash IS NOT NULL;
-- The slots in use of a lane are counted from its lowest running token on, so
-- that the count does not walk over claims that have ended but cannot be removed
-- yet, because an old transaction might see them.
CREATE INDEX jobs_processing_idx ON kg_api.jobs (lane, claim_token) WHERE status = 'processing';
-- What runs is found by its lane, and is few; the list leaves it out, so that a
-- claim does not enter a job here which its end enters anyway.
CREATE INDEX jobs_list_idx ON kg_api.jobs (created_at DESC, job_id DESC) WHERE status <> 'processing';
-- The jobs that have crashed and are not over, by the number of their crashes: the
-- scheduler finds the suspects among them, which take turns. Few jobs are ever in
-- here, and no other change of a job touches it.
CREATE INDEX jobs_crashed_idx ON kg_api.jobs (crash_count) WHERE crash_count > 0 AND status IN ('approved', 'processing');
CREATE INDEX jobs_remote_idx ON kg_api.jobs (claimed_by) WHERE status = 'processing' AND remote;
CREATE INDEX jobs_parent_idx ON kg_api.jobs (parent_id, created_at) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_children_idx ON kg_api.jobs (parent_id)
    WHERE parent_id IS NOT NULL AND status IN ('awaiting_approval', 'approved', 'processing') AND NOT cancel_requested;
-- The oldest documents of each user that wait for their analysis, and how many wait.
CREATE INDEX jobs_pending_user_idx ON kg_api.jobs (user_id, created_at) WHERE status = 'pending';

-- What answers show of jobs. What a job was submitted with and its checkpoint are not
-- among it: they are for its handler, may be large, and are larger when they are read:
-- PostgreSQL returns a number such as 1e1000 with all of its digits.
CREATE VIEW kg_api.shown_jobs AS
SELECT j.job_id, j.job_type, j.status, j.user_id, u.username, j.progress, j.result, j.error,
    j.created_at, j.approved_at, j.expires_at, j.started_at, j.completed_at, j.run_at, j.due,
    j.content_hash, j.ontology, j.processing_mode, j.filename, j.source_type, j.source_path, j.source_hostname,
    j.analysis, j.approved_by, j.queue, j.priority, j.lane, j.attempt, j.retries, j.max_retries, j.cancel_requested, j.event_seq,
    j.parent_id, j.budget_usd, j.budget_tokens
FROM kg_api.jobs j JOIN kg_api.users u ON u.id = j.user_id;

-- The history of a job. Rows are written only by statements that change the
-- job's row, under its lock, and deleted with it; so there is no foreign key to
-- check on this busiest of tables.
CREATE TABLE kg_api.job_events (
    job_id  text COLLATE "C" NOT NULL,
    seq     bigint NOT NULL,
    kind    text NOT NULL CONSTRAINT kind_is_known CHECK (kind IN ('status', 'progress', 'warning', 'completed', 'failed', 'cancelled')),
    payload jsonb NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, seq)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);

-- What the event source wal reads. A role that may not create a publication can do without:
-- the source listen needs none, and the source wal says what is missing.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE PUBLICATION kg_events FOR TABLE kg_api.job_events WITH (publish = 'insert');
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'no publication kg_events: the role may not create it';
END $$;
-- +goose StatementEnd

-- What the statements that change a job have in common. Each of these functions, and of
-- those that wake workers, is one expression or one query that PostgreSQL puts into the
-- place of its call, so that it costs a statement nearly nothing: half a percent more
-- instructions an approval or a submission.

-- What a claim tells, of a job that was retried so often before.
CREATE FUNCTION kg_api.claim_told(claimed_by uuid, retries integer) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_build_object('status', 'processing', 'previous', 'approved', 'claimed_by', claimed_by, 'retries', retries);

-- The payload of a change of status.
CREATE FUNCTION kg_api.status_event(status text, previous text, approved_by text, error text, retries integer)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_strip_nulls(jsonb_build_object(
    'status', status, 'previous', previous, 'approved_by', approved_by, 'error', error, 'retries', retries));

-- The payload of the last event of a job.
CREATE FUNCTION kg_api.end_event(status text, result jsonb, error text) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE status
    WHEN 'completed' THEN coalesce(result, '{}')
    WHEN 'failed' THEN jsonb_build_object('error', error)
    ELSE jsonb_build_object('message', 'Job was cancelled') END;

-- The history of jobs: all their events, those that have no row (see claim_seq) among them.
CREATE VIEW kg_api.job_history AS
SELECT e.job_id, e.seq, e.kind, e.payload, e.at FROM kg_api.job_events e
UNION ALL
SELECT j.job_id, told.seq, told.kind, told.payload, told.at
FROM kg_api.jobs j CROSS JOIN LATERAL (
    SELECT j.claim_seq AS seq, 'status' AS kind, kg_api.claim_told(j.claimed_by, j.retries) AS payload, j.claimed_at AS at
    WHERE j.status = 'processing' OR j.end_seq IS NOT NULL
    UNION ALL
    SELECT j.end_seq, 'status', kg_api.status_event(j.status, 'processing', NULL, j.error, j.retries), j.completed_at
    UNION ALL
    SELECT j.end_seq + 1, j.status, kg_api.end_event(j.status, j.result, j.error), j.completed_at
) told
WHERE told.seq IS NOT NULL;

-- The ledger of effects: which steps of a job are done for good, and under
-- which claim. A row commits together with the checkpoint that records its
-- step, so that a step counts once, however often it was begun.
CREATE TABLE kg_api.job_effects (
    job_id      text COLLATE "C" NOT NULL REFERENCES kg_api.jobs (job_id) ON DELETE CASCADE,
    step        text NOT NULL CONSTRAINT step_is_1_to_200_characters CHECK (char_length(step) BETWEEN 1 AND 200),
    claim_token bigint NOT NULL,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (job_id, step)
);

-- The keys under which clients have submitted jobs, so that what is sent again
-- because its answer was lost makes no second job. They are forgotten after a day.
CREATE TABLE kg_api.submissions (
    user_id     integer NOT NULL REFERENCES kg_api.users (id) ON DELETE CASCADE,
    key         text NOT NULL CONSTRAINT key_is_short CHECK (length(key) BETWEEN 1 AND 255),
    fingerprint bytea NOT NULL, -- of what was submitted
    job_id      text NOT NULL, -- which may be gone
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- A key may be used for what makes no job, whose job_id is empty, and its answer is
    -- kept: whoever sends a request again gets the first answer.
    request_id  text, -- that carried it out
    status      smallint, -- of the answer; null until it is known
    answer      bytea,
    PRIMARY KEY (user_id, key),
    CONSTRAINT answer_has_a_status CHECK ((status IS NULL) = (answer IS NULL))
);
CREATE INDEX submissions_created_idx ON kg_api.submissions (created_at);

-- The lanes in which servers claim jobs: which types, and how many at once. Projections have
-- one of their own: one that is long keeps neither annealing nor other upkeep waiting.
CREATE TABLE kg_api.worker_lanes (
    name                  text PRIMARY KEY,
    job_types             text[] NOT NULL,
    max_slots             integer NOT NULL DEFAULT 1 CONSTRAINT max_slots_is_0_or_more CHECK (max_slots >= 0),
    poll_interval_ms      integer NOT NULL DEFAULT 5000
        CONSTRAINT poll_interval_is_500_to_120000_ms CHECK (poll_interval_ms BETWEEN 500 AND 120000),
    stale_timeout_minutes integer NOT NULL DEFAULT 30
        CONSTRAINT stale_timeout_is_5_to_1440_minutes CHECK (stale_timeout_minutes BETWEEN 5 AND 1440),
    enabled               boolean NOT NULL DEFAULT true,
    updated_at            timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes) VALUES
    ('interactive', '{ingestion,ingest_image,polarity}', 2, 2000, 30),
    ('maintenance', '{vocab_refresh,vocab_embedding,epistemic_remeasurement,ontology_annealing,proposal_execution}', 1, 15000, 60),
    ('system', '{restore,vocab_consolidate,artifact_cleanup,source_embedding}', 1, 30000, 120),
    ('datasets', '{dataset_query}', 2, 2000, 30),
    ('pictures', '{projection}', 1, 2000, 60);

-- Wakes the lanes that claim a type of jobs. It is called stable, or it would not be
-- put into the place of its call; the notification is volatile there as it is here.
CREATE FUNCTION kg_api.wake_lanes(job_type text) RETURNS SETOF text LANGUAGE sql STABLE ROWS 1
AS $$ SELECT l.name || pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l WHERE $1 = ANY (l.job_types) AND l.enabled $$;

-- Wakes who may claim a job: the lanes that claim its type or, of a job for remote
-- workers, the servers that these are connected to.
CREATE FUNCTION kg_api.wake_workers(job_type text, queue text, remote boolean) RETURNS SETOF text LANGUAGE sql STABLE ROWS 1
AS $$ SELECT l.name || pg_notify('kg_lanes', l.name)::text FROM kg_api.worker_lanes l WHERE NOT $3 AND $1 = ANY (l.job_types) AND l.enabled
UNION ALL SELECT pg_notify('kg_remote', 'work ' || $1 || ' ' || $2)::text WHERE $3 $$;

-- Jobs that are submitted by the clock. A schedule is identified by its id, so
-- that a new one under an old name does not inherit the old one's runs.
CREATE TABLE kg_api.scheduled_jobs (
    schedule_id  integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL UNIQUE CONSTRAINT name_is_1_to_100_characters CHECK (char_length(name) BETWEEN 1 AND 100),
    job_type     text NOT NULL,
    cron         text NOT NULL, -- five fields, read in time_zone
    time_zone    text NOT NULL DEFAULT 'UTC',
    enabled      boolean NOT NULL DEFAULT true,
    condition    text, -- NULL: always
    data         jsonb,
    priority     smallint NOT NULL DEFAULT 0 CONSTRAINT priority_is_in_range CHECK (priority BETWEEN -100 AND 100),
    next_run_at  timestamptz NOT NULL, -- the first due instant that has no answer yet
    last_run_at  timestamptz, -- the last due instant, or the last run by hand
    last_job_id  text, -- the last job; its row may be gone
    last_outcome text CONSTRAINT last_outcome_is_known CHECK (last_outcome IN ('submitted', 'skipped')),
    last_reason  text, -- why it was skipped
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT a_skip_has_a_reason CHECK ((last_outcome IS NOT DISTINCT FROM 'skipped') = (last_reason IS NOT NULL))
);

-- How each due instant was answered: by one job, or by a skip with its reason.
-- The primary key is what keeps two leaders from doubling a run.
CREATE TABLE kg_api.schedule_runs (
    schedule_id   integer NOT NULL REFERENCES kg_api.scheduled_jobs (schedule_id) ON DELETE CASCADE,
    scheduled_for timestamptz NOT NULL,
    job_id        text, -- the job's row may be gone
    skip_reason   text,
    at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (schedule_id, scheduled_for),
    CONSTRAINT a_run_is_a_job_or_a_skip CHECK ((job_id IS NULL) <> (skip_reason IS NULL))
);

-- The schedules that a server has once made by itself: one that an operator has removed
-- does not come back.
CREATE TABLE kg_api.schedule_seeds (
    name text PRIMARY KEY,
    at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- When the leader cleaned up, and when it will again.
CREATE TABLE kg_api.scheduler_state (
    one             boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_state CHECK (one),
    last_cleanup_at timestamptz,
    next_cleanup_at timestamptz
);
INSERT INTO kg_api.scheduler_state DEFAULT VALUES;

-- +goose Down
DROP PUBLICATION IF EXISTS kg_events;
DROP TABLE kg_api.scheduler_state, kg_api.schedule_seeds, kg_api.schedule_runs, kg_api.scheduled_jobs;
DROP FUNCTION kg_api.wake_workers, kg_api.wake_lanes;
DROP VIEW kg_api.job_history, kg_api.shown_jobs;
DROP FUNCTION kg_api.end_event, kg_api.status_event, kg_api.claim_told;
DROP TABLE kg_api.worker_lanes, kg_api.submissions, kg_api.job_effects, kg_api.job_events, kg_api.jobs, kg_api.contents;
DROP SEQUENCE kg_api.claim_tokens;
