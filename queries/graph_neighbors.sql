-- name: Neighbors :one
-- The far ends of the relationships of some concepts, in both directions, from two
-- index-only scans a concept. They come as one array, repeated where several lead
-- to the same concept: the caller has a set of what it has seen, and dropping them
-- here would cost twice as much as reading them. The conditions on the types
-- and on the weakest type are planned away without any; see GraphViewBegin. That one reads the
-- same both ways, and is followed so whichever way the others are. OFFSET 0 and
-- BETWEEN keep the two narrow scans for each concept: where the statistics take every
-- concept for a hub, = would be planned as a scan of the whole other index.
SELECT coalesce(array_agg(l.far), '{}')::int[] AS ends
FROM (
    SELECT n.far
    FROM unnest(@concepts::int[]) AS w (id)
    CROSS JOIN LATERAL (
        SELECT e.dst AS far FROM kg_api.edges e
        WHERE e.src BETWEEN w.id AND w.id AND (@outward::bool OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @weakest::text)) AND (@floor::real = 0 OR e.confidence >= @floor) AND (@least::real = 0 OR e.confidence >= @least
            OR e.type IS DISTINCT FROM (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @weakest::text)) AND (cardinality(@types::text[]) = 0
            OR e.type = ANY (ARRAY(SELECT t.id FROM kg_api.relationship_types t WHERE t.name = ANY (@types))))
        UNION ALL
        SELECT e.src FROM kg_api.edges e
        WHERE e.dst BETWEEN w.id AND w.id AND (@inward::bool OR e.type = (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @weakest)) AND (@floor = 0 OR e.confidence >= @floor) AND (@least = 0 OR e.confidence >= @least
            OR e.type IS DISTINCT FROM (SELECT t.id FROM kg_api.relationship_types t WHERE t.name = @weakest)) AND (cardinality(@types) = 0
            OR e.type = ANY (ARRAY(SELECT t.id FROM kg_api.relationship_types t WHERE t.name = ANY (@types))))
        OFFSET 0
    ) n
    LIMIT @most::int
) l;

-- name: EdgesBetween :many
-- The relationships in both directions from each of some concepts to any of some
-- others. With few pairs each of them is probed; otherwise all that leads away from the
-- first ones is scanned in the indexes, and what does not lead to the others is dropped:
-- adding 0 keeps their list out of the index search. For BETWEEN see Neighbors.
SELECT w.id::int AS near, n.far::int AS far, t.name, n.confidence, n.forward
FROM unnest(@concepts::int[]) AS w (id)
CROSS JOIN LATERAL (
    SELECT e.dst AS far, e.type, e.confidence, true AS forward FROM kg_api.edges e
    WHERE (@probe::bool AND e.src = w.id AND e.dst = ANY (@others::int[]))
        OR (NOT @probe AND e.src BETWEEN w.id AND w.id AND e.dst + 0 = ANY (@others))
    UNION ALL
    SELECT e.src, e.type, e.confidence, false FROM kg_api.edges e
    WHERE (@probe AND e.dst = w.id AND e.src = ANY (@others))
        OR (NOT @probe AND e.dst BETWEEN w.id AND w.id AND e.src + 0 = ANY (@others))
    OFFSET 0
) n
JOIN kg_api.relationship_types t ON t.id = n.type
WHERE (cardinality(@types::text[]) = 0 OR t.name = ANY (@types)) AND (t.name <> @weakest::text OR n.confidence >= @least::real)
    AND n.confidence >= @floor::real AND (t.name = @weakest OR CASE WHEN n.forward THEN @outward::bool ELSE @inward::bool END);

-- name: SnapshotExport :one
-- Lets other connections see what this transaction sees.
SELECT pg_export_snapshot();
