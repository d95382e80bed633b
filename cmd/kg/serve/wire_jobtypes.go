package serve

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/jobs"
	"github.com/kappagraph/kappa/internal/lanes"
)

// jobTypes are the job types that this server knows, one line each.
func (s *server) jobTypes() (*kappa.JobTypes, error) {
	retry := lanes.Retrying(s.log)
	types := []kappa.JobType{
		s.ingestion(retry).JobType(),
		jobs.NewRemeasurement(s.vocabulary.Measure, s.db.Claims(), retry),
		jobs.NewPolarity(s.graph.Polarity, s.db.Claims(), s.db.Artifacts(), retry),
		jobs.NewDatasetQuery(s.datasets.export, s.db.Claims(), s.db.Artifacts(), retry),
	}
	if s.settings.TestTypes {
		types = append(types,
			jobs.Noop(),
			jobs.NewSleep(s.db.Claims(), retry),
			jobs.NewEffect(s.db.Claims(), retry, witness(s.settings.TestWitness)),
		)
	}
	return kappa.NewJobTypes(types...)
}

// registerTypes registers the job types, and puts those that are in no lane into
// their default lanes.
func (s *server) registerTypes(ctx context.Context) (err error) {
	if s.types, err = s.jobTypes(); err != nil {
		return err
	}
	for _, t := range s.types.All() {
		if t.Lane == "" {
			continue
		}
		if err := s.db.Lanes().AddLaneTypes(ctx, t.Lane, t.Name); err != nil {
			return err
		}
	}
	return nil
}

// ingestion works on ingestion jobs.
func (s *server) ingestion(retry kappa.Retrying) *ingest.Handler {
	return ingest.NewHandler(ingest.HandlerConfig{
		Store: ingest.NewRetryingStore(ingestionStores{s.db.Claims(), s.db.Documents(), s.db.Ingestions()}, retry), Formats: s.formats, Extractor: s.models.extractor, Embedder: s.models.embedder, Log: s.log,
	})
}
