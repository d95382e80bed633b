package postgres

import "context"

// An archive may have embeddings of concepts by another model than that of the graph: it was
// made before the model was changed, or while that was under way. They are restored as they
// are, and the graph is embedded in part from then on, as after a change of the model: nothing
// is compared until a job of the type reembed has made them anew.

// beginEmbeddings lets embeddings of other models in, if the archive has any.
func (r *restore) beginEmbeddings(ctx context.Context, s *staging) error {
	if err := r.tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_temp.restored_concept_embeddings x, kg_api.embedding_space e WHERE x.model <> e.model)").Scan(&r.otherModel); err != nil || !r.otherModel {
		return archiveFault(err, s.table.name)
	}
	_, err := r.tx.Exec(ctx, "ALTER TABLE kg_api.concept_embeddings DISABLE TRIGGER check_space_added")
	return err
}

// endEmbeddings does for the embeddings that were written what the trigger does, and says that
// the graph is embedded in part, if it is.
func (r *restore) endEmbeddings(ctx context.Context) error {
	if !r.otherModel {
		return nil
	}
	if _, err := r.tx.Exec(ctx, `ALTER TABLE kg_api.concept_embeddings ENABLE TRIGGER check_space_added;
		UPDATE kg_api.embedding_space s SET dimensions = (SELECT c.dimensions FROM kg_api.concept_embeddings c WHERE c.model = s.model LIMIT 1) WHERE s.dimensions IS NULL`); err != nil {
		return err
	}
	var mixed bool
	if err := r.tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE c.model <> s.model), coalesce(bool_or(c.model = s.model AND c.dimensions <> s.dimensions), false)
		FROM kg_api.concept_embeddings c, kg_api.embedding_space s`).Scan(&r.outdated, &mixed); err != nil {
		return err
	}
	if mixed {
		return wrongArchive("has embeddings of concepts of another length than those of the same model here")
	}
	_, err := r.tx.Exec(ctx, "UPDATE kg_api.embedding_space SET reembedding = true WHERE $1::bigint > 0 AND NOT reembedding", r.outdated)
	return err
}
