-- +goose Up
-- A session of the console is a client too: its secret is in a cookie, and it ends after a
-- time without use. A program of before that meets one takes it for no client of its own.
ALTER TABLE kg_api.oauth_clients DROP CONSTRAINT client_kind_is_known,
    ADD CONSTRAINT client_kind_is_known CHECK (kind IN ('personal', 'key', 'session'));

-- +goose Down
DELETE FROM kg_api.oauth_clients WHERE kind = 'session';
ALTER TABLE kg_api.oauth_clients DROP CONSTRAINT client_kind_is_known,
    ADD CONSTRAINT client_kind_is_known CHECK (kind IN ('personal', 'key'));
