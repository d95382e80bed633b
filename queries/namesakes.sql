-- name: Namesakes :many
-- Pairs of concepts of one name, whatever its case, by name. It reads the names of all
-- concepts once, for whoever remembers the pairs.
WITH named AS MATERIALIZED (
    SELECT lower(c.label) AS name, c.id FROM kg_api.concepts c
)
SELECT x.id AS a, y.id AS b
FROM (SELECT n.name FROM named n GROUP BY n.name HAVING count(*) > 1) d
JOIN named x ON x.name = d.name
JOIN named y ON y.name = d.name AND y.id > x.id
ORDER BY d.name, x.id, y.id LIMIT @most;

-- name: NamesOfOtherAlphabets :many
-- The concepts whose names begin with a letter of Greek, Cyrillic, Armenian, Hebrew, Arabic or
-- Georgian, for whoever remembers which names they sound like.
SELECT c.id, c.label FROM kg_api.concepts c WHERE c.label ~ '^[\u0370-\u06FF\u10A0-\u10FF]' ORDER BY c.id;

-- name: NamesInLatin :many
-- The concepts whose names begin with a capital of Latin.
SELECT c.id, c.label FROM kg_api.concepts c WHERE c.label ~ '^[A-Z\u00C0-\u00DE]' ORDER BY c.id;

-- name: NamesakesOpen :many
-- The first of some pairs of which nobody said that they stay two, in their order.
SELECT w.a::int AS a, w.b::int AS b
FROM (SELECT unnest(@ones::int[]) AS a, unnest(@others::int[]) AS b, generate_subscripts(@ones::int[], 1) AS place) w
WHERE (SELECT k.a FROM kg_api.concepts_apart k WHERE k.a = w.a AND k.b = w.b) IS NULL
ORDER BY w.place LIMIT @most;

-- name: NamesakesApart :many
SELECT k.a, k.b, k.reason, k.made_by, k.at FROM kg_api.concepts_apart k ORDER BY k.at DESC, k.a, k.b LIMIT @most;

-- name: NamesakesShown :many
-- What tells a concept from another one of its name: where it is spoken of, from what is
-- counted of the ontologies, and what it is related with; see ConceptsListed for OFFSET 0.
WITH spoken AS MATERIALIZED (
    SELECT h.concept, o.name, sum(h.quotes) AS quotes
    FROM (
        SELECT x.concept, x.ontology, x.times AS quotes
        FROM (SELECT unnest(@concepts::int[]) AS id) w
        CROSS JOIN LATERAL (SELECT y.concept, y.ontology, y.times FROM kg_api.ontology_holdings y WHERE y.concept = w.id AND y.other = 0 OFFSET 0) x
        UNION ALL
        SELECT g.concept, g.ontology, g.change FROM kg_api.ontology_changes g WHERE g.kind = 'quote' AND g.concept = ANY (@concepts::int[])
    ) h
    JOIN kg_api.ontologies o ON o.id = h.ontology
    GROUP BY h.concept, o.name HAVING sum(h.quotes) > 0
)
SELECT c.id, c.concept_id, c.label, c.description,
    coalesce((SELECT sum(s.quotes) FROM spoken s WHERE s.concept = c.id), 0)::int AS quotes,
    ARRAY(SELECT s.name FROM spoken s WHERE s.concept = c.id ORDER BY s.name)::text[] AS ontologies,
    ARRAY(SELECT n.label
        FROM (SELECT r.other, max(r.confidence) AS confidence
            FROM (SELECT e.dst AS other, e.confidence FROM kg_api.edges e WHERE e.src = c.id
                UNION ALL SELECT e.src, e.confidence FROM kg_api.edges e WHERE e.dst = c.id) r
            GROUP BY r.other ORDER BY max(r.confidence) DESC, r.other LIMIT 5) b
        CROSS JOIN LATERAL (SELECT l.id, l.label FROM kg_api.concepts l WHERE l.id = b.other OFFSET 0) n
        ORDER BY b.confidence DESC, n.label, n.id)::text[] AS neighbors
FROM kg_api.concepts c WHERE c.id = ANY (@concepts::int[]);

-- name: NamesakesKeep :exec
INSERT INTO kg_api.concepts_apart (a, b, reason, made_by)
VALUES (least(@one::int, @other::int), greatest(@one, @other), @reason, @made_by)
ON CONFLICT (a, b) DO NOTHING;

-- name: NamesakesOffer :execrows
DELETE FROM kg_api.concepts_apart k WHERE k.a = least(@one::int, @other::int) AND k.b = greatest(@one, @other);
