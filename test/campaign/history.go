package main

// historySchema is what the campaign writes down beside the product: a row for
// each change of a job's status or claim, written by a trigger in the same
// transaction and under the job's lock, so that the order of ids is that of the
// commits; each term of a leader; each lease; each turn that a suspect passed on;
// each request to cancel a job that runs; each instant that a schedule promised;
// effects that no current claim recorded; and the faults.
//
// Each row has its transaction and when that began; of a claim it also has what
// the claim could see, which is the snapshot of its statement. A function that is
// not volatile sees what the statement that calls it sees, so saw_jobs is not.
const historySchema = `
CREATE SCHEMA campaign;

CREATE TABLE campaign.history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id text COLLATE "C" NOT NULL, was text, "is" text NOT NULL,
    token bigint, worker uuid, attempt int NOT NULL, retries int NOT NULL, crashes int NOT NULL,
    event_seq bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by_server text NOT NULL DEFAULT session_user, -- each server has a role of its own
    job_type text, priority int, created_at timestamptz, due boolean, owner int,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    began timestamptz NOT NULL DEFAULT transaction_timestamp(),
    saw pg_snapshot, -- of a claim: its statement's snapshot
    error text
);
CREATE FUNCTION campaign.saw_jobs() RETURNS trigger LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM set_config('campaign.saw', pg_current_snapshot()::text, true);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_saw BEFORE UPDATE ON kg_api.jobs FOR EACH STATEMENT EXECUTE FUNCTION campaign.saw_jobs();
CREATE FUNCTION campaign.note_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.history (job_id, was, "is", token, worker, attempt, retries, crashes, event_seq,
        job_type, priority, created_at, due, owner, error, saw)
    VALUES (NEW.job_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, NEW.claim_token, NEW.claimed_by,
        NEW.attempt, NEW.retries, NEW.crash_count, NEW.event_seq, NEW.job_type, NEW.priority, NEW.created_at, NEW.due, NEW.user_id, NEW.error,
        CASE WHEN NEW.status = 'processing' THEN current_setting('campaign.saw')::pg_snapshot END);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_insert AFTER INSERT ON kg_api.jobs FOR EACH ROW EXECUTE FUNCTION campaign.note_job();
CREATE TRIGGER campaign_update AFTER UPDATE ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.claim_token IS DISTINCT FROM NEW.claim_token)
    EXECUTE FUNCTION campaign.note_job();

-- The jobs that were due and are not any more, which changes no status: suspects
-- that have passed their turn on.
CREATE TABLE campaign.passed (job_id text COLLATE "C" NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE FUNCTION campaign.note_passed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.passed (job_id) VALUES (NEW.job_id);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_passed AFTER UPDATE ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.status = 'approved' AND NEW.status = 'approved' AND OLD.due AND NOT NEW.due)
    EXECUTE FUNCTION campaign.note_passed();

CREATE TABLE campaign.cancels (job_id text COLLATE "C" NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE FUNCTION campaign.note_cancel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.cancels (job_id) VALUES (NEW.job_id);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_cancel AFTER UPDATE ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.cancel_requested AND NOT OLD.cancel_requested AND NEW.status = 'processing')
    EXECUTE FUNCTION campaign.note_cancel();

CREATE TABLE campaign.terms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    term bigint NOT NULL, worker uuid, at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION campaign.note_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.terms (term, worker) VALUES (NEW.term, NEW.worker_id);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_term AFTER UPDATE ON kg_api.leader FOR EACH ROW
    WHEN ((OLD.term, OLD.since) IS DISTINCT FROM (NEW.term, NEW.since)) -- a leader may take a new identity within its term
    EXECUTE FUNCTION campaign.note_term();

CREATE TABLE campaign.leases (worker uuid NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), until timestamptz NOT NULL);
CREATE FUNCTION campaign.note_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.leases (worker, until) VALUES (NEW.worker_id, NEW.lease_until);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_lease AFTER INSERT OR UPDATE OF lease_until ON kg_api.workers FOR EACH ROW EXECUTE FUNCTION campaign.note_lease();

CREATE TABLE campaign.instants (schedule_id int NOT NULL, due_at timestamptz NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE FUNCTION campaign.note_instant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.instants (schedule_id, due_at) VALUES (NEW.schedule_id, NEW.next_run_at);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_instant AFTER INSERT OR UPDATE OF next_run_at ON kg_api.scheduled_jobs FOR EACH ROW EXECUTE FUNCTION campaign.note_instant();

CREATE TABLE campaign.stale_effects (job_id text COLLATE "C" NOT NULL, step text NOT NULL, token bigint NOT NULL);
CREATE FUNCTION campaign.note_effect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM kg_api.jobs j
        WHERE j.job_id = NEW.job_id AND j.claim_token = NEW.claim_token AND j.status = 'processing') THEN
        INSERT INTO campaign.stale_effects VALUES (NEW.job_id, NEW.step, NEW.claim_token);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_effect AFTER INSERT ON kg_api.job_effects FOR EACH ROW EXECUTE FUNCTION campaign.note_effect();

-- The ends of rights, each in the transaction that ends one.
CREATE TABLE campaign.revocations (
    kind text NOT NULL, subject text NOT NULL, -- a token, a client or a user
    at timestamptz NOT NULL DEFAULT clock_timestamp(), tx xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE FUNCTION campaign.note_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.revocations (kind, subject) VALUES (TG_ARGV[0], to_jsonb(OLD) ->> TG_ARGV[1]);
    RETURN NULL;
END $$;
CREATE FUNCTION campaign.note_revoked_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.revocations (kind, subject) VALUES ('token revoked', NEW.token_id);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_token AFTER INSERT ON kg_api.revoked_tokens FOR EACH ROW EXECUTE FUNCTION campaign.note_revoked_token();
CREATE TRIGGER campaign_client AFTER DELETE ON kg_api.oauth_clients FOR EACH ROW
    EXECUTE FUNCTION campaign.note_revocation('client deleted', 'client_id');
CREATE TRIGGER campaign_secret AFTER UPDATE ON kg_api.oauth_clients FOR EACH ROW WHEN (NEW.generation > OLD.generation)
    EXECUTE FUNCTION campaign.note_revocation('secret rotated', 'client_id');
CREATE TRIGGER campaign_user AFTER UPDATE ON kg_api.users FOR EACH ROW WHEN (NEW.disabled AND NOT OLD.disabled)
    EXECUTE FUNCTION campaign.note_revocation('user disabled', 'id');
CREATE TRIGGER campaign_role AFTER UPDATE ON kg_api.users FOR EACH ROW WHEN (NEW.role <> OLD.role)
    EXECUTE FUNCTION campaign.note_revocation('role lowered', 'id');

CREATE TABLE campaign.faults (
    kind text NOT NULL, role text NOT NULL, server int NOT NULL, leader boolean NOT NULL,
    began timestamptz NOT NULL, ended timestamptz NOT NULL
);
-- Whether neither a server nor PostgreSQL had a fault in a time, or shortly
-- before.
CREATE FUNCTION campaign.calm(by_server text, since timestamptz, until timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (SELECT 1 FROM campaign.faults f
        WHERE f.began <= until AND f.ended + interval '2 seconds' >= since
            AND (f.kind IN ('restart', 'terminate') OR 'kg_server' || f.server = by_server))
$$;

-- What the witness received, noted at the end.
CREATE TABLE campaign.steps (job_id text COLLATE "C" NOT NULL, step text NOT NULL, token bigint NOT NULL, at timestamptz NOT NULL);
`

// historyIndexes make the checks quick; they are made when the history is whole.
const historyIndexes = `
CREATE INDEX IF NOT EXISTS history_job_idx ON campaign.history (job_id, id);
CREATE INDEX IF NOT EXISTS history_token_idx ON campaign.history (token);
CREATE INDEX IF NOT EXISTS leases_worker_idx ON campaign.leases (worker, at);
CREATE INDEX IF NOT EXISTS steps_job_idx ON campaign.steps (job_id);
CREATE INDEX IF NOT EXISTS instants_idx ON campaign.instants (schedule_id, due_at);
ANALYZE`
