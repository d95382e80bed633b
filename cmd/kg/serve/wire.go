package serve

import (
	"context"
	"log/slog"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/local"
	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/otlp"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// server is kg serve: its parts, each of which is started and stopped in services and lead.
type server struct {
	id           string
	settings     *Settings
	self         local.Server
	dsn          string
	secondSignal context.Context //nolint:containedctx // it ends when the process is asked a second time to stop
	log          *slog.Logger
	hook         func(ctx context.Context, point string) error // of the failpoints; nil without them
	loops        kappa.Loops

	collector otlp.Config  // of traces and metrics
	recorder  *otlp.Tracer // nil: traces are not recorded
	db        *postgres.DB
	accounts  *auth.Service
	types     *work.JobTypes

	models   modelPart
	graph    graphPart
	upkeep   upkeepPart
	events   events
	queue    queuePart
	leading  leadingPart
	intake   intakePart
	datasets *datasetPart
	remote   *remote.Server
	hooks    webhookPart
	web      webPart
}

// wire connects the parts. private says that no other process can reach the
// database. Nothing runs yet.
func wire(ctx, secondSignal context.Context, settings *Settings, self local.Server, dsn string, private bool, log *slog.Logger) (*server, error) {
	s := &server{id: lanes.NewID(), settings: settings, self: self, dsn: dsn, secondSignal: secondSignal, log: log, hook: settings.Failpoints.Hook(log)}
	for _, step := range []func(context.Context) error{
		s.openTracer, s.openStore, s.prepare(private), s.chooseModels, s.wireGraph, s.wireUpkeep, s.openReaders, s.openDatasets, s.wireWebhooks, s.registerTypes, s.wireRemote, s.wireAccounts, s.wireEvents, s.wireAnalyst, s.wireQueue, s.wireLeading, s.openCertificates, s.wireAPI,
	} {
		if err := step(ctx); err != nil {
			s.close(ctx)
			return nil, err
		}
	}
	return s, nil
}

// close ends what is open when nothing runs any more.
func (s *server) close(ctx context.Context) {
	if s.db != nil {
		s.db.Close()
	}
	s.recorder.Close(ctx)
}

func (s *server) openStore(ctx context.Context) (err error) {
	pools := s.settings.Pools
	s.db, err = postgres.Open(ctx, postgres.Config{
		DSN: s.dsn, JobConns: int32(pools.Jobs), GraphConns: int32(pools.Graph), AuthConns: int32(pools.Auth), AcquireTimeout: pools.Wait,
		HoldOff:   s.settings.TestLease,
		Traced:    s.recorder != nil,
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

func (s *server) wireAccounts(context.Context) (err error) {
	s.accounts, err = auth.New(auth.Config{Store: accountStores{s.db.Accounts(), s.db.Clients(), s.db.Tokens(), s.db.Roles()}, Now: s.db.Now, Register: s.settings.Register, Log: s.log})
	return err
}
