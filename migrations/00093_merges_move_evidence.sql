-- +goose Up
-- What a merge moves may be surer than what stands there already, of the same chunk. Then
-- that gives way, and is kept for the undo: a row of the kind given_way of a merge of
-- concepts, and beside the evidence that took its place of a merge of types.
ALTER TABLE kg_api.concept_merge_rows DROP CONSTRAINT kind_is_known;
ALTER TABLE kg_api.concept_merge_rows ADD CONSTRAINT kind_is_known CHECK (kind IN ('mention', 'instance', 'edge', 'evidence', 'given_way'));
ALTER TABLE kg_api.merged_evidence ADD COLUMN given_way jsonb;

-- Where evidence of the concept that went stands since the merge.
-- +goose StatementBegin
CREATE FUNCTION kg_api.merged_place(kept integer, merged integer, content jsonb) RETURNS kg_api.edge_evidence LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN kg_api.placed(jsonb_populate_record(NULL::kg_api.edge_evidence, content || jsonb_build_object(
        'src', CASE WHEN (content ->> 'src')::integer = merged THEN kept ELSE (content ->> 'src')::integer END,
        'dst', CASE WHEN (content ->> 'dst')::integer = merged THEN kept ELSE (content ->> 'dst')::integer END)));
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION kg_api.merged_place;
ALTER TABLE kg_api.merged_evidence DROP COLUMN given_way;
DELETE FROM kg_api.concept_merge_rows WHERE kind = 'given_way';
ALTER TABLE kg_api.concept_merge_rows DROP CONSTRAINT kind_is_known;
ALTER TABLE kg_api.concept_merge_rows ADD CONSTRAINT kind_is_known CHECK (kind IN ('mention', 'instance', 'edge', 'evidence'));
