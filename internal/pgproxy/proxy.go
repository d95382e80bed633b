package pgproxy

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// Mode is what a proxy does to the connections of a role.
type Mode int

// The modes.
const (
	Pass   Mode = iota
	Slow        // each piece of data waits a moment
	Hole        // nothing arrives, not even the end of a connection, until the mode changes
	Refuse      // connections are cut, and new ones too
	Lose        // the server gets what is sent, and its next answer is dropped with the connection
)

// EveryRole stands for the connections of all roles.
const EveryRole = "*"

const (
	slowBy      = 15 * time.Millisecond
	dialTimeout = 2 * time.Second
)

// Proxy stands between one server and PostgreSQL, on unix sockets. It tells
// connections apart by the application name in their first message, so that a
// fault can be aimed at one role.
type Proxy struct {
	dir    string        // where it listens, as PostgreSQL would
	target func() string // the socket of PostgreSQL now
	log    *slog.Logger

	mu      sync.Mutex // guards what follows
	modes   map[string]Mode
	changed chan struct{} // closed and replaced when a mode changes
	links   map[*link]struct{}
}

// New returns a Proxy that listens in dir, whose path must be short enough for a
// socket, and passes on to the socket that target names at each connection. Run
// makes it serve.
func New(dir string, target func() string, log *slog.Logger) *Proxy {
	return &Proxy{
		dir: dir, target: target, log: log,
		modes: map[string]Mode{}, changed: make(chan struct{}), links: map[*link]struct{}{},
	}
}

// DSN is how pgx reaches through the proxy what dsn names, which is of words such
// as user=name.
func (p *Proxy) DSN(dsn string) string { return fmt.Sprintf("%s host=%s port=5432", dsn, p.dir) }

// Listen opens the socket; connections wait until run serves them.
func (p *Proxy) Listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
}

// Run serves connections until ctx ends and the last of them is closed.
func (p *Proxy) Run(ctx context.Context, listener net.Listener) {
	var links sync.WaitGroup
	defer links.Wait()
	stop := context.AfterFunc(ctx, func() {
		_ = listener.Close() // ends Accept
		p.Cut(EveryRole)
	})
	defer stop()
	for {
		client, err := listener.Accept()
		if err != nil {
			return // the listener is closed
		}
		links.Go(func() {
			if err := p.serve(ctx, client); err != nil {
				p.log.DebugContext(ctx, "connection ended", "err", err)
			}
		})
	}
}

// Set changes what happens to the connections of a role from now on.
func (p *Proxy) Set(role string, m Mode) {
	p.mu.Lock()
	p.modes[role] = m
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	if m == Refuse {
		p.Cut(role)
	}
}

// Cut closes the connections of a role at once, and returns how many.
func (p *Proxy) Cut(role string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for l := range p.links {
		if role == EveryRole || l.role == role {
			l.closeBoth()
			n++
		}
	}
	return n
}

// modeOf returns the mode of a role, waiting for the end of a hole, of the
// connection or of ctx.
func (p *Proxy) modeOf(ctx context.Context, role string, closed <-chan struct{}) Mode {
	for {
		p.mu.Lock()
		m, changed := max(p.modes[role], p.modes[EveryRole]), p.changed
		p.mu.Unlock()
		if m != Hole {
			return m
		}
		select {
		case <-changed:
		case <-closed:
			return Refuse
		case <-ctx.Done():
			return Refuse
		}
	}
}

// serve passes one connection on.
func (p *Proxy) serve(ctx context.Context, client net.Conn) error {
	l := &link{proxy: p, client: client, closed: make(chan struct{})}
	defer l.closeBoth()
	stop := context.AfterFunc(ctx, l.closeBoth)
	defer stop()
	first, err := readStartup(client)
	if err != nil {
		return err
	}
	l.role = roleOf(first)
	if p.modeOf(ctx, l.role, l.closed) == Refuse {
		return nil
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	server, err := dialer.DialContext(ctx, "unix", p.target())
	if err != nil {
		return err
	}
	if !l.connect(server) {
		return nil
	}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	if _, err := server.Write(first); err != nil {
		return err
	}
	l.forward(ctx)
	return nil
}
