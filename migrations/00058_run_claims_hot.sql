-- +goose Up
-- A confirmation changes a claim in place: no index says whether it is confirmed, so
-- that none of them gets a new entry. The few claims that are open are read instead.
DROP INDEX kg_api.run_claims_reserved_idx;
CREATE INDEX run_claims_reserved_idx ON kg_api.run_claims (reserved_until) WHERE ended_at IS NULL;
-- Claim tokens are given in the order of time: what is old is found by them.
DROP INDEX kg_api.run_claims_created_idx;

-- +goose Down
CREATE INDEX run_claims_created_idx ON kg_api.run_claims (created_at);
DROP INDEX kg_api.run_claims_reserved_idx;
CREATE INDEX run_claims_reserved_idx ON kg_api.run_claims (reserved_until) WHERE ended_at IS NULL AND confirmed_at IS NULL;
