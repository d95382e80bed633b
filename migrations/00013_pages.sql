-- +goose Up
-- Pages that read what they show and no more, in graphs of any size.

-- The relationships of one type are listed, and merged into another type, by this index:
-- most types are rare, and who looks for one of them would read all relationships.
CREATE INDEX edges_type_idx ON kg_api.edges (type, src, dst);

-- The documents of an ontology are listed by their names, of which an index keeps as much as
-- fits.
CREATE INDEX documents_name_idx ON kg_api.documents (ontology_id, left(filename, 500), id);

-- Which ontologies show a concept at this moment: what is kept of them, and what has changed.
CREATE VIEW kg_api.shown_concepts AS
SELECT n.concept, n.ontology, sum(n.quotes)::bigint AS quotes
FROM (SELECT h.concept, h.ontology, h.times AS quotes FROM kg_api.ontology_holdings h WHERE h.other = 0
    UNION ALL SELECT c.concept, c.ontology, c.change FROM kg_api.ontology_changes c WHERE c.kind = 'quote') n
GROUP BY n.concept, n.ontology HAVING sum(n.quotes) > 0;

-- +goose Down
DROP VIEW kg_api.shown_concepts;
DROP INDEX kg_api.documents_name_idx;
DROP INDEX kg_api.edges_type_idx;
