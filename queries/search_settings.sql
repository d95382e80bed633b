-- name: SearchThreshold :one
SELECT s.threshold FROM kg_api.search_settings s;

-- name: SearchThresholdSet :exec
UPDATE kg_api.search_settings s SET threshold = @threshold::float8;
