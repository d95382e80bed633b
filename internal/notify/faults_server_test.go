package notify

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The ways in which the servers of a faultWorld hear each other.
const (
	byListen = "listen"
	byWAL    = "wal"
	byNATS   = "nats" // with listen as its stand-in, and a leader who relays
)

// faultServer is what a server has of this package, connected as kg serve does
// it, each part over a link of its own.
type faultServer struct {
	name     string
	store    *pgStore
	hub      *Hub
	notifier *Notifier
	listener *Listener
	wal      *WAL      // byWAL only, without a listener
	nats     *NATS     // byNATS only
	fallback *Fallback // byNATS only

	toStore, toSource, toNATS *link

	leads  atomic.Bool
	outage outage // of the store
	silent outage // of the source, before anybody can notice
}

// newFaultServer connects the parts of a server; run has them work.
func newFaultServer(t testing.TB, w *faultWorld, name string) *faultServer {
	t.Helper()
	s := &faultServer{name: name}
	var dsn string
	dsn, s.toStore = linkTo(t, w.dsn)
	s.store = &pgStore{dsn: dsn, pool: faultPool(t, dsn, "kg-store")}
	table := reachable{s.store, &s.outage}
	s.hub = NewHub(table, quiet)
	s.notifier = NewNotifier(name, table.notify, quiet)
	dsn, s.toSource = linkTo(t, w.dsn)
	if w.by == byWAL {
		s.wal = NewWAL(WALConfig{DSN: dsn, ID: name, Sink: w.sink(s.hub), Log: quiet})
		return s
	}
	s.listener = NewListener(ListenConfig{
		DSN: dsn, ID: name, Log: quiet, Resync: s.resync(w.sink(s.hub)),
		Handle: map[string]func(string){ChannelEvents: s.heard},
	})
	if w.by == byListen {
		return s
	}
	s.toNATS = newLink(t, "tcp", w.natsServer.addr())
	var err error
	s.nats, err = NewNATS(NATSConfig{
		Options: NATSOptions{URL: "nats://" + s.toNATS.addr}, ID: name, Sink: w.sink(s.hub), Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.hub.OnInterest(s.nats.Interest)
	s.fallback = NewFallback(s.nats, s.listener, s.leads.Load, quiet)
	return s
}

// linkTo opens a link to a database and returns how pgx goes through it.
func linkTo(t testing.TB, dsn string) (string, *link) {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	network, target := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	l := newLink(t, network, target)
	host, port, err := net.SplitHostPort(l.addr)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s host=%s port=%s", dsn, host, port), l
}

// faultPool opens a pool for statements whose commits reach the log at once, as
// they do outside of tests.
func faultPool(t testing.TB, dsn, application string) *pgxpool.Pool {
	t.Helper()
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxConns = 8
	cfg.ConnConfig.ConnectTimeout = 2 * time.Second
	cfg.ConnConfig.RuntimeParams["application_name"] = application
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "on"
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// run has every part of the server work until ctx ends.
func (s *faultServer) run(ctx context.Context, t testing.TB) {
	var parts sync.WaitGroup
	part := func(run func(context.Context) error) {
		parts.Go(func() {
			if err := run(ctx); err != nil {
				t.Errorf("server %s: a part returned %v", s.name, err)
			}
		})
	}
	part(s.hub.Run)
	part(s.notifier.Run)
	switch {
	case s.wal != nil:
		part(s.wal.Run)
	case s.nats != nil:
		part(s.nats.Run)
		part(s.fallback.Run)
	default:
		part(s.listener.Run)
	}
	parts.Wait()
}

// heard handles a notification of the database.
func (s *faultServer) heard(payload string) {
	ReceiveEvents(s.name, s.hub)(payload)
	if s.nats != nil {
		s.nats.Relay(ChannelEvents, payload)
	}
}

// resync is what the listener calls after each connect.
func (s *faultServer) resync(sink Sink) func() {
	return func() {
		sink.Resync()
		if s.nats != nil {
			s.nats.RelayResync()
		}
	}
}

// committed is what the store calls after a commit of this server.
func (s *faultServer) committed(jobIDs ...string) {
	s.hub.Hint(jobIDs...)
	s.notifier.Notify(jobIDs...)
	if s.nats != nil {
		s.nats.Notify(jobIDs...)
	}
}

// source is what brings the events of other servers while nothing is broken.
func (s *faultServer) source() Source {
	switch {
	case s.wal != nil:
		return s.wal
	case s.nats != nil:
		return s.nats
	}
	return s.listener
}

// connectedSince returns since when the server has heard the others without an
// interruption, and false while it does not.
func (s *faultServer) connectedSince() (time.Time, bool) {
	state := s.source().State()
	if !state.Connected || state.Since == nil {
		return time.Time{}, false
	}
	return state.Since.Time, true
}
