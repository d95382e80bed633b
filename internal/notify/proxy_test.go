package notify

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// What a proxy does with what it is given.
const (
	proxyPasses     int32 = iota
	proxyBlackholes       // swallows what comes, and stays connected
	proxyIsAway           // refuses connections; those there were are cut
	proxyMutes            // loses notifications, if it passes messages
)

// proxy stands between a source and the database, reached by TCP.
type proxy struct {
	DSN    string
	target string // how the database is reached without it

	t             testing.TB
	listener      net.Listener
	network, addr string
	mode          atomic.Int32
	running       sync.WaitGroup

	mu    sync.Mutex // guards conns
	conns map[net.Conn]struct{}
}

// newProxy starts a proxy that serve handles the connections of; nil passes them
// on. It ends with the test.
func newProxy(t testing.TB, dsn string, serve func(p *proxy, client net.Conn)) *proxy {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if serve == nil {
		serve = (*proxy).pass
	}
	p := &proxy{target: dsn, t: t, listener: listener, conns: map[net.Conn]struct{}{}}
	p.network, p.addr = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	p.DSN = fmt.Sprintf("%s host=127.0.0.1 port=%d", dsn, listener.Addr().(*net.TCPAddr).Port)
	p.running.Go(func() { p.accept(serve) })
	t.Cleanup(func() {
		p.listener.Close()
		p.cut()
		p.running.Wait()
	})
	return p
}

// set changes the mode.
func (p *proxy) set(mode int32) {
	p.mode.Store(mode)
	if mode == proxyIsAway {
		p.cut()
	}
}

func (p *proxy) accept(serve func(p *proxy, client net.Conn)) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.keep(client)
		if p.mode.Load() == proxyIsAway {
			client.Close()
			continue
		}
		p.running.Go(func() {
			defer client.Close()
			serve(p, client)
		})
	}
}

// dial connects to the database.
func (p *proxy) dial() (net.Conn, error) {
	server, err := net.Dial(p.network, p.addr)
	if err == nil {
		p.keep(server)
	}
	return server, err
}

func (p *proxy) pass(client net.Conn) {
	server, err := p.dial()
	if err != nil {
		return
	}
	p.running.Go(func() { p.forward(client, server) })
	p.forward(server, client)
}

// forward copies from one end to the other until one is closed.
func (p *proxy) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 8192)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if p.mode.Load() == proxyBlackholes {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// passMessages is pass for tests that want to lose single messages.
func (p *proxy) passMessages(client net.Conn) {
	server, err := p.dial()
	if err != nil {
		return
	}
	p.running.Go(func() { p.forward(server, client) })
	defer server.Close()
	for {
		message, err := readMessage(server)
		if err != nil {
			return
		}
		if message[0] == 'A' && p.mode.Load() == proxyMutes {
			continue
		}
		if _, err := client.Write(message); err != nil {
			return
		}
	}
}

func (p *proxy) keep(c io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c.(net.Conn)] = struct{}{}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}
