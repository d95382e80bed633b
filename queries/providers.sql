-- name: GovernorLock :exec
-- One process at a time decides which calls are made, for some milliseconds. What it
-- decides is worth nothing after a crash, so nobody waits for the disk.
SELECT pg_advisory_xact_lock(100000004), set_config('synchronous_commit', 'off', true);

-- name: ProviderEnsure :exec
INSERT INTO kg_api.providers (name) VALUES (@name) ON CONFLICT (name) DO NOTHING;

-- name: Providers :many
SELECT p.name, p.throttled_until, p.failures, p.error, p.error_at, p.requests, p.tokens, p.balance_at,
    clock_timestamp()::timestamptz AS now
FROM kg_api.providers p ORDER BY p.name;

-- name: ModelCalls :many
-- The calls whose leases have not ended, the oldest first.
SELECT c.call_id, c.provider, c.model, c.purpose, c.job_id, c.holder, c.tokens, c.queued_at, c.started_at
FROM kg_api.model_calls c WHERE c.leased_until > clock_timestamp()
ORDER BY c.call_id;

-- name: ModelCallQueue :one
-- Queueing a call again, because the answer to the first time was lost, finds the same one.
INSERT INTO kg_api.model_calls (call_key, provider, model, purpose, job_id, holder, tokens, leased_until)
VALUES (coalesce(nullif(@call_key::text, '')::uuid, gen_random_uuid()), @provider, @model, @purpose, @job_id, @holder::uuid, @tokens, clock_timestamp() + @lease::interval)
ON CONFLICT (call_key) DO UPDATE SET leased_until = excluded.leased_until
RETURNING model_calls.call_id;

-- name: ModelCallStart :exec
UPDATE kg_api.model_calls c SET started_at = clock_timestamp() WHERE c.call_id = ANY (@ids::bigint[]);

-- name: ModelCallEnd :many
-- Returns when the call began; no row: it was ended before, or given up with its lease.
DELETE FROM kg_api.model_calls c WHERE c.call_id = @id RETURNING c.started_at;

-- name: ModelCallForgetKey :exec
-- Ends a call of which nobody knows the number: the answer to its queueing was lost.
DELETE FROM kg_api.model_calls c WHERE c.call_key = @call_key::uuid;

-- name: ModelCallCharge :execrows
-- Notes that the end of a call is counted; no row: it was before, and the answer to that
-- was lost.
INSERT INTO kg_api.charged_calls (call_id) VALUES (@id) ON CONFLICT DO NOTHING;

-- name: ModelCallForget :exec
-- Nobody stores the end of a call again that was counted so long ago.
DELETE FROM kg_api.charged_calls c WHERE c.charged_at < clock_timestamp() - interval '10 minutes';

-- name: ModelCallRenew :exec
UPDATE kg_api.model_calls c SET leased_until = clock_timestamp() + @lease::interval
WHERE c.call_id = ANY (@ids::bigint[]) AND c.leased_until > clock_timestamp();

-- name: ModelCallReap :exec
-- Forgets the calls of processes that are gone. After a restart of the database it waits
-- for one lease, in which the others renew theirs.
DELETE FROM kg_api.model_calls c
WHERE c.leased_until <= clock_timestamp() AND pg_postmaster_start_time() < clock_timestamp() - @lease::interval;

-- name: ModelCallsDrop :exec
-- Ends all calls of a process that stops.
DELETE FROM kg_api.model_calls c WHERE c.holder = @holder::uuid;

-- name: ProviderBalance :exec
UPDATE kg_api.providers p SET requests = @requests, tokens = @tokens, balance_at = @balance_at::timestamptz WHERE p.name = @name;

-- name: ProviderAnswered :execrows
-- It answers a call that began after its last failure: whatever was before is over. What
-- began earlier says nothing about now: seven calls that run when the eighth is told to
-- wait end well, and lift nothing.
UPDATE kg_api.providers p SET failures = 0, throttled_until = NULL, error = ''
WHERE p.name = @name AND p.failures > 0 AND (p.error_at IS NULL OR p.error_at < @began::timestamptz);

-- name: ProviderChecked :execrows
-- ProviderAnswered for a call that an operator made, and which did not wait: a rest that the
-- provider has asked for it does not end.
UPDATE kg_api.providers p SET failures = 0, throttled_until = NULL, error = ''
WHERE p.name = @name AND p.failures > 0 AND (p.error_at IS NULL OR p.error_at < @began::timestamptz)
    AND (p.asked_until IS NULL OR p.asked_until <= clock_timestamp());

-- name: ProviderFailed :one
-- Counts a failure, and returns how many there were since the last answer. Calls that
-- failed together count as one: those that began before the last failure was stored.
UPDATE kg_api.providers p
SET failures = CASE WHEN p.failures > 0 AND (p.throttled_until > clock_timestamp() OR p.error_at >= @began::timestamptz)
        THEN p.failures ELSE p.failures + 1 END,
    error = @error, error_at = clock_timestamp()
WHERE p.name = @name
RETURNING p.failures;

-- name: ProviderThrottle :one
-- Has nobody call a provider for a time, unless it is longer already, and returns for how
-- long that is. asked is how long the provider has asked for, 0 when it did not.
UPDATE kg_api.providers p SET throttled_until = greatest(p.throttled_until, clock_timestamp() + @wait::interval),
    asked_until = greatest(p.asked_until, clock_timestamp() + nullif(@asked::interval, '0'))
WHERE p.name = @name
RETURNING (p.throttled_until - clock_timestamp())::interval AS wait;

-- name: ModelUsageAdd :exec
INSERT INTO kg_api.model_usage (job_id, model, purpose, calls, failed_calls, input_tokens, output_tokens, cost_usd, seconds)
VALUES (@job_id, @model, @purpose, 1, @failed::int, @input_tokens, @output_tokens, @cost_usd, @seconds)
ON CONFLICT (job_id, model, purpose) DO UPDATE
SET calls = model_usage.calls + 1, failed_calls = model_usage.failed_calls + excluded.failed_calls,
    input_tokens = model_usage.input_tokens + excluded.input_tokens, output_tokens = model_usage.output_tokens + excluded.output_tokens,
    cost_usd = model_usage.cost_usd + excluded.cost_usd, seconds = model_usage.seconds + excluded.seconds, updated_at = clock_timestamp();

-- name: RunCharge :execrows
-- Notes that the spending of a remote worker's job is counted; no row: it was before.
INSERT INTO kg_api.charged_runs (job_id) VALUES (@job_id) ON CONFLICT DO NOTHING;

-- name: ModelUsageOf :many
SELECT u.purpose, u.model, u.calls, u.failed_calls, u.input_tokens, u.output_tokens, u.cost_usd, u.seconds
FROM kg_api.model_usage u WHERE u.job_id = @job_id ORDER BY u.purpose, u.model;

-- name: ModelUsageSince :many
-- What jobs have used of each model that have called one since an instant, dearest first. A job
-- counts whole: its calls before the instant are not told apart.
SELECT u.purpose, u.model, sum(u.calls)::bigint AS calls, sum(u.failed_calls)::bigint AS failed_calls, sum(u.input_tokens)::bigint AS input_tokens,
    sum(u.output_tokens)::bigint AS output_tokens, sum(u.cost_usd)::float8 AS cost_usd, sum(u.seconds)::float8 AS seconds
FROM kg_api.model_usage u
WHERE u.updated_at >= clock_timestamp() - @since::interval
GROUP BY u.purpose, u.model
ORDER BY cost_usd DESC, u.model, u.purpose;
