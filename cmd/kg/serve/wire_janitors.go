package serve

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/passages"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/schedule"
	"github.com/kappagraph/kappa/work"
)

// leadingPart is what the leader does: it answers schedules and keeps house.
type leadingPart struct {
	schedules    *schedule.Schedules
	launcher     *schedule.Launcher
	janitors     janitors
	reservations *remote.Janitor
}

// wireLeading connects it.
func (s *server) wireLeading(ctx context.Context) error {
	rules := schedule.Rules{Types: s.types, Conditions: schedule.AllConditions(
		schedule.BuiltinConditions(conditionStores{s.db.Figures(), s.db.Jobs()}), schedule.MaintenanceConditions(s.maintenance), schedule.PassageConditions(s.passagesToEmbed),
	)}
	s.leading.schedules = schedule.NewSchedules(s.db.Schedules(), rules)
	s.leading.launcher = schedule.NewLauncher(s.db.Schedules(), rules, s.log)
	s.leading.janitors = s.newJanitors()
	return s.leading.schedules.Seed(ctx, s.db.Maintenance(), schedule.MaintenanceSchedules())
}

// maintenance says how much there is to be done.
func (s *server) maintenance(ctx context.Context) (work.MaintenanceFigures, error) {
	return s.db.Maintenance().MaintenanceFigures(ctx, s.models.embeddingModel())
}

// passagesToEmbed returns how many passages have no embedding, counted up to 1,000; 0 without a
// model that embeds passages, and until an operator has had the graph embedded by it.
func (s *server) passagesToEmbed(ctx context.Context) (int, error) {
	model := s.models.embedder.Model()
	if model.NamesOnly {
		return 0, nil
	}
	space, err := s.db.Embeddings().BeginSpace(ctx, model.Name)
	if err != nil || space.GraphModel != model.Name || space.Reembedding {
		return 0, err
	}
	return s.db.PassageEmbeddings().Unembedded(ctx, model.Name)
}

// janitors keep the queue moving and the tables small. All but purge run on the
// leader; cleanup is on demand.
type janitors struct {
	sweeper   *lanes.Sweeper
	stale     *lanes.Stale
	expire    *lanes.Expire
	prune     *lanes.Prune
	purge     *lanes.Purge
	unhandled *lanes.Unhandled
	graphLog  *lanes.GraphLog
	folding   *lanes.Folding
	passages  *passages.Upkeep
	waits     *llm.Waits
	cleanup   *lanes.Cleanup
}

func (s *server) newJanitors() (j janitors) {
	queue, retention := s.db.Queue(), s.db.Retention()
	j.sweeper = lanes.NewSweeper(lanes.SweeperConfig{Store: queue, Wake: s.queue.manager.WakeAll, Waiting: s.queue.manager.Waiting, Overdue: s.leading.reservations.Wake, Rescues: s.queue.rescues, Log: s.log})
	j.stale = lanes.NewStale(lanes.StaleConfig{Store: queue, Rescues: s.queue.rescues, Log: s.log})
	j.expire = lanes.NewExpire(lanes.ExpireConfig{Store: queue, Log: s.log})
	j.prune = lanes.NewPrune(lanes.PruneConfig{Store: retention, Keep: s.settings.Retention, Every: s.settings.CleanupEvery, Log: s.log})
	j.purge = lanes.NewPurge(lanes.PurgeConfig{Accounts: accountPurge{s.accounts, s.db.Audit(), s.settings.AuditKept}, Jobs: keyPurge{s.db.Jobs(), s.settings.KeysKept}, Artifacts: s.db.Artifacts(), Dataclips: s.db.Dataclips(), Webhooks: webhookPurge{s.db.Webhooks(), s.settings.Retention}, Log: s.log})
	j.unhandled = lanes.NewUnhandled(lanes.UnhandledConfig{Store: s.db.Lanes(), Types: s.types, Log: s.log})
	j.graphLog = lanes.NewGraphLog(lanes.GraphLogConfig{Store: retention, Log: s.log})
	j.folding = lanes.NewFolding(lanes.FoldingConfig{Store: retention, Log: s.log})
	j.passages = passages.NewUpkeep(passages.UpkeepConfig{Store: s.db.Passages(), Cutter: cutter, Log: s.log})
	j.waits = llm.NewWaits(llm.WaitsConfig{Store: s.models.store, Patience: s.settings.Models.Patience, Log: s.log})
	j.cleanup = lanes.NewCleanup(lanes.CleanupConfig{Store: cleanupStores{s.db.Figures(), retention}, Expire: j.expire, Stale: j.stale, Prune: j.prune})
	return j
}

// accountPurge deletes what is of no use any more of the accounts, and the record of who
// did what once it is old.
type accountPurge struct {
	accounts *auth.Service
	audit    postgres.AuditStore
	keep     time.Duration
}

// keyPurge forgets the keys of old submissions.
type keyPurge struct {
	jobs postgres.JobStore
	keep time.Duration
}

// PurgeSubmissions deletes now.
func (p keyPurge) PurgeSubmissions(ctx context.Context) error {
	return p.jobs.PurgeSubmissions(ctx, p.keep)
}

// Purge deletes now.
func (p accountPurge) Purge(ctx context.Context) error {
	_, err := p.audit.PruneAudit(ctx, p.keep)
	return errors.Join(err, p.accounts.Purge(ctx))
}
