-- name: CounterValues :one
-- What GraphTally does not know of what the graph holds.
SELECT (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL) AS types,
    (SELECT e.epoch FROM kg_api.graph_epoch e) AS epoch;

-- name: CounterMeasurements :many
SELECT m.name, m.value, m.measured_at FROM kg_api.counter_measurements m;

-- name: CounterMeasure :exec
INSERT INTO kg_api.counter_measurements (name, value, measured_at) VALUES (@name, @value, now())
ON CONFLICT (name) DO UPDATE SET value = excluded.value, measured_at = excluded.measured_at;

-- name: CountersSinceMeasurement :one
-- How many types and changes of the graph there are, and how many of them since the
-- vocabulary was measured; the year 1970 stands for never.
SELECT (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL) AS types,
    (SELECT count(*) FROM kg_api.relationship_types t WHERE t.merged_into IS NULL
        AND t.created_at > coalesce((SELECT v.measured_at FROM kg_api.vocabulary_measurement v), '-infinity')) AS new_types,
    (SELECT e.epoch FROM kg_api.graph_epoch e) AS epoch,
    coalesce((SELECT v.epoch FROM kg_api.vocabulary_measurement v), 0)::bigint AS measured_epoch,
    coalesce((SELECT v.measured_at FROM kg_api.vocabulary_measurement v), 'epoch')::timestamptz AS measured_at;
