-- +goose Up
-- Projections have a lane of their own: one that is long keeps neither annealing nor other
-- upkeep waiting. Where an operator has put them into another lane, they stay there.
UPDATE kg_api.worker_lanes SET job_types = array_remove(job_types, 'projection'), updated_at = clock_timestamp()
WHERE name = 'maintenance' AND 'projection' = ANY (job_types);

INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms, stale_timeout_minutes)
SELECT 'pictures', '{projection}', 1, 2000, 60
WHERE NOT EXISTS (SELECT FROM kg_api.worker_lanes l WHERE 'projection' = ANY (l.job_types))
ON CONFLICT (name) DO NOTHING;

-- +goose Down
DELETE FROM kg_api.worker_lanes WHERE name = 'pictures';
UPDATE kg_api.worker_lanes l SET job_types = 'projection' || l.job_types, updated_at = clock_timestamp()
WHERE l.name = 'maintenance' AND NOT EXISTS (SELECT FROM kg_api.worker_lanes o WHERE 'projection' = ANY (o.job_types));
