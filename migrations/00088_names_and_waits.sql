-- +goose Up
-- What a concept is called within an ontology, '' for all: its own name, unless only documents
-- of other ontologies gave it that; a name that no document gave it was given by a person, for
-- all. They are one expression each, so that they are planned with the statements that use them.
CREATE FUNCTION kg_api.label_in(concept_number integer, own text, ontology_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_name = '' THEN own
        WHEN NOT EXISTS (SELECT FROM kg_api.mentions m WHERE m.concept = concept_number AND m.label = own) THEN own
        ELSE coalesce((
            SELECT m.label
            FROM kg_api.mentions m
            JOIN kg_api.sources s ON s.id = m.source
            JOIN kg_api.documents d ON d.id = s.document
            JOIN kg_api.ontologies o ON o.id = d.ontology_id
            WHERE m.concept = concept_number AND o.name = ontology_name
            ORDER BY m.label <> own, m.id LIMIT 1), own)
    END
$$;

CREATE FUNCTION kg_api.description_in(concept_number integer, own text, ontology_name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_name = '' OR own = '' THEN own
        WHEN NOT EXISTS (SELECT FROM kg_api.mentions m WHERE m.concept = concept_number AND m.description = own) THEN own
        ELSE coalesce((
            SELECT m.description
            FROM kg_api.mentions m
            JOIN kg_api.sources s ON s.id = m.source
            JOIN kg_api.documents d ON d.id = s.document
            JOIN kg_api.ontologies o ON o.id = d.ontology_id
            WHERE m.concept = concept_number AND o.name = ontology_name AND m.description <> ''
            ORDER BY m.description <> own, m.id LIMIT 1), '')
    END
$$;

-- Until when a provider has asked for no calls, which a call that an operator makes does not
-- end; throttled_until may be later, where calls have failed without such a word.
ALTER TABLE kg_api.providers ADD COLUMN asked_until timestamptz;

-- +goose Down
ALTER TABLE kg_api.providers DROP COLUMN asked_until;
DROP FUNCTION kg_api.description_in, kg_api.label_in;
