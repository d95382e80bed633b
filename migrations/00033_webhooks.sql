-- +goose Up
-- Webhooks: what happens is sent to the addresses of other programs.
--
-- A delivery is a row here and no job. Its row is written by whatever changes a job or a document,
-- in the same transaction, so that nothing is lost when a server dies; a job would be several
-- rows of the busiest tables for each job that ends, and its own end would be an event again.
-- Those of one document wait for each other, those of one webhook share its slots, and a webhook
-- that only fails is disabled: jobs of a lane know none of that.

-- Triggers on documents: who writes the graph has this lock first.
SELECT pg_advisory_xact_lock(100000002);

CREATE TABLE kg_api.webhooks (
    webhook_id      text COLLATE "C" PRIMARY KEY,
    url             text NOT NULL,
    description     text NOT NULL,
    -- What it is told of; an empty list is all.
    events          text[] NOT NULL,
    ontologies      text[] NOT NULL,
    job_types       text[] NOT NULL,
    enabled         boolean NOT NULL DEFAULT true,
    disabled_at     timestamptz,
    disabled_reason text NOT NULL DEFAULT '',
    failing_since   timestamptz, -- the first failure after the last success
    user_id         integer REFERENCES kg_api.users (id) ON DELETE SET NULL,
    created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT a_disabled_webhook_says_since_when CHECK (enabled = (disabled_at IS NULL))
);

-- What deliveries are signed with, encrypted. One that was replaced signs beside the new one until
-- its time is over.
CREATE TABLE kg_api.webhook_secrets (
    webhook_id  text COLLATE "C" NOT NULL REFERENCES kg_api.webhooks (webhook_id) ON DELETE CASCADE,
    number      integer NOT NULL,
    key_id      text NOT NULL,
    sealed      bytea NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    valid_until timestamptz, -- NULL: the current one
    PRIMARY KEY (webhook_id, number)
);
CREATE UNIQUE INDEX webhook_secrets_current_idx ON kg_api.webhook_secrets (webhook_id) WHERE valid_until IS NULL;

-- An event for one webhook. It names no webhook by a foreign key, which would lock the row of the
-- webhook for each event: what belongs to none is deleted.
CREATE TABLE kg_api.webhook_deliveries (
    webhook_id    text COLLATE "C" NOT NULL,
    seq           bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    -- Of the id that receivers see: a number that is given again after a restore has another one.
    tag           integer NOT NULL DEFAULT (random() * 2147483647)::integer,
    event         text NOT NULL,
    subject       text NOT NULL, -- the events of one are sent in order
    data          jsonb NOT NULL,
    happened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    status        text NOT NULL DEFAULT 'pending' CONSTRAINT delivery_status_is_known CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts      integer NOT NULL DEFAULT 0,
    -- When it may be sent. It is the end of the lease while it is being sent, and no sooner than
    -- that of an earlier event of the same subject while it waits for that.
    next_at       timestamptz DEFAULT clock_timestamp(),
    leased_until  timestamptz, -- a server is sending it; a row names its claim by this
    attempted_at  timestamptz,
    ended_at      timestamptz,
    answer_status integer,
    answer        text, -- its first bytes
    error         text,
    took_ms       integer,
    PRIMARY KEY (webhook_id, seq),
    CONSTRAINT only_a_pending_delivery_is_due CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CONSTRAINT only_a_pending_delivery_is_leased CHECK (status = 'pending' OR leased_until IS NULL),
    CONSTRAINT an_ended_delivery_says_when CHECK ((status = 'pending') = (ended_at IS NULL))
);
CREATE INDEX webhook_deliveries_due_idx ON kg_api.webhook_deliveries (webhook_id, next_at, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_subject_idx ON kg_api.webhook_deliveries (webhook_id, subject, seq) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_leased_idx ON kg_api.webhook_deliveries (webhook_id) WHERE leased_until IS NOT NULL;
CREATE INDEX webhook_deliveries_ended_idx ON kg_api.webhook_deliveries (ended_at) WHERE status <> 'pending';

-- Whether a webhook is told of an event. One that names ontologies is not told of what is in none;
-- job types narrow the events of jobs alone.
CREATE FUNCTION kg_api.webhook_wants(enabled boolean, events text[], ontologies text[], job_types text[], event text, ontology text, job_type text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN enabled AND (events = '{}' OR event = ANY (events)) AND (ontologies = '{}' OR coalesce(ontology = ANY (ontologies), false))
        AND (job_types = '{}' OR job_type IS NULL OR job_type = ANY (job_types));

-- Writes an event for each webhook that is told of it.
-- +goose StatementBegin
CREATE FUNCTION kg_api.tell_webhooks(of_event text, of_subject text, in_ontology text, of_type text, told jsonb) RETURNS void LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO kg_api.webhook_deliveries (webhook_id, event, subject, data)
    SELECT w.webhook_id, of_event, of_subject, told FROM kg_api.webhooks w
    WHERE kg_api.webhook_wants(w.enabled, w.events, w.ontologies, w.job_types, of_event, in_ontology, of_type);
END;
-- +goose StatementEnd

-- What is told of a job.
CREATE FUNCTION kg_api.job_told(job_id text, job_type text, status text, queue text, ontology text, document_id text, filename text, error text, retries integer,
    user_id integer, is_system boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN jsonb_strip_nulls(jsonb_build_object('job_id', job_id, 'job_type', job_type, 'status', status, 'queue', queue, 'ontology', ontology,
        'document_id', document_id, 'filename', filename, 'error', left(error, 1000), 'retries', retries, 'user_id', user_id, 'is_system', is_system));

-- Events of jobs, as their rows change. The statements that store the ends of many attempts, after
-- which a job has an end_seq, write theirs themselves, with one look at the webhooks for all.
-- +goose StatementBegin
CREATE FUNCTION kg_api.tell_of_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told jsonb;
    subject text := coalesce(NEW.identity::text, NEW.content_hash, NEW.job_id);
BEGIN
    IF NOT EXISTS (SELECT FROM kg_api.webhooks w WHERE w.enabled) THEN
        RETURN NULL;
    END IF;
    told := kg_api.job_told(NEW.job_id, NEW.job_type, NEW.status, NEW.queue, NEW.ontology, NEW.content_hash, NEW.filename, NEW.error, NEW.retries, NEW.user_id, NEW.is_system);
    IF TG_OP = 'UPDATE' AND NEW.status = 'awaiting_approval' AND OLD.status = 'processing' THEN
        PERFORM kg_api.tell_webhooks('budget.reached', subject, NEW.ontology, NEW.job_type,
            told || jsonb_strip_nulls(jsonb_build_object('budget_usd', NEW.budget_usd, 'budget_tokens', NEW.budget_tokens)));
    END IF;
    PERFORM kg_api.tell_webhooks('job.' || NEW.status, subject, NEW.ontology, NEW.job_type, told);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tell_of_new_job AFTER INSERT ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.status = 'awaiting_approval') EXECUTE FUNCTION kg_api.tell_of_job();
CREATE TRIGGER tell_of_job AFTER UPDATE OF status ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (NEW.status = 'awaiting_approval' OR NEW.completed_at IS NOT NULL AND NEW.end_seq IS NULL)) EXECUTE FUNCTION kg_api.tell_of_job();

-- Events of documents. One is added when it was read to its end, and not before: whoever is told
-- finds all of it. One that moves leaves its ontology and comes to another one. One that a later
-- version replaces is not removed: that version has changed it.
-- +goose StatementBegin
CREATE FUNCTION kg_api.tell_of_document(event text, d kg_api.documents) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    ontology text;
BEGIN
    SELECT o.name INTO ontology FROM kg_api.ontologies o WHERE o.id = d.ontology_id;
    PERFORM kg_api.tell_webhooks(event, coalesce(d.identity::text, d.document_id), ontology, NULL, jsonb_strip_nulls(jsonb_build_object(
        'document_id', d.document_id, 'ontology', ontology, 'filename', d.filename, 'content_type', d.content_type, 'version', d.version,
        'document_key', d.document_key, 'source_path', d.source_path, 'job_id', d.job_id)));
END $$;
CREATE FUNCTION kg_api.tell_of_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM kg_api.webhooks w WHERE w.enabled) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        PERFORM kg_api.tell_of_document('document.added', NEW);
    ELSIF TG_OP = 'DELETE' THEN
        IF NOT EXISTS (SELECT FROM kg_api.documents l WHERE l.ontology_id = OLD.ontology_id AND l.identity = OLD.identity AND l.version > OLD.version) THEN
            PERFORM kg_api.tell_of_document('document.removed', OLD);
        END IF;
    ELSIF OLD.ontology_id <> NEW.ontology_id THEN
        PERFORM kg_api.tell_of_document('document.removed', OLD);
        PERFORM kg_api.tell_of_document('document.added', NEW);
    ELSIF OLD.submitted_at IS NULL AND NEW.version = 1 THEN
        PERFORM kg_api.tell_of_document('document.added', NEW);
    ELSE
        PERFORM kg_api.tell_of_document('document.changed', NEW);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tell_of_added AFTER INSERT ON kg_api.documents FOR EACH ROW
    WHEN (NEW.submitted_at IS NOT NULL) EXECUTE FUNCTION kg_api.tell_of_document();
-- Only the statement that ends the reading of a document names this column.
CREATE TRIGGER tell_of_read AFTER UPDATE OF submitted_at ON kg_api.documents FOR EACH ROW
    EXECUTE FUNCTION kg_api.tell_of_document();
CREATE TRIGGER tell_of_moved AFTER UPDATE OF ontology_id, source_path ON kg_api.documents FOR EACH ROW
    WHEN (NEW.submitted_at IS NOT NULL AND OLD.job_id = NEW.job_id AND (OLD.ontology_id, OLD.source_path, OLD.filename) IS DISTINCT FROM (NEW.ontology_id, NEW.source_path, NEW.filename))
    EXECUTE FUNCTION kg_api.tell_of_document();
CREATE TRIGGER tell_of_removed AFTER DELETE ON kg_api.documents FOR EACH ROW
    WHEN (OLD.submitted_at IS NOT NULL) EXECUTE FUNCTION kg_api.tell_of_document();

-- +goose StatementBegin
CREATE FUNCTION kg_api.tell_of_proposal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kg_api.tell_webhooks('proposal.created', 'proposal ' || NEW.id, NEW.ontology_name, NULL, jsonb_strip_nulls(jsonb_build_object(
        'proposal_id', NEW.id, 'kind', NEW.kind, 'ontology', NEW.ontology_name, 'target', NEW.target_name, 'suggested_name', NEW.suggested_name,
        'reasoning', left(NEW.reasoning, 1000), 'status', NEW.status)));
    RETURN NULL;
END $$;
CREATE FUNCTION kg_api.rename_in_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kg_api.webhooks w SET ontologies = array_replace(w.ontologies, OLD.name, NEW.name) WHERE OLD.name = ANY (w.ontologies);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tell_of_proposal AFTER INSERT ON kg_api.ontology_proposals FOR EACH ROW EXECUTE FUNCTION kg_api.tell_of_proposal();
-- A webhook goes on with an ontology that is renamed.
CREATE TRIGGER rename_in_webhooks AFTER UPDATE OF name ON kg_api.ontologies FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION kg_api.rename_in_webhooks();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP TRIGGER rename_in_webhooks ON kg_api.ontologies;
DROP TRIGGER tell_of_proposal ON kg_api.ontology_proposals;
DROP TRIGGER tell_of_removed ON kg_api.documents;
DROP TRIGGER tell_of_moved ON kg_api.documents;
DROP TRIGGER tell_of_read ON kg_api.documents;
DROP TRIGGER tell_of_added ON kg_api.documents;
DROP TRIGGER tell_of_job ON kg_api.jobs;
DROP TRIGGER tell_of_new_job ON kg_api.jobs;
DROP FUNCTION kg_api.rename_in_webhooks, kg_api.tell_of_proposal, kg_api.tell_of_document(), kg_api.tell_of_document(text, kg_api.documents), kg_api.tell_of_job,
    kg_api.job_told, kg_api.tell_webhooks, kg_api.webhook_wants;
DROP TABLE kg_api.webhook_deliveries, kg_api.webhook_secrets, kg_api.webhooks;
