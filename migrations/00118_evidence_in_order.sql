-- +goose Up
-- The sentences that state a relationship in the order in which answers show them; see
-- EdgeEvidence. Whoever asks for the three best of a relationship reads three.
CREATE INDEX edge_evidence_best_idx ON kg_api.edge_evidence
    (src, dst, type, (quote = ''), confidence DESC, (from_kind = 'name' AND to_kind = 'name') DESC, source);

-- +goose Down
DROP INDEX kg_api.edge_evidence_best_idx;
