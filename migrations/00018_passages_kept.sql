-- +goose Up
-- The passages that a model refuses to embed, however little of them it is given, with its
-- reason. Without them the job that embeds what is not embedded would ask for the same ones
-- every few minutes, for ever.

-- Who writes chunks has this lock first, and then the tables.
SELECT pg_advisory_xact_lock(100000002);

CREATE TABLE kg_api.passage_refusals (
    passage    integer NOT NULL REFERENCES kg_api.passages (id) ON DELETE CASCADE,
    model      text NOT NULL,
    reason     text NOT NULL,
    refused_at timestamptz NOT NULL DEFAULT clock_timestamp(), -- the last time
    PRIMARY KEY (passage, model)
);

-- What a check of the graph finds: passages that do not end in their chunk, that begin before
-- the one before them ends, or whose text is not what stands there, as far as it stands in their
-- chunk.
CREATE VIEW kg_api.broken_passages AS
SELECT p.source, s.source_id, p.number, p.start_byte, p.end_byte
FROM (SELECT x.*, max(x.end_byte) OVER (PARTITION BY x.source ORDER BY x.start_byte, x.number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM kg_api.passages x) p
JOIN kg_api.sources s ON s.id = p.source
WHERE p.end_byte > s.end_byte OR p.end_byte <= s.start_byte OR p.start_byte < p.before
    OR substring(convert_to(s.full_text, 'UTF8') FROM greatest(p.start_byte - s.start_byte, 0) + 1 FOR greatest(p.end_byte - greatest(p.start_byte, s.start_byte), 0))
        <> substring(convert_to(p.body, 'UTF8') FROM greatest(s.start_byte - p.start_byte, 0) + 1);

-- +goose Down
DROP VIEW kg_api.broken_passages;
DROP TABLE kg_api.passage_refusals;
