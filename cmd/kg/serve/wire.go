package serve

import (
	"context"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/annealing"
	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graph/follow"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/streams"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/projection"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/schedule"
	measuring "github.com/kappagraph/kappa/internal/vocabulary"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

const (
	heartbeatLimit = 2 * time.Second // for a statement of the heartbeat
	leaderLimit    = 5 * time.Second // for a statement of the leader's connection
)

// server is every part of kg serve, chosen and connected.
type server struct {
	id           string
	settings     *Settings
	self         local.Server
	dsn          string
	secondSignal context.Context //nolint:containedctx // it ends when the process is asked a second time to stop
	log          *slog.Logger
	hook         func(ctx context.Context, point string) error // of the failpoints; nil without them

	db            *postgres.DB
	accounts      *auth.Service
	graph         *graph.Graph
	graphSettings *graph.Settings
	follower      *follow.Follower
	search        search
	models        modelPart
	types         *work.JobTypes

	vocabulary  *measuring.Vocabulary
	annealing   *annealing.Annealing
	reviewer    *annealing.Reviewer
	projections *projection.Service

	events events

	finisher *lanes.Finisher
	runner   *lanes.Runner
	orphans  *lanes.Orphans
	worker   *lanes.Worker
	manager  *lanes.Manager
	elector  *lanes.Elector
	rescues  *lanes.Rescues

	schedules *schedule.Schedules
	launcher  *schedule.Launcher
	janitors  janitors

	analyst  *ingest.Analyst
	readers  *readers
	datasets *datasetPart

	remote       *remote.Server
	reservations *remote.Janitor

	api     *http.Server
	streams *streams.API

	connections int // of clients, that may be open at once
	loops       kappa.Loops
}

// wire connects the parts. private says that no other process can reach the
// database. Nothing runs yet.
func wire(ctx, secondSignal context.Context, settings *Settings, self local.Server, dsn string, private bool, log *slog.Logger) (*server, error) {
	s := &server{id: lanes.NewID(), settings: settings, self: self, dsn: dsn, secondSignal: secondSignal, log: log, hook: settings.Failpoints.Hook(log)}
	for _, step := range []func(context.Context) error{
		s.openStore, s.prepare(private), s.openModels, s.openReaders, s.openDatasets, s.registerTypes, s.wireRemote, s.wireAccounts, s.wireEvents, s.wireLanes, s.wireScheduler, s.wireAPI,
	} {
		if err := step(ctx); err != nil {
			if s.db != nil {
				s.db.Close()
			}
			return nil, err
		}
	}
	return s, nil
}

func (s *server) openStore(ctx context.Context) (err error) {
	pools := s.settings.Pools
	s.db, err = postgres.Open(ctx, postgres.Config{
		DSN: s.dsn, JobConns: int32(pools.Jobs), GraphConns: int32(pools.Graph), AuthConns: int32(pools.Auth), AcquireTimeout: pools.Wait,
		HoldOff:   s.settings.TestLease,
		Hook:      s.hook,
		Committed: func(events []work.Event, jobIDs []string) { s.events.committed(events, jobIDs) },
		Deleted:   func(jobIDs ...string) { s.events.deleted(jobIDs...) },
	})
	return err
}

// prepare brings the tables up to what this server knows.
func (s *server) prepare(private bool) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := s.db.Documents().EnsureVocabulary(ctx, vocabulary.BuiltinTypes()); err != nil {
			return err
		}
		if private {
			return s.db.Workers().DeclareDead(ctx)
		}
		return nil
	}
}

func (s *server) openModels(ctx context.Context) error {
	if err := s.chooseModels(ctx); err != nil {
		return err
	}
	s.follower = follow.New(follow.Config{Store: s.db.Graph(), Limit: s.settings.GraphMemory, Heard: s.heard, Log: s.log})
	s.graphSettings = graph.NewSettings(s.db.Graph().Settings, s.settings.Pools.Graph, s.log)
	s.graph = graph.New(graph.Config{
		Settings: s.graphSettings.Now, Connections: s.settings.Pools.Graph,
		View: viewer(s.db.Graph()), Memory: s.follower.View, Await: s.follower.Await, Embedder: s.models.embedder, Log: s.log,
		Search: s.wireSearch(),
	})
	s.projections = projection.NewService(s.db.Projections(), s.embeddingModel, s.db.Now)
	s.vocabulary = measuring.New(measuring.Config{
		Store: s.db.Vocabulary(), Embedder: s.models.embedder, Heard: s.heard, Now: s.db.Now, Log: s.log,
	})
	s.annealing = annealing.New(s.db.Annealing(), s.embeddingModel)
	s.reviewer = annealing.NewReviewer(s.db.Annealing(), s.db.Jobs(), s.log)
	return nil
}

func (s *server) wireAccounts(context.Context) (err error) {
	s.accounts, err = auth.New(auth.Config{Store: accountStores{s.db.Accounts(), s.db.Clients(), s.db.Tokens(), s.db.Roles()}, Now: s.db.Now, Register: s.settings.Register, Log: s.log})
	return err
}

func (s *server) wireLanes(context.Context) error {
	s.analyst = ingest.NewAnalyst(ingest.AnalystConfig{
		Server: s.id, Workers: s.settings.Reading.AnalysisWorkers,
		Store: s.db.Ingestions(), Formats: s.readers.Analyses(), Models: s.estimates, Band: s.db.Estimates(),
		Now: s.db.Now, Log: s.log,
	})
	s.rescues = &lanes.Rescues{}
	s.finisher = lanes.NewFinisher(s.db.Claims(), s.log)
	s.runner = lanes.NewRunner(s.types, s.finisher, s.log)
	s.orphans = lanes.NewOrphans(s.runner, s.log)
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "unknown"
	}
	s.worker = lanes.NewWorker(lanes.WorkerConfig{
		ID: s.id, Hostname: hostname, PID: os.Getpid(), Version: s.settings.Version, Store: workerStores{s.db.Claims(), s.db.Workers()}, Log: s.log,
		Live:  func() { s.manager.WakeAll() },
		Lease: s.settings.TestLease, Heartbeat: s.settings.TestLease / 5, Margin: s.settings.TestLease / 5,
		Dial: func(ctx context.Context) (lanes.Heartbeat, error) {
			return s.db.DialHeartbeat(ctx, heartbeatLimit)
		},
	}, s.runner)
	s.manager = lanes.NewManager(lanes.ManagerConfig{
		Store: laneStores{s.db.Claims(), s.db.Lanes()}, Worker: s.worker, Runner: s.runner, Ceiling: s.settings.MaxLaneSlots,
		Waiting: s.db.Lanes().WaitingTypes, Log: s.log,
	})
	s.elector = lanes.NewElector(lanes.ElectorConfig{
		ID: s.worker.ID, Log: s.log, Lead: s.lead,
		Dial: func(ctx context.Context) (lanes.Leadership, error) {
			return s.db.DialLeader(ctx, leaderLimit)
		},
	})
	return nil
}

// wireScheduler connects what the clock does: scheduled jobs and the cleanup.
func (s *server) wireScheduler(ctx context.Context) error {
	rules := schedule.Rules{Types: s.types, Conditions: schedule.AllConditions(
		schedule.BuiltinConditions(conditionStores{s.db.Figures(), s.db.Jobs()}), schedule.MaintenanceConditions(s.maintenance),
	)}
	s.schedules = schedule.NewSchedules(s.db.Schedules(), rules)
	s.launcher = schedule.NewLauncher(s.db.Schedules(), rules, s.log)
	s.janitors = s.newJanitors()
	return s.schedules.Seed(ctx, s.db.Maintenance(), schedule.MaintenanceSchedules())
}

// maintenance says how much there is to be done.
func (s *server) maintenance(ctx context.Context) (work.MaintenanceFigures, error) {
	return s.db.Maintenance().MaintenanceFigures(ctx, s.embeddingModel())
}

// embeddingModel returns the name of the model that embeds now.
func (s *server) embeddingModel() string { return s.models.embedder.Model().Name }

// lead is what only the leader does: it runs the lanes and keeps house.
func (s *server) lead(ctx context.Context, term int64) error {
	underTerm := func(run func(context.Context, int64) error) func(context.Context) error {
		return func(ctx context.Context) error { return run(ctx, term) }
	}
	s.events.leadershipChanged()
	defer s.events.leadershipChanged()
	list := []service{}
	if s.settings.Lanes != lanesAll {
		list = append(list, service{"lanes", s.manager.Run})
	}
	return runServices(ctx, s.log, append(list, []service{
		{"unhandled job types", s.janitors.unhandled.Run},
		{"sweep", underTerm(s.janitors.sweeper.Run)},
		{"stale recovery", underTerm(s.janitors.stale.Run)},
		{"expiry", s.janitors.expire.Run},
		{"reservations", s.reservations.Run},
		{"prune", underTerm(s.janitors.prune.Run)},
		{"waits for providers", s.janitors.waits.Run},
		{"log of the graph", underTerm(s.janitors.graphLog.Run)},
		{"counts of ontologies", underTerm(s.janitors.counts.Run)},
		{"scheduled jobs", underTerm(s.launcher.Run)},
		{"watchdog of listeners", s.events.watchdog.Run},
		{"vocabulary", s.vocabulary.Run},
		{"accepted proposals", s.reviewer.Run},
	}...))
}

// lanesOfAll runs the lanes whether this server leads or not, if all servers are to.
func (s *server) lanesOfAll(ctx context.Context) error {
	if s.settings.Lanes == lanesAll {
		return s.manager.Run(ctx)
	}
	<-ctx.Done()
	return nil
}

// services lists what runs, in the order of the start; the stop is in reverse.
func (s *server) services(listener net.Listener) []service {
	list := append([]service{{"dataset workers", s.datasets.run}, {"readers of documents", s.readers.run}, {"calls to models", s.models.governor.Run}, {"finisher", s.finisher.Run}}, s.events.services()...)
	return append(list, []service{
		{"worker", s.worker.Run},
		{"running jobs", func(ctx context.Context) error {
			<-ctx.Done()
			s.runner.Drain(s.secondSignal, s.settings.Drain)
			return nil
		}},
		{"orphans", s.orphans.Run},
		{"elector", s.elector.Run},
		{"lanes of every server", s.lanesOfAll},
		{"settings of the graph", s.graphSettings.Run},
		{"choice of models", s.models.service.Run},
		{"analyst", s.analyst.Run},
		{"graph in memory", s.follower.Run},
		{"search index", s.search.index.Run},
		{"purge", s.janitors.purge.Run},
		{"clock", s.clock},
		{"remote workers", s.remote.Run},
		{"HTTP", func(ctx context.Context) error { return s.api.Run(ctx, listener) }},
		{"load balancers", s.leave},
	}...)
}

// leave is the first to be stopped: the server is not ready from then on, and
// answers for a while, in which load balancers notice. A second signal cuts that
// short.
func (s *server) leave(ctx context.Context) error {
	<-ctx.Done()
	s.api.Drain()
	select {
	case <-s.secondSignal.Done():
	case <-time.After(s.settings.Leave):
	}
	return nil
}
