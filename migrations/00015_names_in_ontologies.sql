-- +goose Up
-- What a concept is called within an ontology, as label_in and description_in say it, for the
-- number of the ontology, 0 for all. Each answer is that of the first mention that has it, in
-- the order of mentions_concept_idx: of a concept that every chunk mentions a few are read, and
-- not all of them.
CREATE FUNCTION kg_api.label_at(concept_number integer, own text, ontology_number integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_number = 0 THEN own
        WHEN (SELECT true FROM kg_api.mentions m
            WHERE m.concept = concept_number AND m.label = own
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ontology_number
            ORDER BY m.id LIMIT 1) THEN own
        WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = concept_number AND m.label = own ORDER BY m.id LIMIT 1) THEN coalesce((
            SELECT m.label FROM kg_api.mentions m
            WHERE m.concept = concept_number
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ontology_number
            ORDER BY m.id LIMIT 1), own)
        ELSE own
    END
$$;

CREATE FUNCTION kg_api.description_at(concept_number integer, own text, ontology_number integer) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN ontology_number = 0 OR own = '' THEN own
        WHEN (SELECT true FROM kg_api.mentions m
            WHERE m.concept = concept_number AND m.description = own
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ontology_number
            ORDER BY m.id LIMIT 1) THEN own
        WHEN (SELECT true FROM kg_api.mentions m WHERE m.concept = concept_number AND m.description = own ORDER BY m.id LIMIT 1) THEN coalesce((
            SELECT m.description FROM kg_api.mentions m
            WHERE m.concept = concept_number AND m.description <> ''
                AND (SELECT d.ontology_id FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document WHERE s.id = m.source) = ontology_number
            ORDER BY m.id LIMIT 1), '')
        ELSE own
    END
$$;

-- +goose Down
DROP FUNCTION kg_api.description_at, kg_api.label_at;
