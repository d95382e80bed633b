-- +goose Up
-- What a job must have in each status, in one check: every change of a job pays for
-- all checks, and this one ends at the job's status.
ALTER TABLE kg_api.jobs
    DROP CONSTRAINT status_is_known, DROP CONSTRAINT processing_has_a_claim,
    DROP CONSTRAINT approved_has_an_approval, DROP CONSTRAINT terminal_has_an_end,
    ADD CONSTRAINT status_has_its_facts CHECK (CASE status
        WHEN 'processing' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
            AND lane IS NOT NULL AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL
        WHEN 'completed' THEN completed_at IS NOT NULL
        WHEN 'approved' THEN approved_at IS NOT NULL AND approved_by IS NOT NULL AND completed_at IS NULL
        WHEN 'awaiting_approval' THEN completed_at IS NULL
        WHEN 'pending' THEN completed_at IS NULL
        WHEN 'failed' THEN completed_at IS NOT NULL
        WHEN 'cancelled' THEN completed_at IS NOT NULL
        ELSE false END);

-- Each change of a job leaves an entry under its id, for a short time. To put those
-- of a full page together would be work for nothing: they are removed soon.
ALTER INDEX kg_api.jobs_pkey SET (deduplicate_items = off);

-- +goose Down
ALTER INDEX kg_api.jobs_pkey RESET (deduplicate_items);
ALTER TABLE kg_api.jobs
    DROP CONSTRAINT status_has_its_facts,
    ADD CONSTRAINT status_is_known CHECK (status IN
        ('pending', 'awaiting_approval', 'approved', 'processing', 'completed', 'failed', 'cancelled')),
    ADD CONSTRAINT processing_has_a_claim CHECK (status <> 'processing'
        OR (lane IS NOT NULL AND claimed_by IS NOT NULL AND claimed_at IS NOT NULL AND claim_token IS NOT NULL)),
    ADD CONSTRAINT approved_has_an_approval CHECK (status NOT IN ('approved', 'processing')
        OR (approved_at IS NOT NULL AND approved_by IS NOT NULL)),
    ADD CONSTRAINT terminal_has_an_end CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL));
