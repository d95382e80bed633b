package serve

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/workers"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/work"
)

// channelRemote says that something concerns remote workers: work for them, or what an
// operator wants of one.
const channelRemote = "kg_remote"

// wireRemote connects what serves workers on other machines.
func (s *server) wireRemote(ctx context.Context) error {
	key, err := s.settings.Remote.key()
	if err != nil {
		return exit.Usage("%s", err)
	}
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	s.remote, err = remote.New(remote.Config{
		Store: s.db.Remote(), Secret: []byte(s.settings.Remote.Secret), OldSecret: []byte(s.settings.Remote.OldSecret), RunKey: key,
		Types: s.types, Name: name, Now: s.db.Now, Log: s.log, Child: s.childEnded, Policies: &s.queue.policies.Policies,
		Ended: s.runEnded,
	})
	if err != nil {
		return exit.Usage("KG_RUN_KEY: %s", err)
	}
	s.leading.reservations = remote.NewJanitor(remote.JanitorConfig{Store: s.db.Remote(), Cancel: s.db.Jobs().Cancel, Expired: s.remote.Expired, Status: s.db.Lanes().WorkerStatus, Log: s.log})
	return s.db.Remote().Adopt(ctx, s.settings.Remote.names())
}

// remoteExtractor returns what has remote workers read documents. What they say that it took
// is counted against the budgets of jobs, at the prices of this server.
func (s *server) remoteExtractor(cfg remote.ExtractorConfig) *remote.Extractor {
	retry := lanes.Retrying(s.log)
	cfg.Jobs, cfg.Budget, cfg.Log = s.db.Jobs(), s.db.Jobs().CheckBudget, s.log
	cfg.Charge = func(ctx context.Context, runID string, c models.Call, r models.CallResult) error {
		return retry(ctx, "count what a remote worker has spent", func(ctx context.Context) error {
			return s.models.store.ChargeRun(ctx, runID, c, r)
		})
	}
	cfg.CostOf = func(model string, u models.TokenUsage) float64 {
		provider, name, _ := strings.Cut(model, "/")
		price := s.models.now().prices.Of(provider, name)
		return models.Model{PricePerMillion: price.Input, OutputPrice: price.Output}.CostOf(u)
	}
	return remote.NewExtractor(cfg)
}

// remoteAhead is how many chunks of a document are with remote workers at once.
const remoteAhead = 64

// runEnded counts an attempt of a remote worker as those of lanes are.
func (s *server) runEnded(a work.EndedAttempt) {
	s.queue.times.Ended(a)
	s.queue.histograms.Ended(a)
}

// childEnded has an ingestion hear that a chunk of it was read.
func (s *server) childEnded(parentID string) {
	if reader := s.models.builtin.remote; reader != nil {
		reader.Ended(parentID)
	}
}

// withParent has the chunks that a job type gives to remote workers know their job.
func withParent(t work.JobType) work.JobType {
	handle := t.Handler
	t.Handler = func(ctx context.Context, c work.Claim) (json.RawMessage, error) {
		return handle(remote.WithParent(ctx, c), c)
	}
	return t
}

// workersAPI is the part of the API that remote workers connect to.
func (s *server) workersAPI() *workers.API {
	return workers.New(workers.Config{
		Server: s.remote, Operator: s.db.Remote(), Records: s.db.Remote(), Jobs: s.db.Jobs(), Figures: s.remote.Stats,
	})
}
