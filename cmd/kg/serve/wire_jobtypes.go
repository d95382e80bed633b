package serve

import (
	"context"
	"io"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/backup"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/jobs"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/passages"
	"github.com/kappagraph/kappa/work"
)

// jobTypes are the job types that this server knows, one line each.
func (s *server) jobTypes() (*work.JobTypes, error) {
	retry := lanes.Retrying(s.log)
	types := []work.JobType{
		withParent(s.ofModels(func(m *modelSet) work.JobType { return s.ingestion(m, retry).JobType() })),
		withParent(s.ofModels(func(m *modelSet) work.JobType {
			return s.ingestion(m, retry).Reading(ingest.NewImageReader(s.db.Ingestions(), m.describer, retry)).ImageJobType()
		})),
		jobs.NewReembed(jobs.ReembedConfig{Store: s.db.Embeddings(), Passages: s.db.PassageEmbeddings(), Embedder: s.models.embedder, Claims: s.db.Claims(), Retry: retry}),
		jobs.NewPassageEmbedding(jobs.PassageEmbeddingConfig{Store: s.db.PassageEmbeddings(), Embedder: s.models.embedder, Claims: s.db.Claims(), Retry: retry}),
		jobs.NewRemeasurement(s.upkeep.vocabulary.MeasureEach, s.db.Claims(), retry),
		jobs.NewProjection(s.projectionOf, projectionStores{s.upkeep.projections, s.db.Projections()}, s.db.Claims(), s.db.Artifacts(), retry),
		jobs.NewSourceEmbedding(s.db.Maintenance(), s.models.embedder, retry),
		jobs.NewArtifactCleanup(s.db.Maintenance(), s.db.Claims(), retry),
		jobs.NewStorageCheck(s.db.Integrity(), s.db.Claims(), retry),
		jobs.NewVocabRefresh(s.upkeep.vocabulary.RefreshCategories, s.db.Claims(), retry),
		jobs.NewVocabEmbedding(s.upkeep.vocabulary.EmbedAll, s.db.Claims(), retry),
		jobs.NewVocabConsolidate(s.upkeep.vocabulary.Consolidate, s.db.Claims(), retry),
		jobs.NewAnnealing(s.upkeep.annealing, s.upkeep.reviewer, s.db.Claims(), retry),
		jobs.NewProposalExecution(s.db.Annealing(), retry),
		jobs.NewOntologyRemoval(s.remover(), retry),
		jobs.NewPolarity(s.graph.questions.Polarity, s.db.Claims(), s.db.Artifacts(), retry),
		jobs.NewDatasetQuery(s.datasets.export, s.db.Claims(), s.db.Artifacts(), retry),
		jobs.NewJobAction(s.db.Jobs(), func(a work.JobAct, jobType string) string { return s.types.BarredFor(a)(jobType) }, retry),
		jobs.NewRestore(openArchive, s.db.Backups(), s.db.Artifacts(), s.db.Claims(), retry),
	}
	types = append(types, s.settings.Remote.jobTypes()...)
	if s.settings.TestTypes {
		types = append(types,
			jobs.Noop(),
			jobs.NewSleep(s.db.Claims(), retry),
			jobs.NewEffect(s.db.Claims(), retry, witness(s.settings.TestWitness)),
		)
	}
	return work.NewJobTypes(types...)
}

// openArchive begins to read a backup.
func openArchive(r io.Reader) (jobs.Archive, error) { return backup.Reopen(r) }

// registerTypes registers the job types, and puts those that are in no lane into
// their default lanes.
func (s *server) registerTypes(ctx context.Context) (err error) {
	if s.types, err = s.jobTypes(); err != nil {
		return err
	}
	s.queue.policies = lanes.NewPolicies(s.db.Lanes().Policies, s.log)
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

// cutter cuts documents into passages.
var cutter = passages.Cutter{Definitions: answers.Definitions}

// ingestion works on ingestion jobs with the models of a set.
func (s *server) ingestion(m *modelSet, retry work.Retrying) *ingest.Handler {
	return ingest.NewHandler(ingest.HandlerConfig{
		Store: ingest.NewRetryingStore(ingestionStores{s.db.Claims(), s.db.Documents(), s.db.Ingestions()}, retry), Formats: s.intake.readers, Passages: cutter.Cut, Extractor: m.extractor, Embedder: m.embedder, Log: s.log,
		Progress: s.db.Claims().Checkpoint, Spending: s.models.store, Learn: s.db.Estimates().Learn, Ahead: m.ahead(), FanOut: m.fansOut(),
		Vocabulary: s.typeNames(retry), Known: s.knownConcepts(m, retry), Kept: s.keptReadings(m), Texts: s.db.Ingestions().Texts,
	})
}
