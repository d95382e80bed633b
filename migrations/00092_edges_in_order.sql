-- +goose Up
-- Two rules of relationships that statements kept each in its own way are kept at one place
-- from here on: a type that reads the same in both directions has the end with the smaller
-- number first, so that two concepts have one such relationship and not two; and the
-- confidence of a relationship is that of its best evidence.

-- See 00018: nobody writes the graph meanwhile.
SELECT pg_advisory_xact_lock(100000002);

-- The types that read the same in both directions; kappa.SymmetricType has them too.
ALTER TABLE kg_api.relationship_types
    ADD COLUMN is_symmetric boolean NOT NULL GENERATED ALWAYS AS (name IN ('RELATED_TO')) STORED;

-- The concept that a concept has become, through all merges that stand.
-- +goose StatementBegin
CREATE FUNCTION kg_api.current_concept(c integer) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    next integer;
BEGIN
    LOOP
        IF EXISTS (SELECT FROM kg_api.concepts o WHERE o.id = c) THEN
            RETURN c;
        END IF;
        SELECT m.kept INTO next FROM kg_api.concept_merges m WHERE m.merged = c AND m.undone_at IS NULL ORDER BY m.id DESC LIMIT 1;
        IF next IS NULL THEN
            RETURN c;
        END IF;
        c := next;
    END LOOP;
END $$;
-- +goose StatementEnd
CREATE INDEX concept_merges_merged_idx ON kg_api.concept_merges (merged) WHERE undone_at IS NULL;

-- Evidence as it is stored: between the concepts and of the type that its ends and its type
-- have become, and of a symmetric type with the ends, and their marks, in order.
-- +goose StatementBegin
CREATE FUNCTION kg_api.placed(v kg_api.edge_evidence) RETURNS kg_api.edge_evidence LANGUAGE plpgsql STABLE AS $$
DECLARE
    p kg_api.edge_evidence := v;
BEGIN
    p.type := kg_api.current_type(v.type);
    p.src := kg_api.current_concept(v.src);
    p.dst := kg_api.current_concept(v.dst);
    IF p.src > p.dst AND (SELECT t.is_symmetric FROM kg_api.relationship_types t WHERE t.id = p.type) THEN
        SELECT p.dst, p.src, v.to_kind, v.to_start, v.to_end, v.from_kind, v.from_start, v.from_end
            INTO p.src, p.dst, p.from_kind, p.from_start, p.from_end, p.to_kind, p.to_start, p.to_end;
    END IF;
    RETURN p;
END $$;
-- +goose StatementEnd

-- Stores evidence with the relationships that it is of; what has lost an end or its chunk is
-- left out. Of two rows of one relationship in one chunk the surer stays, and of two that
-- are as sure the one that is there. A row is evidence as jsonb, which may have besides
-- since when its relationship is there (edge_created_at).
-- +goose StatementBegin
CREATE FUNCTION kg_api.place_evidence(rows jsonb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    placed kg_api.edge_evidence[];
    since timestamptz[]; -- of the relationship of each
BEGIN
    SELECT array_agg(best.v), array_agg(best.since) INTO placed, since
    FROM (SELECT DISTINCT ON ((r.v).src, (r.v).dst, (r.v).type, (r.v).source) r.v, r.since
        FROM (SELECT kg_api.placed(jsonb_populate_record(NULL::kg_api.edge_evidence, u.content)) AS v, (u.content ->> 'edge_created_at')::timestamptz AS since
            FROM unnest(rows) AS u (content) OFFSET 0) r
        JOIN kg_api.concepts a ON a.id = (r.v).src
        JOIN kg_api.concepts b ON b.id = (r.v).dst
        JOIN kg_api.sources s ON s.id = (r.v).source
        WHERE (r.v).src <> (r.v).dst
        ORDER BY (r.v).src, (r.v).dst, (r.v).type, (r.v).source, (r.v).confidence DESC, (r.v).start_byte, r.since) best;

    INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
    SELECT p.src, p.dst, p.type, max(p.confidence), coalesce(min(p.since), clock_timestamp())
    FROM (SELECT (u.v).src, (u.v).dst, (u.v).type, (u.v).confidence, u.since FROM (SELECT unnest(placed) AS v, unnest(since) AS since) u) p
    GROUP BY p.src, p.dst, p.type ORDER BY p.src, p.dst, p.type
    ON CONFLICT (src, dst, type) DO NOTHING;

    -- What was written before marks were kept has none.
    INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte,
        from_kind, from_start, from_end, to_kind, to_start, to_end, before_quote, before_start, created_at)
    SELECT p.src, p.dst, p.type, p.source, p.confidence, p.quote, p.start_byte, p.end_byte,
        coalesce(p.from_kind, ''), coalesce(p.from_start, 0), coalesce(p.from_end, 0), coalesce(p.to_kind, ''), coalesce(p.to_start, 0), coalesce(p.to_end, 0),
        coalesce(p.before_quote, ''), coalesce(p.before_start, 0), p.created_at
    FROM unnest(placed) AS p
    ON CONFLICT (src, dst, type, source) DO UPDATE
    SET confidence = excluded.confidence, quote = excluded.quote, start_byte = excluded.start_byte, end_byte = excluded.end_byte,
        from_kind = excluded.from_kind, from_start = excluded.from_start, from_end = excluded.from_end,
        to_kind = excluded.to_kind, to_start = excluded.to_start, to_end = excluded.to_end,
        before_quote = excluded.before_quote, before_start = excluded.before_start, created_at = excluded.created_at
    WHERE edge_evidence.confidence < excluded.confidence;

    PERFORM kg_api.settle_edges(array_agg(p.src), array_agg(p.dst), array_agg(p.type::integer)) FROM unnest(placed) AS p;
END $$;
-- +goose StatementEnd

-- Gives relationships the confidence of their best evidence. Those that have none go.
-- +goose StatementBegin
CREATE FUNCTION kg_api.settle_edges(srcs integer[], dsts integer[], types integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kg_api.edges e SET confidence = b.best
    FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best
        FROM (SELECT DISTINCT * FROM unnest(srcs, dsts, types) AS u (src, dst, type)) t
        JOIN kg_api.edge_evidence v ON v.src = t.src AND v.dst = t.dst AND v.type = t.type
        GROUP BY v.src, v.dst, v.type) b
    WHERE e.src = b.src AND e.dst = b.dst AND e.type = b.type AND e.confidence <> b.best;
    DELETE FROM kg_api.edges e USING (SELECT DISTINCT * FROM unnest(srcs, dsts, types) AS u (src, dst, type)) t
    WHERE e.src = t.src AND e.dst = t.dst AND e.type = t.type
        AND NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type);
END $$;
-- +goose StatementEnd

-- What was stored the other way round, or of a type that was merged since, is put in order:
-- its evidence joins that of the relationship that it belongs to. One without any evidence
-- is stored anew as it was.
SELECT kg_api.place_evidence(array_agg(to_jsonb(v) || jsonb_build_object('edge_created_at', e.created_at)))
FROM kg_api.edge_evidence v
JOIN kg_api.edges e ON e.src = v.src AND e.dst = v.dst AND e.type = v.type
JOIN kg_api.relationship_types t ON t.id = v.type
WHERE t.merged_into IS NOT NULL OR t.is_symmetric AND v.src > v.dst;
INSERT INTO kg_api.edges (src, dst, type, confidence, created_at)
SELECT CASE WHEN n.is_symmetric THEN least(e.src, e.dst) ELSE e.src END, CASE WHEN n.is_symmetric THEN greatest(e.src, e.dst) ELSE e.dst END, n.id, e.confidence, e.created_at
FROM kg_api.edges e
JOIN kg_api.relationship_types t ON t.id = e.type
JOIN kg_api.relationship_types n ON n.id = kg_api.current_type(t.id)
WHERE t.merged_into IS NOT NULL OR t.is_symmetric AND e.src > e.dst
ON CONFLICT (src, dst, type) DO NOTHING;
DELETE FROM kg_api.edges e USING kg_api.relationship_types t
WHERE t.id = e.type AND (t.merged_into IS NOT NULL OR t.is_symmetric AND e.src > e.dst);
UPDATE kg_api.edges e SET confidence = b.best
FROM (SELECT v.src, v.dst, v.type, max(v.confidence) AS best FROM kg_api.edge_evidence v GROUP BY v.src, v.dst, v.type) b
WHERE e.src = b.src AND e.dst = b.dst AND e.type = b.type AND e.confidence <> b.best;

-- The constraint. It asks another table, so it is a trigger; of a statement, since chunks
-- write many relationships at once.
-- +goose StatementBegin
CREATE FUNCTION kg_api.check_ends_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed e JOIN kg_api.relationship_types t ON t.id = e.type WHERE e.src > e.dst AND t.is_symmetric) THEN
        RAISE EXCEPTION 'a relationship of a symmetric type has its ends out of order'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ends_of_symmetric_types_are_in_order', SCHEMA = 'kg_api', TABLE = 'edges';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER ends_added_are_in_order AFTER INSERT ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_ends_in_order();
CREATE TRIGGER ends_changed_are_in_order AFTER UPDATE ON kg_api.edges
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION kg_api.check_ends_in_order();

-- +goose Down
SELECT pg_advisory_xact_lock(100000002);
DROP TRIGGER ends_changed_are_in_order ON kg_api.edges;
DROP TRIGGER ends_added_are_in_order ON kg_api.edges;
DROP FUNCTION kg_api.check_ends_in_order, kg_api.place_evidence, kg_api.settle_edges, kg_api.placed, kg_api.current_concept;
DROP INDEX kg_api.concept_merges_merged_idx;
ALTER TABLE kg_api.relationship_types DROP COLUMN is_symmetric;
