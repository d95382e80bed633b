-- +goose Up
-- Workers on other machines, beside the servers. An identity is what the token of such
-- a worker says; one process has it, under one live row. The generation counts its
-- connections: what a connection does at its end names its own.
ALTER TABLE kg_api.workers
    ADD COLUMN kind         text NOT NULL DEFAULT 'server' CONSTRAINT kind_is_known CHECK (kind IN ('server', 'remote')),
    ADD COLUMN identity     text,
    ADD COLUMN generation   bigint NOT NULL DEFAULT 0,
    ADD COLUMN lease        interval NOT NULL DEFAULT '15 seconds',
    ADD COLUMN profile      text NOT NULL DEFAULT '',
    ADD COLUMN name         text NOT NULL DEFAULT '',
    ADD COLUMN server       text NOT NULL DEFAULT '', -- the one that its socket ends at
    ADD COLUMN address      text NOT NULL DEFAULT '',
    ADD COLUMN labels       jsonb,
    ADD COLUMN groups       jsonb, -- its slot groups
    ADD COLUMN capacity     integer NOT NULL DEFAULT 0,
    ADD COLUMN usage        jsonb, -- what its groups do, as of seen_at
    ADD COLUMN connected_at timestamptz,
    ADD COLUMN seen_at      timestamptz, -- its last frame
    ADD COLUMN connected    boolean NOT NULL DEFAULT false,
    ADD COLUMN draining     boolean NOT NULL DEFAULT false,
    ADD COLUMN completed    bigint NOT NULL DEFAULT 0,
    ADD COLUMN failed       bigint NOT NULL DEFAULT 0,
    ADD COLUMN late         bigint NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX workers_identity_idx ON kg_api.workers (identity) WHERE identity IS NOT NULL AND state = 'live';

-- +goose Down
DELETE FROM kg_api.workers WHERE kind = 'remote';
DROP INDEX kg_api.workers_identity_idx;
ALTER TABLE kg_api.workers
    DROP COLUMN kind, DROP COLUMN identity, DROP COLUMN generation, DROP COLUMN lease, DROP COLUMN profile, DROP COLUMN name,
    DROP COLUMN server, DROP COLUMN address, DROP COLUMN labels, DROP COLUMN groups, DROP COLUMN capacity, DROP COLUMN usage,
    DROP COLUMN connected_at, DROP COLUMN seen_at, DROP COLUMN connected, DROP COLUMN draining, DROP COLUMN completed,
    DROP COLUMN failed, DROP COLUMN late;
