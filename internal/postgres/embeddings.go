package postgres

import (
	"context"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// EmbeddingStore knows with which model the graph is embedded, and changes it.
type EmbeddingStore struct{ *base }

// Embeddings returns the store of embeddings.
func (d *DB) Embeddings() EmbeddingStore { return EmbeddingStore{&d.base} }

// BeginSpace makes a model that of the graph if the graph has no embeddings yet, and
// returns which one it is.
func (s EmbeddingStore) BeginSpace(ctx context.Context, model string) (models.EmbeddingSpace, error) {
	if err := s.q().EmbeddingSpaceBegin(ctx, &model); err != nil {
		return models.EmbeddingSpace{}, translate(err, "store which model embeds the graph")
	}
	return s.Space(ctx)
}

// Space returns with which model the graph is embedded.
func (s EmbeddingStore) Space(ctx context.Context) (models.EmbeddingSpace, error) {
	row, err := s.q().EmbeddingSpace(ctx)
	return models.EmbeddingSpace{GraphModel: row.Model, GraphDimensions: int(row.Dimensions), Reembedding: row.Reembedding}, translate(err, "read which model embeds the graph")
}

// ChangeSpace makes a model that of the graph, whose embeddings are to be replaced: from
// here on those of any other model are refused.
func (s EmbeddingStore) ChangeSpace(ctx context.Context, model string) error {
	return translate(s.q().EmbeddingSpaceChange(ctx, &model), "change which model embeds the graph")
}

// Outdated returns the first concepts whose embeddings are of another model than that,
// and how many there are in all.
func (s EmbeddingStore) Outdated(ctx context.Context, model string, most int) (list []models.OutdatedConcept, all int, err error) {
	rows, err := s.q().EmbeddingsOutdated(ctx, model, int32(most))
	if err != nil {
		return nil, 0, translate(err, "list concepts to embed")
	}
	for _, r := range rows {
		c := knowledge.ExtractedConcept{Label: r.Label, Description: r.Description, SearchTerms: r.SearchTerms}
		list = append(list, models.OutdatedConcept{ID: int(r.ID), Text: c.EmbeddingText()})
		all = int(r.Outdated)
	}
	return list, all, nil
}

// Replace stores new embeddings of concepts, which are all of one model. A concept that is
// gone is passed over, as is one that says something else by now: it stays outdated, unless
// who changed it has embedded it with that model.
func (s EmbeddingStore) Replace(ctx context.Context, model string, concepts []models.OutdatedConcept, embeddings []models.Embedding) error {
	err := inTx(ctx, s.graph, func(q *db.Queries) (failed error) {
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		params, err := replaceable(ctx, q, model, concepts, embeddings)
		if err != nil {
			return err
		}
		q.EmbeddingReplace(ctx, params).Exec(func(_ int, err error) {
			if err != nil {
				failed = err
			}
		})
		return failed
	})
	return translate(err, "store embeddings")
}

// replaceable returns the embeddings of the concepts that still say what was embedded.
func replaceable(ctx context.Context, q *db.Queries, model string, concepts []models.OutdatedConcept, embeddings []models.Embedding) ([]db.EmbeddingReplaceParams, error) {
	ids := make([]int32, len(concepts))
	for i, c := range concepts {
		ids[i] = int32(c.ID)
	}
	rows, err := q.ConceptTexts(ctx, ids, model)
	if err != nil {
		return nil, err
	}
	texts := make(map[int]string, len(rows))
	for _, r := range rows {
		texts[int(r.ID)] = knowledge.ExtractedConcept{Label: r.Label, Description: r.Description, SearchTerms: r.SearchTerms}.EmbeddingText()
	}
	var params []db.EmbeddingReplaceParams
	for i, c := range concepts {
		if text, outdated := texts[c.ID]; outdated && text == c.Text {
			signature := embeddings[i].Signature()
			params = append(params, db.EmbeddingReplaceParams{
				Concept: int32(c.ID), Model: model, Vector: embeddings[i], Signature: signatureBits(signature), Bands: signature.Bands(),
			})
		}
	}
	return params, nil
}

// FinishSpace says that every embedding is of the graph's model, if it is so, and raises
// the graph's epoch: what was computed from the old ones is stale.
func (s EmbeddingStore) FinishSpace(ctx context.Context, model string) error {
	return translate(inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := q.EmbeddingSpaceDone(ctx, &model); err != nil {
			return err
		}
		return raiseEpoch(ctx, q, change{kind: knowledge.EpochReasoning, act: "graph.reembed", object: model})
	}), "finish the change of the graph's model")
}

// Coverage returns how much is embedded with a model, of everything or of one ontology.
// Relationship types are always all of them.
func (s EmbeddingStore) Coverage(ctx context.Context, model, ontology string) (models.EmbeddingCoverage, error) {
	if inNoRow(ontology) {
		return models.EmbeddingCoverage{}, notFound("Ontology not found: %q", ontology)
	}
	r, err := s.q().EmbeddingCoverage(ctx, ontology, model)
	return models.EmbeddingCoverage{
		Concepts:   models.NewCoverage(int(r.Concepts), int(r.ConceptsEmbedded), int(r.ConceptsOther), 0),
		Sources:    models.NewCoverage(int(r.Sources), int(r.SourcesEmbedded), int(r.SourcesOther), int(r.SourcesStale)),
		Vocabulary: models.NewCoverage(int(r.Types), int(r.TypesEmbedded), int(r.TypesOther), 0),
	}, translate(err, "count what is embedded")
}
