-- name: JobEffect :one
-- Writes a step into the ledger of effects, and the checkpoint that records it,
-- only while the claim is current: one statement, one transaction. A step that
-- is in the ledger already stays as it is, with the claim that did it. No row:
-- stale.
WITH saved AS (
    UPDATE kg_api.jobs j
    SET checkpoint = coalesce(sqlc.narg(state)::jsonb, j.checkpoint), progress = @progress::jsonb, progress_at = clock_timestamp(),
        event_seq = j.event_seq + @emit::int
    WHERE j.job_id = @job_id AND j.claim_token = @claim_token::bigint AND j.claimed_by = @worker::uuid AND j.status = 'processing'
    RETURNING j.job_id, j.event_seq, j.cancel_requested
), logged AS (
    INSERT INTO kg_api.job_events (job_id, seq, kind, payload)
    SELECT s.job_id, s.event_seq, 'progress', @progress::jsonb FROM saved s WHERE @emit = 1
    RETURNING job_events.payload, job_events.at
), done AS (
    INSERT INTO kg_api.job_effects (job_id, step, claim_token)
    SELECT s.job_id, @step, @claim_token FROM saved s
    ON CONFLICT (job_id, step) DO NOTHING
)
SELECT s.event_seq, s.cancel_requested, l.payload, l.at FROM saved s LEFT JOIN logged l ON true;
