package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// mode is what a proxy does to the connections of a role.
type mode int

const (
	pass   mode = iota
	slow        // each piece of data waits slowBy
	hole        // nothing arrives, not even the end of a connection, until the mode changes
	refuse      // connections are cut, and new ones too
	lose        // the server gets what is sent, and its next answer is dropped with the connection
)

const (
	slowBy      = 15 * time.Millisecond
	everyRole   = "*"
	dialTimeout = 2 * time.Second
)

// proxy stands between one server and PostgreSQL, on unix sockets. It tells
// connections apart by the application name in their first message, so that a
// fault can be aimed at one role.
type proxy struct {
	dir    string        // where it listens, as PostgreSQL would
	target func() string // the socket of PostgreSQL now
	log    *slog.Logger

	mu      sync.Mutex // guards what follows
	modes   map[string]mode
	changed chan struct{} // closed and replaced when a mode changes
	links   map[*link]struct{}
}

func newProxy(dir string, target func() string, log *slog.Logger) *proxy {
	return &proxy{
		dir: dir, target: target, log: log,
		modes: map[string]mode{}, changed: make(chan struct{}), links: map[*link]struct{}{},
	}
}

// dsn is how pgx reaches a database through the proxy.
func (p *proxy) dsn(user, database string) string {
	return fmt.Sprintf("host=%s port=5432 user=%s dbname=%s sslmode=disable", p.dir, user, database)
}

// listen opens the socket; connections wait until run serves them.
func (p *proxy) listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
}

// run serves connections until ctx ends and the last of them is closed.
func (p *proxy) run(ctx context.Context, listener net.Listener) {
	var links sync.WaitGroup
	defer links.Wait()
	stop := context.AfterFunc(ctx, func() {
		_ = listener.Close() // ends Accept
		p.cut(everyRole)
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

// set changes what happens to the connections of a role from now on.
func (p *proxy) set(role string, m mode) {
	p.mu.Lock()
	p.modes[role] = m
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	if m == refuse {
		p.cut(role)
	}
}

// cut closes the connections of a role at once, and returns how many.
func (p *proxy) cut(role string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for l := range p.links {
		if role == everyRole || l.role == role {
			l.closeBoth()
			n++
		}
	}
	return n
}

// modeOf returns the mode of a role, waiting for the end of a hole, of the
// connection or of ctx.
func (p *proxy) modeOf(ctx context.Context, role string, closed <-chan struct{}) mode {
	for {
		p.mu.Lock()
		m, changed := max(p.modes[role], p.modes[everyRole]), p.changed
		p.mu.Unlock()
		if m != hole {
			return m
		}
		select {
		case <-changed:
		case <-closed:
			return refuse
		case <-ctx.Done():
			return refuse
		}
	}
}

// serve passes one connection on.
func (p *proxy) serve(ctx context.Context, client net.Conn) error {
	l := &link{proxy: p, client: client, closed: make(chan struct{})}
	defer l.closeBoth()
	stop := context.AfterFunc(ctx, l.closeBoth)
	defer stop()
	first, err := readStartup(client)
	if err != nil {
		return err
	}
	l.role = roleOf(first)
	if p.modeOf(ctx, l.role, l.closed) == refuse {
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
