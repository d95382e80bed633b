-- name: WebhookLock :exec
-- Of two webhooks that are made at once, one waits until the other is counted.
SELECT pg_advisory_xact_lock(100000013, 1);

-- name: WebhookInsert :execrows
-- No row: there are as many as there may be.
INSERT INTO kg_api.webhooks (webhook_id, url, description, events, ontologies, job_types, enabled, disabled_at, disabled_reason, user_id)
SELECT @webhook_id, @url, @description, @events::text[], @ontologies::text[], @job_types::text[], @enabled::bool,
    CASE WHEN NOT @enabled THEN clock_timestamp() END, @disabled_reason, sqlc.narg(user_id)::int
WHERE (SELECT count(*) FROM kg_api.webhooks) < @most::bigint;

-- name: WebhookList :many
-- One webhook, or all for the empty id, oldest first, with what waits for each, counted up to most.
SELECT sqlc.embed(w), coalesce(u.username, '')::text AS username, n.waiting::int AS waiting, s.valid_until AS old_secret_until
FROM kg_api.webhooks w LEFT JOIN kg_api.users u ON u.id = w.user_id
CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM (
    SELECT 1 FROM kg_api.webhook_deliveries d WHERE d.webhook_id = w.webhook_id AND d.status = 'pending' LIMIT @most::int) d) n
LEFT JOIN LATERAL (
    SELECT o.valid_until FROM kg_api.webhook_secrets o WHERE o.webhook_id = w.webhook_id AND o.valid_until > clock_timestamp() ORDER BY o.valid_until DESC LIMIT 1) s ON true
WHERE @webhook_id::text = '' OR w.webhook_id = @webhook_id
ORDER BY w.created_at, w.webhook_id;

-- name: WebhookHold :one
SELECT w.* FROM kg_api.webhooks w WHERE w.webhook_id = @webhook_id FOR NO KEY UPDATE;

-- name: WebhookUpdate :exec
-- One that is enabled begins anew: what failed before does not count.
UPDATE kg_api.webhooks w
SET url = @url, description = @description, events = @events::text[], ontologies = @ontologies::text[], job_types = @job_types::text[], enabled = @enabled::bool,
    disabled_at = CASE WHEN NOT @enabled THEN coalesce(w.disabled_at, clock_timestamp()) END, disabled_reason = @disabled_reason,
    failing_since = CASE WHEN w.enabled OR NOT @enabled THEN w.failing_since END, updated_at = clock_timestamp()
WHERE w.webhook_id = @webhook_id;

-- name: WebhookDelete :one
DELETE FROM kg_api.webhooks w WHERE w.webhook_id = @webhook_id RETURNING w.*;

-- name: WebhookDeliveriesForget :execrows
-- Deletes some deliveries of a webhook that is gone.
DELETE FROM kg_api.webhook_deliveries d
WHERE d.webhook_id = @webhook_id AND d.seq IN (SELECT f.seq FROM kg_api.webhook_deliveries f WHERE f.webhook_id = sqlc.arg(webhook_id) ORDER BY f.seq LIMIT @most::int)
    AND NOT EXISTS (SELECT FROM kg_api.webhooks w WHERE w.webhook_id = d.webhook_id);

-- name: WebhookDeliveriesOwners :many
-- The webhooks that have deliveries and are gone. Each step finds the next id by the index.
WITH RECURSIVE ids AS (
    (SELECT d.webhook_id FROM kg_api.webhook_deliveries d ORDER BY d.webhook_id LIMIT 1)
    UNION ALL
    SELECT n.webhook_id FROM ids i
    CROSS JOIN LATERAL (SELECT d.webhook_id FROM kg_api.webhook_deliveries d WHERE d.webhook_id > i.webhook_id ORDER BY d.webhook_id LIMIT 1) n
)
SELECT i.webhook_id FROM ids i WHERE NOT EXISTS (SELECT FROM kg_api.webhooks w WHERE w.webhook_id = i.webhook_id);

-- name: WebhookDeliveriesPrune :execrows
-- Deletes some deliveries that ended longer ago than they are kept.
DELETE FROM kg_api.webhook_deliveries d
USING (
    SELECT o.webhook_id, o.seq FROM kg_api.webhook_deliveries o
    WHERE o.status <> 'pending' AND o.ended_at < statement_timestamp() - CASE o.status WHEN 'delivered' THEN @keep_delivered::interval ELSE @keep_failed::interval END
        AND o.ended_at < statement_timestamp() - least(@keep_delivered, @keep_failed)
    ORDER BY o.ended_at LIMIT @most::int FOR UPDATE SKIP LOCKED
) old
WHERE d.webhook_id = old.webhook_id AND d.seq = old.seq;

-- name: WebhookSecretRetire :exec
-- Has the current secret of a webhook sign for a time only.
UPDATE kg_api.webhook_secrets s SET valid_until = clock_timestamp() + @keep::interval WHERE s.webhook_id = @webhook_id AND s.valid_until IS NULL;

-- name: WebhookSecretsDrop :exec
-- Deletes the secrets of a webhook that do not sign any more.
DELETE FROM kg_api.webhook_secrets s WHERE s.webhook_id = @webhook_id AND s.valid_until <= clock_timestamp();

-- name: WebhookSecretInsert :exec
INSERT INTO kg_api.webhook_secrets (webhook_id, number, key_id, sealed)
SELECT @webhook_id, coalesce(max(s.number), 0) + 1, @key_id, @sealed FROM kg_api.webhook_secrets s WHERE s.webhook_id = @webhook_id;

-- name: WebhookSecretList :many
-- The secrets that sign, of some webhooks, the newest of each first.
SELECT s.webhook_id, s.number, s.key_id, s.sealed FROM kg_api.webhook_secrets s
WHERE s.webhook_id = ANY (@webhook_ids::text[]) AND (s.valid_until IS NULL OR s.valid_until > clock_timestamp())
ORDER BY s.webhook_id, s.number DESC;

-- name: WebhookSecretsAll :many
SELECT s.webhook_id, s.number, s.key_id, s.sealed FROM kg_api.webhook_secrets s ORDER BY s.webhook_id, s.number FOR UPDATE;

-- name: WebhookSecretReseal :exec
UPDATE kg_api.webhook_secrets s SET key_id = @key_id, sealed = @sealed WHERE s.webhook_id = @webhook_id AND s.number = @number;

-- name: WebhookAny :one
-- Whether a webhook is enabled: without one nothing is to be sent.
SELECT EXISTS (SELECT FROM kg_api.webhooks w WHERE w.enabled);

-- name: WebhookTurn :exec
-- One server at a time decides what is sent, for some milliseconds: so the slots of a webhook are
-- counted, and what waits for an earlier event does not miss its end. What it decides may be lost
-- in a crash, after which it is sent again.
SELECT pg_advisory_xact_lock(100000013, 0), set_config('synchronous_commit', 'off', true);

-- name: WebhookSettle :many
-- Stores how attempts have ended, each only while its lease is the one that it had. The event of the
-- same subject that waits for one which is over is due at once. A webhook that answers that it is
-- gone, or has only failed for so long, is disabled. Returns the webhooks that are disabled by this.
WITH ended AS MATERIALIZED (
    SELECT unnest(@webhook_ids::text[]) AS webhook_id, unnest(@seqs::bigint[]) AS seq, unnest(@leases::timestamptz[]) AS leased_until,
        unnest(@statuses::text[]) AS status, unnest(@delays_ms::bigint[]) AS delay_ms, unnest(@gone::boolean[]) AS gone,
        unnest(@answer_statuses::int[]) AS answer_status, unnest(@answers::text[]) AS answer, unnest(@errors::text[]) AS error, unnest(@took_ms::int[]) AS took_ms
), done AS (
    UPDATE kg_api.webhook_deliveries d
    SET status = e.status, next_at = CASE WHEN e.status = 'pending' THEN clock_timestamp() + e.delay_ms * interval '1 millisecond' END,
        leased_until = NULL, ended_at = CASE WHEN e.status <> 'pending' THEN clock_timestamp() END,
        answer_status = nullif(e.answer_status, 0), answer = nullif(e.answer, ''), error = nullif(e.error, ''), took_ms = e.took_ms
    FROM ended e
    WHERE d.webhook_id = e.webhook_id AND d.seq = e.seq AND d.status = 'pending' AND d.leased_until = e.leased_until
    RETURNING d.webhook_id, d.seq, d.subject, d.status
), released AS (
    UPDATE kg_api.webhook_deliveries d SET next_at = clock_timestamp()
    FROM done o CROSS JOIN LATERAL (
        SELECT n.seq FROM kg_api.webhook_deliveries n
        WHERE n.webhook_id = o.webhook_id AND n.subject = o.subject AND n.status = 'pending' AND n.seq <> o.seq
        ORDER BY n.seq LIMIT 1) first
    WHERE o.status <> 'pending' AND d.webhook_id = o.webhook_id AND d.seq = first.seq AND d.leased_until IS NULL AND d.attempts = 0
        AND d.status = 'pending' AND d.next_at > clock_timestamp()
), health AS (
    SELECT e.webhook_id, bool_or(e.status = 'delivered') AS answers, bool_or(e.gone) AS gone FROM ended e GROUP BY e.webhook_id
), marked AS (
    UPDATE kg_api.webhooks w
    SET failing_since = CASE WHEN NOT h.answers THEN coalesce(w.failing_since, clock_timestamp()) END,
        enabled = w.enabled AND NOT over.is_over, disabled_at = CASE WHEN over.is_over THEN coalesce(w.disabled_at, clock_timestamp()) ELSE w.disabled_at END,
        disabled_reason = CASE WHEN NOT over.is_over OR NOT w.enabled THEN w.disabled_reason WHEN h.gone THEN 'its address answered 410 Gone'
            ELSE 'it has only failed since ' || to_char(w.failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END
    FROM health h CROSS JOIN LATERAL (
        SELECT (h.gone OR NOT h.answers AND coalesce(f.failing_since < clock_timestamp() - @disable_after::interval, false)) AS is_over, f.enabled
        FROM kg_api.webhooks f WHERE f.webhook_id = h.webhook_id) over
    WHERE w.webhook_id = h.webhook_id AND (h.answers = (w.failing_since IS NOT NULL) OR over.is_over)
    RETURNING w.webhook_id, w.url, w.disabled_reason, over.is_over AND over.enabled AS disabled
)
SELECT m.webhook_id, m.url, m.disabled_reason FROM marked m WHERE m.disabled;

-- name: WebhookPark :execrows
-- Has those that are due and wait for an earlier event of their subject be due when that is: the
-- next ones are then found behind few that may not be sent.
UPDATE kg_api.webhook_deliveries p SET next_at = greatest(b.next_at, clock_timestamp() + interval '1 second')
FROM kg_api.webhooks w
CROSS JOIN LATERAL (
    SELECT d.webhook_id, d.seq, d.subject FROM kg_api.webhook_deliveries d
    WHERE d.webhook_id = w.webhook_id AND d.status = 'pending' AND d.next_at <= statement_timestamp()
    ORDER BY d.next_at, d.seq LIMIT 200) due
CROSS JOIN LATERAL (
    SELECT e.next_at FROM kg_api.webhook_deliveries e
    WHERE e.webhook_id = due.webhook_id AND e.subject = due.subject AND e.status = 'pending' AND e.seq < due.seq
    ORDER BY e.seq LIMIT 1) b
WHERE w.enabled AND p.webhook_id = due.webhook_id AND p.seq = due.seq;

-- name: WebhookClaim :many
-- Takes what is to be sent now, for the free slots of each webhook.
WITH busy AS MATERIALIZED (
    SELECT w.webhook_id, w.url, (SELECT count(*) FROM kg_api.webhook_deliveries l
        WHERE l.webhook_id = w.webhook_id AND l.leased_until IS NOT NULL AND l.leased_until > statement_timestamp())::bigint AS leased
    FROM kg_api.webhooks w WHERE w.enabled
), ready AS MATERIALIZED (
    SELECT b.webhook_id, b.url, n.seq, b.leased, row_number() OVER (PARTITION BY b.webhook_id ORDER BY n.next_at, n.seq) AS place
    FROM busy b
    CROSS JOIN LATERAL (
        SELECT d.seq, d.next_at FROM kg_api.webhook_deliveries d
        WHERE d.webhook_id = b.webhook_id AND d.status = 'pending' AND d.next_at <= statement_timestamp()
            AND NOT EXISTS (SELECT FROM kg_api.webhook_deliveries e
                WHERE e.webhook_id = d.webhook_id AND e.subject = d.subject AND e.status = 'pending' AND e.seq < d.seq)
        ORDER BY d.next_at, d.seq LIMIT @slots::bigint) n
    WHERE b.leased < @slots::bigint
), taken AS MATERIALIZED (
    SELECT r.webhook_id, r.url, r.seq FROM ready r WHERE r.place + r.leased <= @slots::bigint
)
UPDATE kg_api.webhook_deliveries d
SET attempts = d.attempts + 1, attempted_at = clock_timestamp(), leased_until = lease.until, next_at = lease.until
FROM taken t CROSS JOIN (SELECT clock_timestamp() + @lease::interval AS until) lease
WHERE d.webhook_id = t.webhook_id AND d.seq = t.seq
RETURNING d.webhook_id, d.seq, d.tag, d.event, d.data, d.happened_at, d.attempts, d.leased_until, t.url;

-- name: WebhookDeliveryList :many
-- Deliveries of a webhook, newest first, before a number.
SELECT d.* FROM kg_api.webhook_deliveries d
WHERE d.webhook_id = @webhook_id AND d.seq < @before::bigint AND (@status::text = '' OR d.status = @status) AND (@event::text = '' OR d.event = @event)
ORDER BY d.seq DESC LIMIT @most;

-- name: WebhookDeliveryByID :one
SELECT d.* FROM kg_api.webhook_deliveries d WHERE d.webhook_id = @webhook_id AND d.seq = @seq AND d.tag = @tag;

-- name: WebhookReplay :one
-- Has a delivery that is over be sent again. No row: it is not over.
UPDATE kg_api.webhook_deliveries d
SET status = 'pending', attempts = 0, next_at = clock_timestamp(), ended_at = NULL
WHERE d.webhook_id = @webhook_id AND d.seq = @seq AND d.tag = @tag AND d.status <> 'pending'
RETURNING d.*;

-- name: WebhookReplayFailed :execrows
-- Has what failed since a moment be sent again, up to so many.
UPDATE kg_api.webhook_deliveries d
SET status = 'pending', attempts = 0, next_at = clock_timestamp(), ended_at = NULL
WHERE d.webhook_id = @webhook_id AND d.status = 'failed' AND d.seq IN (
    SELECT f.seq FROM kg_api.webhook_deliveries f
    WHERE f.webhook_id = sqlc.arg(webhook_id) AND f.status = 'failed' AND f.happened_at >= @since
    ORDER BY f.seq LIMIT @most::int);
