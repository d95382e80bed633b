package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/library"
)

// submitter takes documents in.
func (s *server) submitter() *ingest.Submitter {
	u := ingest.NewSubmitter(s.db.Ingestions(), s.intake.readers, s.intake.analyst.Wake)
	u.DescribeImagesBy(func() ingest.Describer { return s.models.now().describer })
	u.ReadWordsOfImages(func(ctx context.Context) error {
		_, err := s.intake.readers.PicturesBy(ctx)
		return err
	})
	u.LimitWaiting(s.settings.Reading.MostWaiting)
	u.DefaultBudget(s.settings.Models.budget())
	return u
}

// remover takes documents and ontologies out of the graph.
func (s *server) remover() *library.Remover {
	return library.NewRemover(s.db.Documents(), s.db.Ontologies(), s.db.Jobs(), s.models.embedder)
}
