package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The channels. Payloads carry names and ids only.
const (
	ChannelLanes  = "kg_lanes"  // payload: the lane to wake
	ChannelCancel = "kg_cancel" // payload: the job to stop
	ChannelEvents = "kg_events" // payload: who tells, and the jobs with new events; see Notifier
	channelProbe  = "kg_probe"
)

const (
	probeEvery     = 5 * time.Second
	probeDeadline  = 3 * time.Second // for the answer to a probe
	connectTimeout = 5 * time.Second
	reconnectFirst = 100 * time.Millisecond
	reconnectMost  = 5 * time.Second
)

// ListenConfig says where to listen and whom to tell.
type ListenConfig struct {
	DSN    string
	ID     string // this process, for the notification to itself
	Handle map[string]func(payload string)
	// Resync is called after each connect: messages may have been lost before.
	Resync func()
	Log    *slog.Logger
}

// Listener receives notifications on one connection that does nothing else.
// Handlers are called from its goroutine and must not block.
type Listener struct {
	cfg        ListenConfig
	connected  atomic.Bool
	reconnects atomic.Int64
}

// NewListener returns a Listener; Run makes it listen.
func NewListener(cfg ListenConfig) *Listener { return &Listener{cfg: cfg} }

// Connected reports whether notifications arrive at present.
func (l *Listener) Connected() bool { return l.connected.Load() }

// Reconnects returns how often the connection was lost.
func (l *Listener) Reconnects() int64 { return l.reconnects.Load() }

// Run listens until ctx ends, connecting again after each failure: at once at
// first, then with growing pauses up to 5 s. It returns nil.
func (l *Listener) Run(ctx context.Context) error {
	wait := reconnectFirst
	for {
		started := time.Now()
		err := l.listen(ctx)
		l.connected.Store(false)
		if ctx.Err() != nil {
			return nil
		}
		l.reconnects.Add(1)
		if time.Since(started) > reconnectMost {
			wait = reconnectFirst
		}
		l.cfg.Log.WarnContext(ctx, "notifications interrupted; lanes poll meanwhile", "err", err, "retry_in", wait)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait/2 + rand.N(wait)):
		}
		wait = min(2*wait, reconnectMost)
	}
}

// listen serves one connection until it fails or ctx ends.
func (l *Listener) listen(ctx context.Context) error {
	conn, err := l.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closeCtx)
	}()
	l.connected.Store(true)
	l.cfg.Resync()
	return l.receive(ctx, conn)
}

func (l *Listener) connect(ctx context.Context) (*pgx.Conn, error) {
	cc, err := pgx.ParseConfig(l.cfg.DSN)
	if err != nil {
		return nil, fmt.Errorf("read the database address: %w", err)
	}
	cc.ConnectTimeout = connectTimeout
	cc.RuntimeParams["application_name"] = "kg-listen"
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	channels := []string{channelProbe}
	for channel := range l.cfg.Handle {
		channels = append(channels, channel)
	}
	for _, channel := range channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return nil, errors.Join(fmt.Errorf("listen on %s: %w", channel, err), conn.Close(ctx))
		}
	}
	return conn, nil
}

// receive reads notifications. After 5 s it sends one to itself, and gives the
// connection up when that does not come back: a dead socket says nothing.
func (l *Listener) receive(ctx context.Context, conn *pgx.Conn) error {
	probing := false
	limit := time.Now().Add(probeEvery)
	for {
		waitCtx, cancel := context.WithDeadline(ctx, limit)
		n, err := conn.WaitForNotification(waitCtx)
		expired := waitCtx.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && n.Channel == channelProbe:
			if n.Payload == l.cfg.ID {
				probing, limit = false, time.Now().Add(probeEvery)
			}
		case err == nil:
			l.dispatch(n)
		case !expired:
			return fmt.Errorf("wait for notifications: %w", err)
		case probing:
			return fmt.Errorf("a notification to itself did not arrive within %s", probeDeadline)
		default:
			probing, limit = true, time.Now().Add(probeDeadline)
			if err := l.probe(ctx, conn, limit); err != nil {
				return err
			}
		}
	}
}

func (l *Listener) probe(ctx context.Context, conn *pgx.Conn, limit time.Time) error {
	probeCtx, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	if _, err := conn.Exec(probeCtx, "SELECT pg_notify($1, $2)", channelProbe, l.cfg.ID); err != nil {
		return fmt.Errorf("send a notification to itself: %w", err)
	}
	return nil
}

func (l *Listener) dispatch(n *pgconn.Notification) {
	if handle := l.cfg.Handle[n.Channel]; handle != nil {
		handle(n.Payload)
	}
}
