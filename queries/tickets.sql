-- name: TicketInsert :one
-- Stores a ticket, which ends with its token at the latest, unless its user has
-- max_tickets that are still open. Returns 0, or how long until one of those has
-- ended. Several calls at the same moment may each store one too many.
WITH open AS MATERIALIZED (
    SELECT count(*) AS tickets, min(t.expires_at) AS first_ends
    FROM (SELECT o.expires_at FROM kg_api.stream_tickets o
        WHERE o.user_id = @user_id AND o.expires_at > statement_timestamp()
        ORDER BY o.expires_at LIMIT @max_tickets::int) t
), added AS (
    INSERT INTO kg_api.stream_tickets (
        ticket_hash, topic, user_id, client_id, generation, token_id, scopes, token_ends, expires_at)
    SELECT @ticket_hash, @topic, @user_id, @client_id, @generation, @token_id, @scopes, @token_ends::timestamptz,
        least(statement_timestamp() + @life::interval, @token_ends)
    FROM open p WHERE p.tickets < @max_tickets::int
)
SELECT (CASE WHEN p.tickets < @max_tickets::int THEN 0
    ELSE greatest(1, ceil(extract(epoch FROM p.first_ends - statement_timestamp()) * 1000)) END)::bigint AS wait_ms
FROM open p;

-- name: TicketRedeem :one
-- Uses a ticket up, good or not, and returns what it opens if it is good: it has
-- not ended, is for that topic, and its token would still be accepted (compare
-- TokenUser). Who comes second waits for the first one's commit and finds nothing.
WITH used AS (
    DELETE FROM kg_api.stream_tickets t WHERE t.ticket_hash = @ticket_hash
    RETURNING t.topic, t.user_id, t.client_id, t.generation, t.token_id, t.scopes, t.token_ends, t.expires_at
)
SELECT p.client_id, p.generation, p.token_id, p.scopes, p.token_ends, sqlc.embed(u)
FROM used p
JOIN kg_api.oauth_clients c ON c.client_id = p.client_id AND c.generation = p.generation AND c.user_id = p.user_id
    AND (c.expires_at IS NULL OR c.expires_at > statement_timestamp())
JOIN kg_api.users u ON u.id = p.user_id
WHERE p.topic = @topic::text AND p.expires_at > statement_timestamp()
    AND NOT EXISTS (SELECT 1 FROM kg_api.revoked_tokens r WHERE r.token_id = p.token_id);

-- name: TicketPurge :exec
DELETE FROM kg_api.stream_tickets t WHERE t.expires_at <= statement_timestamp();
