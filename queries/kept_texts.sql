-- name: TextsKeep :exec
-- Keeps what was read of a job's document, in place of what was kept before: that was of
-- another reader, or could not be read. Of a job that is over nothing is kept: whoever ends it
-- waits for this, or this for him.
WITH open AS MATERIALIZED (
    SELECT j.job_id FROM kg_api.jobs j WHERE j.job_id = @job_id AND j.completed_at IS NULL FOR SHARE
)
INSERT INTO kg_api.kept_texts (job_id, part, reader, body)
SELECT o.job_id, p.part, @reader::text, p.body
FROM open o CROSS JOIN (SELECT unnest(@parts::int[]) AS part, unnest(@bodies::bytea[]) AS body) p
ORDER BY p.part
ON CONFLICT (job_id, part) DO UPDATE SET reader = excluded.reader, body = excluded.body;

-- name: TextsKept :many
SELECT t.part, t.body FROM kg_api.kept_texts t
WHERE t.job_id = @job_id AND t.reader = @reader;
