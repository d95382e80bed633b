package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/annealing"
	"github.com/kappagraph/kappa/internal/projection"
	"github.com/kappagraph/kappa/internal/vocabulary"
)

// upkeepPart keeps the graph in order: its relationship types, its ontologies, its pictures.
type upkeepPart struct {
	vocabulary  *vocabulary.Vocabulary
	annealing   *annealing.Annealing
	reviewer    *annealing.Reviewer
	projections *projection.Service
}

// wireUpkeep connects it.
func (s *server) wireUpkeep(context.Context) error {
	u := &s.upkeep
	u.projections = projection.NewService(s.db.Projections(), s.models.embeddingModel, s.db.Now)
	u.vocabulary = vocabulary.New(vocabulary.Config{
		Store: s.db.Vocabulary(), Embedder: s.models.embedder, Heard: s.heard, Now: s.db.Now, Log: s.log,
	})
	u.annealing = annealing.New(s.db.Annealing(), s.models.embeddingModel)
	u.reviewer = annealing.NewReviewer(s.db.Annealing(), s.db.Jobs(), s.log)
	return nil
}
