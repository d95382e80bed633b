-- +goose Up
-- The schedule that a server made refreshes what somebody looks at, and no more the picture
-- of all ontologies whether anybody does or not. One that an operator has changed stays.
UPDATE kg_api.scheduled_jobs SET data = '{"only_looked_at": true}', updated_at = clock_timestamp()
WHERE name = 'projection refresh' AND job_type = 'projection' AND coalesce(data, '{}') = '{}';

-- +goose Down
UPDATE kg_api.scheduled_jobs SET data = NULL, updated_at = clock_timestamp()
WHERE name = 'projection refresh' AND job_type = 'projection' AND data = '{"only_looked_at": true}';
