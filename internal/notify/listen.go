package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/work"
)

// The channels. Payloads carry names and ids only.
const (
	ChannelLanes  = "kg_lanes"  // payload: the lane to wake
	ChannelCancel = "kg_cancel" // payload: the job to stop
	ChannelEvents = "kg_events" // payload: the sender, and the jobs with new events; see Notifier
	channelProbe  = "kg_probe_" // with the process's id
)

const (
	probeEvery    = 5 * time.Second
	probesAnEcho  = 4               // every so many probes one is a notification to itself, which costs every listener a transaction
	probeDeadline = 3 * time.Second // for the answer to a probe
	closeTimeout  = time.Second
)

// ListenConfig says where to listen and whom to notify.
type ListenConfig struct {
	DSN string
	ID  string // this process, for the notification to itself
	// Validate accepts the primary among the servers that DSN names; nil accepts
	// one that takes writes.
	Validate pgconn.ValidateConnectFunc
	// Handle says what to do with the notifications of a channel; the channels in
	// it are those that are listened to.
	Handle map[string]func(payload string)
	// Resync is called after each connect: messages may have been lost before.
	Resync func()
	// Hook, unless nil, is called at PointBeforeListen and PointAfterListen: for
	// tests that break the server at a place. Its error ends the connection.
	Hook func(ctx context.Context, point string) error
	Log  *slog.Logger
}

// Listener receives notifications on one connection that does nothing else. It
// is a Source, named listen. Handlers are called from its goroutine and must not
// block.
type Listener struct {
	cfg      ListenConfig
	state    *state
	every    time.Duration // between notifications to itself
	deadline time.Duration // for each of them
}

// NewListener returns a Listener; Run makes it listen.
func NewListener(cfg ListenConfig) *Listener {
	return &Listener{cfg: cfg, state: newState("listen"), every: probeEvery, deadline: probeDeadline}
}

// State implements Source. The lag is that of the last notification to itself.
func (l *Listener) State() work.EventSource { return l.state.snapshot() }

// Connected reports whether notifications arrive at present.
func (l *Listener) Connected() bool { return l.state.snapshot().Connected }

// Reconnects returns how often the connection was lost.
func (l *Listener) Reconnects() int64 { return l.state.snapshot().Reconnects }

// Run implements Source. It gives a connection up that does not answer within 3 s,
// tried every 5 s, or does not bring back a notification to itself, tried every
// 20 s. It refuses one through which notifications would get lost, such as that of a
// transaction pooler.
func (l *Listener) Run(ctx context.Context) error {
	return reconnect(ctx, l.cfg.Log, l.state, l.listen)
}

// listen serves one connection until it fails or ctx ends.
func (l *Listener) listen(ctx context.Context) error {
	cc, err := pgx.ParseConfig(l.cfg.DSN)
	if err != nil {
		return errors.New("the database's address cannot be read") // its text may hold a password
	}
	cc.ConnectTimeout = connectTimeout
	cc.DialFunc = newDialer().DialContext
	cc.ValidateConnect = orWritable(l.cfg.Validate)
	cc.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // a pooler could lose a prepared statement
	cc.RuntimeParams["application_name"] = "kg-listen"
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer closeConn(ctx, conn)
	took, err := l.prepare(ctx, conn)
	if err != nil {
		return err
	}
	l.state.connected()
	l.state.lag(took)
	l.cfg.Log.DebugContext(ctx, "listening for notifications", "source", "listen")
	l.cfg.Resync()
	return l.receive(ctx, conn)
}

func closeConn(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	_ = conn.Close(ctx) // it may be dead already
}

// serverTimeouts have the server notice that we are gone; see newDialer.
const serverTimeouts = `SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
	set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '10000', false)`

// prepare listens to the channels and tests the connection. It returns how long
// a notification to itself took.
func (l *Listener) prepare(ctx context.Context, conn *pgx.Conn) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if _, err := conn.Exec(ctx, serverTimeouts); err != nil {
		return 0, fmt.Errorf("set the timeouts of the connection: %w", err)
	}
	if err := reach(ctx, l.cfg.Hook, PointBeforeListen); err != nil {
		return 0, err
	}
	channels := []string{l.probeChannel()}
	for channel := range l.cfg.Handle {
		channels = append(channels, channel)
	}
	for _, channel := range channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return 0, fmt.Errorf("listen on %s: %w", channel, err)
		}
	}
	if err := reach(ctx, l.cfg.Hook, PointAfterListen); err != nil {
		return 0, err
	}
	return l.selfTest(ctx, conn)
}

func (l *Listener) probeChannel() string { return channelProbe + l.cfg.ID }

// receive reads notifications. Every 5 s it asks whether the server answers, and every
// fourth time by a notification to itself; it gives the connection up when no answer
// comes: a dead socket says nothing.
func (l *Listener) receive(ctx context.Context, conn *pgx.Conn) error {
	var sent time.Time // of a probe that is under way
	limit := time.Now().Add(l.every)
	for probes := 1; ; {
		waitCtx, cancel := context.WithDeadline(ctx, limit)
		n, err := conn.WaitForNotification(waitCtx)
		expired := waitCtx.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && n.Channel == l.probeChannel():
			if !sent.IsZero() {
				l.state.lag(time.Since(sent))
				sent, limit = time.Time{}, time.Now().Add(l.every)
			}
		case err == nil:
			if handle := l.cfg.Handle[n.Channel]; handle != nil {
				handle(n.Payload)
			}
		case !expired:
			return fmt.Errorf("wait for notifications: %w", err)
		case !sent.IsZero():
			return fmt.Errorf("a notification to itself did not arrive within %s", l.deadline)
		case probes%probesAnEcho != 0:
			probes++
			if err := l.answers(ctx, conn); err != nil {
				return err
			}
			limit = time.Now().Add(l.every)
		default:
			probes++
			sent = time.Now()
			limit = sent.Add(l.deadline)
			if err := l.probe(ctx, conn, limit); err != nil {
				return err
			}
		}
	}
}

// answers waits until the server answers, without a transaction.
func (l *Listener) answers(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, l.deadline)
	defer cancel()
	p := conn.PgConn().StartPipeline(ctx)
	if err := errors.Join(p.Sync(), p.Close()); err != nil {
		return fmt.Errorf("ask whether the server answers, for %s: %w", l.deadline, err)
	}
	return nil
}

// probe sends a notification to itself through conn.
func (l *Listener) probe(ctx context.Context, conn *pgx.Conn, limit time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	if _, err := conn.Exec(ctx, "SELECT pg_notify($1, $2)", l.probeChannel(), ""); err != nil {
		return fmt.Errorf("send a notification to itself: %w", err)
	}
	return nil
}
