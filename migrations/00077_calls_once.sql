-- +goose Up
-- A call is queued under a key that its process chose, so that queueing it again, because
-- the answer to the first time was lost, makes no second call that nobody makes.
ALTER TABLE kg_api.model_calls ADD COLUMN call_key uuid NOT NULL DEFAULT gen_random_uuid();
CREATE UNIQUE INDEX model_calls_key_idx ON kg_api.model_calls (call_key);

-- Calls whose end is counted: an end that is stored again, because the answer to the first
-- time was lost, counts nothing twice. A row is of no use any more after some minutes.
CREATE TABLE kg_api.charged_calls (
    call_id    bigint PRIMARY KEY,
    charged_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX charged_calls_at_idx ON kg_api.charged_calls (charged_at);

-- +goose Down
DROP TABLE kg_api.charged_calls;
ALTER TABLE kg_api.model_calls DROP COLUMN call_key;
