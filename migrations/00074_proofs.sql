-- +goose Up
-- When the password of the account was last proved for a client: at its login, and not by
-- what made it else. A new password is given within minutes of that, or with the old one.
-- Clients of before say nothing, which is as if it were long ago.
ALTER TABLE kg_api.oauth_clients ADD COLUMN proved_at timestamptz;
-- Whether the password is as long as an administrator's must be; null for those of before.
ALTER TABLE kg_api.users ADD COLUMN long_password boolean;

-- +goose Down
ALTER TABLE kg_api.users DROP COLUMN long_password;
ALTER TABLE kg_api.oauth_clients DROP COLUMN proved_at;
