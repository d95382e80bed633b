-- +goose Up
-- The span that submitted a job, as W3C Trace Context writes it: what works on the job says
-- that it is a part of that trace. NULL where traces are not recorded.
ALTER TABLE kg_api.jobs ADD COLUMN traceparent text COLLATE "C";

-- +goose Down
ALTER TABLE kg_api.jobs DROP COLUMN traceparent;
