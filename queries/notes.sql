-- name: ConceptShow :one
-- A concept as those see it who edit it, with its ontologies by name.
SELECT c.id, c.concept_id, c.label, c.description, c.search_terms, c.creation_method, c.created_at,
    EXISTS (SELECT 1 FROM kg_api.concept_embeddings e WHERE e.concept = c.id) AS has_embedding,
    (SELECT coalesce(array_agg(DISTINCT o.name ORDER BY o.name), '{}')
        FROM kg_api.instances i
        JOIN kg_api.sources s ON s.id = i.source
        JOIN kg_api.documents d ON d.id = s.document
        JOIN kg_api.ontologies o ON o.id = d.ontology_id
        WHERE i.concept = c.id)::text[] AS ontologies
FROM kg_api.concepts c WHERE c.concept_id = @concept_id;

-- name: ConceptNamed :one
-- The oldest concept with a label, whatever its case: first of those that the ontology of a
-- document shows.
SELECT c.id FROM kg_api.concepts c WHERE c.term_keys @> ARRAY[@key::text] AND lower(regexp_replace(btrim(c.label), '\s+', ' ', 'g')) = @key
ORDER BY EXISTS (SELECT 1 FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document
        WHERE i.concept = c.id AND d.ontology_id = (SELECT o.ontology_id FROM kg_api.documents o WHERE o.id = @document::int)) DESC, c.id
LIMIT 1;

-- name: ConceptsPublic :many
SELECT c.id, c.concept_id, c.label FROM kg_api.concepts c WHERE c.id = ANY (@ids::int[]);

-- name: ConceptsMadeBy :exec
-- Says of new concepts who made them.
UPDATE kg_api.concepts c SET creation_method = @method WHERE c.id = ANY (@ids::int[]);

-- name: ConceptEdit :exec
UPDATE kg_api.concepts c
SET label = @label, description = @description, search_terms = @search_terms::text[], term_keys = @term_keys::text[]
WHERE c.id = @id;

-- name: MentionsEdit :exec
-- What documents say of an edited concept does not bring its old name back.
UPDATE kg_api.mentions m SET label = @label, description = @description, search_terms = @search_terms::text[] WHERE m.concept = @concept;

-- name: ConceptRemove :execrows
DELETE FROM kg_api.concepts c WHERE c.id = @id;

-- name: ConceptHolds :one
-- How many quotes and relationships a concept has.
SELECT (SELECT count(*) FROM kg_api.instances i WHERE i.concept = c.id)::int AS instances,
    ((SELECT count(*) FROM kg_api.edges e WHERE e.src = c.id) + (SELECT count(*) FROM kg_api.edges e WHERE e.dst = c.id AND e.src <> c.id))::int AS relationships
FROM kg_api.concepts c WHERE c.id = @id;

-- name: EdgeByEnds :one
-- A type that was merged stands for what it has become, and of a symmetric one it does not
-- matter which end is named first.
SELECT e.src, e.dst, e.type, e.confidence, t.category
FROM kg_api.relationship_types n
JOIN kg_api.relationship_types t ON t.id = kg_api.current_type(n.id)
JOIN kg_api.edges e ON e.type = t.id
JOIN kg_api.concepts a ON a.concept_id = @from_id
JOIN kg_api.concepts b ON b.concept_id = @to_id
WHERE n.name = @type_name AND (e.src = a.id AND e.dst = b.id OR t.is_symmetric AND e.src = b.id AND e.dst = a.id)
FOR UPDATE OF e;

-- name: EdgeOntologies :many
-- The names of the ontologies whose documents show a relationship.
SELECT DISTINCT o.name
FROM kg_api.edge_evidence v
JOIN kg_api.sources s ON s.id = v.source
JOIN kg_api.documents d ON d.id = s.document
JOIN kg_api.ontologies o ON o.id = d.ontology_id
WHERE v.src = @src AND v.dst = @dst AND v.type = @type
ORDER BY o.name;

-- name: EdgeEvidenceCount :one
SELECT count(*)::int FROM kg_api.edge_evidence v WHERE v.src = @src AND v.dst = @dst AND v.type = @type;

-- name: EdgeEdit :exec
UPDATE kg_api.edges e SET confidence = @confidence WHERE e.src = @src AND e.dst = @dst AND e.type = @type;

-- name: EdgeEvidenceEdit :exec
UPDATE kg_api.edge_evidence v SET confidence = @confidence WHERE v.src = @src AND v.dst = @dst AND v.type = @type;

-- name: EdgeRemove :exec
DELETE FROM kg_api.edges e WHERE e.src = @src AND e.dst = @dst AND e.type = @type;
