-- +goose Up
-- On which timeline of the database the leader took its term, and since when the
-- database has been on it. A promotion of a standby starts a new one; the leases
-- in it are as old as what was replicated.
ALTER TABLE kg_api.leader
    ADD COLUMN timeline integer NOT NULL DEFAULT 0, -- 0: not known
    ADD COLUMN moved_at timestamptz NOT NULL DEFAULT '-infinity';

-- Since when workers can renew their leases here: after a restart and after a
-- promotion they need the time of a lease for it.
-- +goose StatementBegin
CREATE FUNCTION kg_api.serving_since() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT greatest(pg_catalog.pg_postmaster_start_time(), l.moved_at) FROM kg_api.leader l
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION kg_api.serving_since();
ALTER TABLE kg_api.leader DROP COLUMN timeline, DROP COLUMN moved_at;
