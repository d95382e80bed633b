package serve

import (
	"context"
	nethttp "net/http"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/cmd/kg/inprocess"
	"github.com/kappagraph/kappa/cmd/kg/mcp"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/backup"
	"github.com/kappagraph/kappa/internal/fetch"
	graphcore "github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/http"
	accessapi "github.com/kappagraph/kappa/internal/http/access"
	"github.com/kappagraph/kappa/internal/http/accounts"
	"github.com/kappagraph/kappa/internal/http/admin"
	annealingapi "github.com/kappagraph/kappa/internal/http/annealing"
	"github.com/kappagraph/kappa/internal/http/artifacts"
	"github.com/kappagraph/kappa/internal/http/backups"
	"github.com/kappagraph/kappa/internal/http/catalog"
	"github.com/kappagraph/kappa/internal/http/chat"
	"github.com/kappagraph/kappa/internal/http/console"
	"github.com/kappagraph/kappa/internal/http/dataclips"
	datasetsapi "github.com/kappagraph/kappa/internal/http/datasets"
	"github.com/kappagraph/kappa/internal/http/editing"
	"github.com/kappagraph/kappa/internal/http/epochs"
	"github.com/kappagraph/kappa/internal/http/graph"
	"github.com/kappagraph/kappa/internal/http/identity"
	"github.com/kappagraph/kappa/internal/http/ingestion"
	"github.com/kappagraph/kappa/internal/http/jobs"
	libraryapi "github.com/kappagraph/kappa/internal/http/library"
	"github.com/kappagraph/kappa/internal/http/merging"
	modelsapi "github.com/kappagraph/kappa/internal/http/models"
	"github.com/kappagraph/kappa/internal/http/ontologies"
	"github.com/kappagraph/kappa/internal/http/polarity"
	projectionapi "github.com/kappagraph/kappa/internal/http/projection"
	queriesapi "github.com/kappagraph/kappa/internal/http/queries"
	"github.com/kappagraph/kappa/internal/http/reference"
	storageapi "github.com/kappagraph/kappa/internal/http/storage"
	"github.com/kappagraph/kappa/internal/http/streams"
	"github.com/kappagraph/kappa/internal/http/telemetry"
	vocabularyapi "github.com/kappagraph/kappa/internal/http/vocabulary"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/library"
	"github.com/kappagraph/kappa/internal/llm"
	"github.com/kappagraph/kappa/internal/notes"
	"github.com/kappagraph/kappa/internal/postgres"
	programrunner "github.com/kappagraph/kappa/internal/programs"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// webPart serves the API.
type webPart struct {
	api         *http.Server
	telemetry   *telemetry.API
	streams     *streams.API
	connections int // of clients, that may be open at once
}

// leave is the first to be stopped: the server is not ready from then on, and
// answers for a while, in which load balancers notice. secondSignal cuts that
// short.
func (w *webPart) leave(ctx, secondSignal context.Context, within time.Duration) error {
	<-ctx.Done()
	w.api.Drain()
	select {
	case <-secondSignal.Done():
	case <-time.After(within):
	}
	return nil
}

// fetchWithin is how long a document may take to be fetched.
const fetchWithin = 90 * time.Second

// wireAPI builds the HTTP server.
func (s *server) wireAPI(ctx context.Context) (err error) {
	if s.web.connections, err = s.settings.connectionLimit(openFiles()); err != nil {
		return err
	}
	if s.web.connections < s.settings.Streams {
		s.log.WarnContext(ctx, "fewer connections may be open than event streams; raise the limit of open files, or KG_MAX_CONNECTIONS",
			"connections", s.web.connections, "streams", s.settings.Streams)
	}
	if s.web.api, err = http.New(s.apiConfig(), s.resources()...); err != nil {
		return err
	}
	agents, err := mcp.Handler(s.web.api.Handler(), s.settings.Version, s.log)
	if err != nil {
		return err
	}
	if err := console.New().Register(s.web.api.Router); err != nil {
		return err
	}
	s.web.api.MountRoute(http.Route{Path: "/mcp", Permission: access.AnyUser, OwnOrigin: true, Metadata: identity.AgentsMetadata}, agents)
	return nil
}

// apiConfig is what the server of the API needs besides its resources.
func (s *server) apiConfig() http.Config {
	return http.Config{
		Auth: s.accounts.Tokens, Sessions: s.accounts.Sessions, Submissions: s.db.Jobs(), HTTP2: s.settings.HTTP2, Hosts: s.settings.hosts(), Proxies: s.settings.proxies(), Origins: s.settings.origins(),
		Version: s.settings.Version, Tracer: s.tracer(), Log: s.log,
		Limits: http.Limits{Connections: s.web.connections, Reserve: reserveForProbes, Rate: s.settings.UserRate},
	}
}

// resources are the parts of the API, each with what it needs.
func (s *server) resources() []http.Resource {
	s.web.streams = streams.New(streams.Config{
		Jobs: s.db.Jobs(), Events: historyStores{s.db.Events(), s.db.Jobs()}, Hub: s.events.hub, Lanes: s.db.Lanes(),
		Access: s.accounts.Tokens, Tickets: s.accounts.Tickets, Now: s.db.Now,
		Limits: streams.Limits{Open: s.settings.Streams, OfUser: s.settings.UserStreams}, Log: s.log,
	})
	ends := http.NewAwaiter(s.events.hub, s.db.Jobs())
	remover := s.remover()
	s.web.telemetry = telemetry.New(telemetry.Config{
		Health: healthStores{s.db, s.db.Figures()}, Graph: s.graph.questions, Version: s.settings.Version, Now: s.db.Now,
		Sources: s.events.sources, HubStats: s.events.hub.Stats, GraphWork: s.graph.questions.Work, Figures: s.figures(), Readiness: s.readiness(), Log: s.log,
	})
	return []http.Resource{
		s.web.telemetry,
		identity.New(identity.Config{Proof: s.self.Proof}),
		reference.New(),
		accounts.New(accounts.Config{Clients: s.accounts.Clients, Tokens: s.accounts.Tokens, Sessions: s.accounts.Sessions}),
		editing.New(editing.Config{Editor: s.notes()}),
		merging.New(merging.Config{Merger: s.db.Notes(), Blocker: s.db.Notes(), Splitter: s.notes(), Namesaker: s.db.Notes()}),
		accessapi.New(accessapi.Config{
			Users: s.accounts.Accounts, Roles: s.accounts.Roles, Groups: auth.NewGroups(s.accounts, s.db.Groups()), Keys: s.accounts.Keys, Audit: s.db.Audit(),
		}),
		ingestion.New(ingestion.Config{
			Documents: s.submitter(), Limits: ingestion.Limits{DocumentBytes: s.settings.MaxDocument},
			Web: fetch.New(fetch.Config{Private: s.settings.URLPrivate == privateAllow, Allow: hostsOf(s.settings.URLAllow), Total: fetchWithin}),
		}),
		jobs.New(jobs.Config{Jobs: s.db.Jobs(), Operator: s.operator(), Actor: s.operator(), Types: s.types, MaxLaneSlots: s.settings.MaxLaneSlots}),
		s.adminAPI(),
		modelsapi.New(s.modelsAPI(ends)),
		s.web.streams,
		graph.New(graph.Config{Questions: s.graph.questions, Explorer: s.graph.questions, Inventory: counted{s.graph.questions, s.db.Counters()}, Surveyor: s.graph.questions, Texts: library.NewSearcher(s.graph.passages, s.db.Library(), s.graph.questions)}),
		catalog.New(catalog.Config{Tree: s.db.Catalog()}),
		epochs.New(epochs.Config{History: s.db.Epochs()}),
		storageapi.New(storageapi.Config{
			Stored: s.db.Storage(), Jobs: s.db.Jobs(), Scheduler: s.leading.janitors.cleanup,
			Keep: storage.RetentionSettings{Jobs: s.settings.Retention, Audit: s.settings.AuditKept, Keys: s.settings.KeysKept},
		}),
		ontologies.New(ontologies.Config{Ontologies: s.db.Ontologies(), Keeper: s.db.Ontologies(), Remover: remover}),
		annealingapi.New(annealingapi.Config{Scorer: s.upkeep.annealing, Proposals: s.db.Annealing(), Reviewer: s.upkeep.reviewer, Mover: s.db.Annealing(), Jobs: s.db.Jobs(), Ends: ends, Nodes: s.db.Ontologies()}),
		libraryapi.New(libraryapi.Config{
			Documents: s.db.Library(), Versions: s.db.Library(), Sources: s.db.Library(), Searcher: library.NewSearcher(s.graph.passages, s.db.Library(), s.graph.questions), Asker: s.asker(), Finder: library.NewFinder(s.graph.passages, s.db.Library()), Model: s.answerModel,
			Remover: remover, Placer: s.db.Documents(), Jobs: s.db.Jobs(),
		}),
		chat.New(chat.Config{Model: s.answerModel, Now: time.Now}),
		vocabularyapi.New(vocabularyapi.Config{
			Vocabulary: s.upkeep.vocabulary, Words: s.upkeep.vocabulary, Merges: s.db.Vocabulary(), Reviews: s.db.Vocabulary(), Settings: s.db.Vocabulary(), Profiles: s.db.Vocabulary(), Additions: s.db.Vocabulary(), Jobs: s.db.Jobs(), Ends: ends,
		}),
		projectionapi.New(projectionapi.Config{Projections: s.upkeep.projections, Jobs: s.db.Jobs()}),
		queriesapi.New(queriesapi.Config{Queries: s.db.SavedQueries(), Run: s.runPrograms}),
		polarity.New(polarity.Config{Analyst: s.graph.questions, Jobs: s.db.Jobs()}),
		backups.New(backups.Config{
			Graph: s.db.Backups(), Files: s.db.Artifacts(), Jobs: s.db.Jobs(), Write: backups.Writer(backup.NewWriter), Verify: backup.Verify,
		}),
		s.workersAPI(),
		dataclips.New(dataclips.Config{Clips: s.db.Dataclips(), Quota: s.settings.DataclipQuota}),
		datasetsapi.New(s.datasets.api(s.db.Jobs())),
		artifacts.New(artifacts.Config{Artifacts: s.db.Artifacts(), Files: s.db.Artifacts(), Jobs: s.db.Jobs(), Types: s.types}),
	}
}

// adminAPI is what operators see and steer.
func (s *server) adminAPI() http.Resource {
	return admin.New(admin.Config{
		Lanes: s.laneStatus(), Pauses: s.db.Lanes(), JobLimits: s.db.Lanes(), Types: s.types, Policies: s.db.Lanes(), MaxLaneSlots: s.settings.MaxLaneSlots, Scheduler: s.leading.janitors.cleanup, Schedules: s.leading.schedules, Sources: s.events.sources,
		Graph:         s.graph.status,
		Threshold:     s.graph.threshold,
		GraphSettings: s.db.Graph(),
		Database:      s.db, Inventory: s.graph.questions, Keys: s.keys, Counters: s.db.Counters(), Checks: s.db.Checks(),
		Reading:   s.intake.readers.Status,
		Settings:  func() []api.ServerSetting { return s.settings.shown },
		Examine:   s.examine,
		Resources: func() *work.Resources { return machineResources(s.settings.DataDir) },
	})
}

// examine has the API of this server say what is wrong, as who made a request.
func (s *server) examine(r *nethttp.Request) []api.Finding {
	c, err := inprocess.Client(s.web.api.Handler(), "kappa-doctor")
	if err != nil || s.settings.examine == nil {
		return nil
	}
	defer c.Close()
	return s.settings.examine(inprocess.For(r.Context(), r), c)
}

// runPrograms runs the programs of a deck.
func (s *server) runPrograms(ctx context.Context, deck []programs.Run, ask queriesapi.Asker, within func(ontology string) (string, error)) (programs.Chain, error) {
	return programrunner.New(s.db.Catalog()).Run(ctx, deck, programrunner.Caller{Ask: programrunner.Asker(ask), Within: within})
}

// counted is the graph with what counts its changes.
type counted struct {
	*graphcore.Graph
	postgres.CounterStore
}

// keys says for which providers there are keys.
func (s *server) keys() admin.Keys {
	has := func(provider string) bool { key, err := s.models.service.Key(provider); return err == nil && key != "" }
	return admin.Keys{Anthropic: has(llm.Anthropic), OpenAI: has(llm.OpenAI)}
}

// modelsAPI is what the part of the API about models needs.
func (s *server) modelsAPI(ends *http.Awaiter) modelsapi.Config {
	choice, rules := s.models.service, s.settings.modelRules()
	return modelsapi.Config{
		Providers: modelStatus{s}, Chooser: choice, Profiles: choice, Limiter: choice, Keys: choice, Jobs: s.db.Jobs(), Ends: ends,
		Coverage: func(ctx context.Context, ontology string) (models.EmbeddingCoverage, error) {
			return s.db.Embeddings().Coverage(ctx, s.models.embeddingModel(), ontology)
		},
		Spent:         s.models.store.SpentSince,
		SlotProviders: func(slot models.Slot) []string { return rules.Providers[slot] }, DefaultModel: rules.Default,
	}
}

// notes is what people and agents write into the graph, matched by the rules of ingestion.
func (s *server) notes() *notes.Service {
	return notes.New(notes.Config{Store: s.db.Notes(), Embedder: s.models.embedder, Matcher: ingest.NewMatcher, Passages: cutter.Cut})
}

func (s *server) laneStatus() laneStatus {
	return laneStatus{s.db.Lanes(), s.queue.orphans, &s.loops, s.settings.MaxLaneSlots, func() string { return s.web.api.UnheededProxy() }}
}

// laneStatus is the store of lanes for the operator's routes, which show what this
// process alone knows besides.
type laneStatus struct {
	postgres.LaneStore
	orphans *lanes.Orphans
	loops   *kappa.Loops
	ceiling int // of a lane's slots
	proxy   func() string
}

// LaneUsage returns every lane with how busy it is, by name.
func (l laneStatus) LaneUsage(ctx context.Context) ([]work.LaneUsage, error) {
	usage, err := l.LaneStore.LaneUsage(ctx)
	for i, lane := range usage {
		usage[i].SlotsAvailable = max(0, lane.Slots(l.ceiling)-lane.RunningJobs)
	}
	return usage, err
}

// WorkerStatus returns who runs what, and what waits.
func (l laneStatus) WorkerStatus(ctx context.Context) (work.WorkerStatus, error) {
	status, err := l.LaneStore.WorkerStatus(ctx)
	status.Orphans, status.Loops, status.UnheededProxy = l.orphans.List(), l.loops.State(), l.proxy()
	status.SlotCeiling, status.TotalSlots = l.ceiling, 0
	for _, lane := range status.Lanes {
		slots := min(lane.MaxSlots, l.ceiling)
		if lane.Enabled {
			status.TotalSlots += slots
		}
		if slots < lane.MaxSlots {
			status.OverCeiling = append(status.OverCeiling, lane.Name)
		}
	}
	return status, err
}

// operator is the store of jobs for the operator's routes. A job that is submitted anew
// before it was analysed wakes the analyst.
type operator struct {
	postgres.JobStore
	wake func()
}

func (s *server) operator() operator { return operator{s.db.Jobs(), s.intake.analyst.Wake} }

// Act acts on many jobs.
func (o operator) Act(ctx context.Context, a work.JobAct) (work.ActReport, error) {
	report, err := o.JobStore.Act(ctx, a)
	if err == nil && a.Act == work.ActRetry {
		o.wake()
	}
	return report, err
}

// RetryJob submits an ended job anew.
func (o operator) RetryJob(ctx context.Context, r work.Retry) (work.Job, error) {
	job, err := o.JobStore.RetryJob(ctx, r)
	if err == nil && job.Status == work.StatusPending {
		o.wake()
	}
	return job, err
}
