-- +goose Up
-- Who did what, in the transaction of the act. Nothing refers to other tables: an
-- entry outlives what it is about.
CREATE TABLE kg_api.audit_log (
    id         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    user_id    integer NOT NULL,
    username   text NOT NULL,
    client_id  text NOT NULL,
    request_id text NOT NULL,
    action     text NOT NULL,
    object     text NOT NULL,
    object_id  text NOT NULL,
    before     jsonb,
    after      jsonb
);
CREATE INDEX audit_log_object_idx ON kg_api.audit_log (object, object_id, id);
CREATE INDEX audit_log_at_idx ON kg_api.audit_log (at);

-- Entries are added, and deleted when they are old; nobody changes one.
-- +goose StatementBegin
CREATE FUNCTION kg_api.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the audit log are never changed';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_stays BEFORE UPDATE ON kg_api.audit_log FOR EACH ROW
    EXECUTE FUNCTION kg_api.refuse_audit_change();

-- +goose Down
DROP TABLE kg_api.audit_log;
DROP FUNCTION kg_api.refuse_audit_change;
