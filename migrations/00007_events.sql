-- +goose Up
-- What the event source wal reads. A role that may not create a publication
-- can do without: the source listen needs none, and the source wal says what is
-- missing.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE PUBLICATION kg_events FOR TABLE kg_api.job_events WITH (publish = 'insert');
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'no publication kg_events: the role may not create it';
END $$;
-- +goose StatementEnd

-- Grows whenever a right is taken from somebody, in the same transaction. Open
-- streams are examined again when it has changed, and only then.
CREATE TABLE kg_api.access_epoch (
    one   boolean PRIMARY KEY DEFAULT true CONSTRAINT there_is_one_epoch CHECK (one),
    epoch bigint NOT NULL
);
INSERT INTO kg_api.access_epoch (epoch) VALUES (1);

-- +goose StatementBegin
CREATE FUNCTION kg_api.raise_access_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kg_api.access_epoch SET epoch = epoch + 1;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER users_lose_rights AFTER UPDATE ON kg_api.users FOR EACH ROW
    WHEN (OLD.role IS DISTINCT FROM NEW.role OR (NEW.disabled AND NOT OLD.disabled))
    EXECUTE FUNCTION kg_api.raise_access_epoch();
CREATE TRIGGER users_go AFTER DELETE ON kg_api.users FOR EACH ROW
    EXECUTE FUNCTION kg_api.raise_access_epoch();
CREATE TRIGGER clients_lose_rights AFTER UPDATE ON kg_api.oauth_clients FOR EACH ROW
    WHEN ((OLD.scopes, OLD.generation, OLD.user_id) IS DISTINCT FROM (NEW.scopes, NEW.generation, NEW.user_id))
    EXECUTE FUNCTION kg_api.raise_access_epoch();
CREATE TRIGGER clients_go AFTER DELETE ON kg_api.oauth_clients FOR EACH ROW
    EXECUTE FUNCTION kg_api.raise_access_epoch();
CREATE TRIGGER tokens_are_revoked AFTER INSERT ON kg_api.revoked_tokens FOR EACH ROW
    EXECUTE FUNCTION kg_api.raise_access_epoch();

-- Tickets open one event stream once, for clients that cannot send headers.
-- Only the hash of a ticket is kept. A crash takes them all (unlogged), so that
-- one that was used does not come back. There are no foreign keys, because who
-- redeems a ticket looks at its user and its client anyway.
CREATE UNLOGGED TABLE kg_api.stream_tickets (
    ticket_hash bytea PRIMARY KEY CONSTRAINT ticket_hash_is_sha256 CHECK (octet_length(ticket_hash) = 32),
    topic       text NOT NULL, -- the job, or "events" for the stream of all
    user_id     integer NOT NULL,
    client_id   text NOT NULL,
    generation  integer NOT NULL, -- of the client
    token_id    text NOT NULL,    -- the token that it was made with
    scopes      text[] NOT NULL,
    token_ends  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
);
CREATE INDEX stream_tickets_user_idx ON kg_api.stream_tickets (user_id, expires_at);

-- +goose Down
DROP TABLE kg_api.stream_tickets;
DROP FUNCTION kg_api.raise_access_epoch() CASCADE; -- with its triggers
DROP TABLE kg_api.access_epoch;
DROP PUBLICATION IF EXISTS kg_events;
