-- name: Neighbors :one
-- The far ends of the relationships of some concepts, in both directions, from two
-- index-only scans a concept. They come as one array, repeated where several lead
-- to the same concept: the caller has a set of what it has seen, and dropping them
-- here would cost twice as much as reading them. The condition on the types is
-- planned away without any; see GraphViewBegin. OFFSET 0 and
-- BETWEEN keep the two narrow scans for each concept: where the statistics take every
-- concept for a hub, = would be planned as a scan of the whole other index.
SELECT coalesce(array_agg(l.far), '{}')::int[] AS ends
FROM (
    SELECT n.far
    FROM unnest(@concepts::int[]) AS w (id)
    CROSS JOIN LATERAL (
        SELECT e.dst AS far FROM kg_api.edges e
        WHERE e.src BETWEEN w.id AND w.id AND (cardinality(@types::text[]) = 0
            OR e.type = ANY (ARRAY(SELECT t.id FROM kg_api.relationship_types t WHERE t.name = ANY (@types))))
        UNION ALL
        SELECT e.src FROM kg_api.edges e
        WHERE e.dst BETWEEN w.id AND w.id AND (cardinality(@types) = 0
            OR e.type = ANY (ARRAY(SELECT t.id FROM kg_api.relationship_types t WHERE t.name = ANY (@types))))
        OFFSET 0
    ) n
    LIMIT @most::int
) l;

-- name: SnapshotExport :one
-- Lets other connections see what this transaction sees.
SELECT pg_export_snapshot();
