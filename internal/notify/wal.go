package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/work"
)

const (
	walApplication = "kg-wal"
	walSlotWithin  = time.Minute     // for the slot: transactions that are open have to end first
	walSetupWithin = 5 * time.Second // for each other step before the stream begins
	walCloseWithin = time.Second

	// walServerGivesUp is how long a server waits for us before it ends the
	// connection, and the slot with it. So that is how long a process that hangs
	// keeps write-ahead log from being removed, whatever the server is set to.
	walServerGivesUp = 10 * time.Second
)

// WALConfig says what to follow and whom to notify.
type WALConfig struct {
	DSN string // of a role with the REPLICATION privilege
	// Validate accepts the primary among the servers that DSN names; nil accepts
	// one that takes writes.
	Validate pgconn.ValidateConnectFunc
	ID       string // this process, for the name of its slot
	Sink     WALSink
	// Hook, unless nil, is called at PointAfterReceive: for tests that break the
	// server at a place. Its error ends the connection.
	Hook func(ctx context.Context, point string) error
	Log  *slog.Logger
}

// WALSink is what a WAL notifies. *Hub is one.
type WALSink interface {
	Sink
	// HintSeqs says which number the last event of each of these jobs has, which
	// a committed transaction has given it. The table may not show it yet.
	HintSeqs(last map[string]int64)
}

// WAL is the Source that reads the events from the server's write-ahead log, by
// logical replication of the publication kg_events. It needs wal_level = logical;
// see [CheckWAL].
//
// The events of a transaction are handed over together when it has committed, in
// the order of the commits. Claims and ends of jobs have no rows; a message in the
// log names their jobs and the events' numbers; the Sink then reads them. The slot is temporary:
// it is gone with the connection, and keeps nothing for a process that is gone.
// What was committed in between is found by the Sink, which is asked to reconcile
// everything once the stream has begun.
//
// The server decodes transactions one after the other, those of others too: after
// a huge one, events come late by as long as it takes, and the Sink's safety poll
// is quicker. An event may be notified a moment before its row can be read.
type WAL struct {
	cfg    WALConfig
	state  *state
	timing walTiming
}

// NewWAL returns a WAL; Run makes it read.
func NewWAL(cfg WALConfig) *WAL {
	return &WAL{cfg: cfg, state: newState("wal"), timing: walTiming{ask: walAskEvery, answer: walAnswerWithin, look: walLookEvery}}
}

// Run reads until ctx ends, connecting again after each failure. It returns nil.
func (w *WAL) Run(ctx context.Context) error {
	return reconnect(ctx, w.cfg.Log, w.state, w.serve)
}

// State says how well the events are heard. LagMS is how long the server took to
// answer the last request, or longer when a transaction before that answer was
// sent that long after its commit. LagBytes is what the server had read of its
// log by then and was not handed over; 0 unless a transaction was being sent.
func (w *WAL) State() work.EventSource { return w.state.snapshot() }

// serve follows one slot until the connection fails or ctx ends.
func (w *WAL) serve(ctx context.Context) error {
	conn, err := dialWAL(ctx, w.cfg.DSN, w.cfg.Validate)
	if err != nil {
		return err
	}
	defer closeWAL(ctx, conn)
	if err := checkWAL(ctx, conn); err != nil {
		return err
	}
	start, err := w.start(ctx, conn)
	if err != nil {
		return err
	}
	w.state.connected()
	w.cfg.Log.DebugContext(ctx, "reading the write-ahead log", "source", "wal", "from", start.String())
	// Only now: what commits from here on is in the stream, and what committed
	// before is in the table.
	w.cfg.Sink.Resync()
	s := &walStream{conn: conn, sink: w.cfg.Sink, hook: w.cfg.Hook, state: w.state, timing: w.timing, done: start}
	return w.whilePublished(ctx, s.run)
}

// start makes a temporary slot and has its stream begin. It returns the position
// from which on every commit is in the stream.
func (w *WAL) start(ctx context.Context, conn *pgconn.PgConn) (pglogrepl.LSN, error) {
	slot := walSlot(w.cfg.ID, conn.PID())
	slotCtx, cancel := context.WithTimeout(ctx, walSlotWithin)
	defer cancel()
	made, err := pglogrepl.CreateReplicationSlot(slotCtx, conn, slot, "pgoutput",
		pglogrepl.CreateReplicationSlotOptions{Temporary: true, SnapshotAction: "NOEXPORT_SNAPSHOT"})
	if errors.Is(err, context.DeadlineExceeded) {
		return 0, fmt.Errorf("make a replication slot: a transaction was open for longer than %s: %w", walSlotWithin, err)
	}
	if err != nil {
		return 0, fmt.Errorf("make a replication slot: %w", walProblem(err))
	}
	from, err := pglogrepl.ParseLSN(made.ConsistentPoint)
	if err != nil {
		return 0, fmt.Errorf("make a replication slot: its position %q: %w", made.ConsistentPoint, err)
	}
	startCtx, cancel := context.WithTimeout(ctx, walSetupWithin)
	defer cancel()
	err = pglogrepl.StartReplication(startCtx, conn, slot, from, pglogrepl.StartReplicationOptions{
		PluginArgs: []string{"proto_version '1'", "publication_names '" + walPublication + "'", "messages 'true'"},
	})
	if err != nil {
		return 0, fmt.Errorf("start the replication stream: %w", walProblem(err))
	}
	return from, nil
}

// walSlot names a slot. Slots share one namespace in a cluster of many databases
// and servers; the number of the backend that owns a temporary slot makes the
// name unique, and the process's id says whose it is.
func walSlot(id string, pid uint32) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, id)
	return fmt.Sprintf("kg_%.40s_%d", clean, pid)
}

// dialWAL opens a connection that speaks the replication protocol, to the
// primary when the address names several servers.
func dialWAL(ctx context.Context, dsn string, validate pgconn.ValidateConnectFunc) (*pgconn.PgConn, error) {
	conn, err := connectWAL(ctx, dsn, validate, map[string]string{
		"application_name": walApplication, "replication": "database", "wal_sender_timeout": fmt.Sprint(walServerGivesUp.Milliseconds()),
	})
	if err != nil {
		return nil, fmt.Errorf("open a replication connection: %w", walProblem(err))
	}
	return conn, nil
}

// connectWAL opens a connection to the primary, with parameters.
func connectWAL(ctx context.Context, dsn string, validate pgconn.ValidateConnectFunc, parameters map[string]string) (*pgconn.PgConn, error) {
	cc, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the database's address cannot be read") // its text may hold a password
	}
	cc.ConnectTimeout = connectTimeout
	cc.DialFunc = newDialer().DialContext
	cc.ValidateConnect = orWritable(validate)
	maps.Copy(cc.RuntimeParams, map[string]string{
		// Values come as text, which these settings shape.
		"client_encoding": "UTF8", "datestyle": "ISO", "timezone": "UTC",
		// Limits for statements must not end the wait for the slot.
		"statement_timeout": "0", "lock_timeout": "0",
	})
	maps.Copy(cc.RuntimeParams, parameters)
	return pgconn.ConnectConfig(ctx, &cc.Config)
}

// closeWAL ends a connection and waits, within limits, until nothing is left of
// it: the driver ends one that failed in the background.
func closeWAL(ctx context.Context, conn *pgconn.PgConn) {
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), walCloseWithin)
	defer cancel()
	_ = conn.Close(closeCtx) // what there is to say, the stream's error says
	select {
	case <-conn.CleanupDone():
	case <-closeCtx.Done():
	}
}
