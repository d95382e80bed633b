package notify

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// link is the way from one server to the database or to NATS, which a test can
// break.
type link struct {
	addr            string // where it is reached, by TCP
	network, target string // where it leads
	listener        net.Listener
	running         sync.WaitGroup
	busy            sync.Mutex // held by the fault that uses it

	mu    sync.Mutex // guards what follows
	gate  chan struct{}
	away  bool
	conns map[net.Conn]struct{}
}

// newLink opens a way that ends with the test.
func newLink(t testing.TB, network, target string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan struct{})
	close(open)
	l := &link{
		addr: listener.Addr().String(), network: network, target: target, listener: listener,
		gate: open, conns: map[net.Conn]struct{}{},
	}
	l.running.Go(l.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		l.refuse(true)
		l.release()
		l.running.Wait()
	})
	return l
}

func (l *link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.running.Go(func() { l.serve(client) })
	}
}

func (l *link) serve(client net.Conn) {
	if !l.keep(client) {
		abort(client)
		return
	}
	server, err := net.DialTimeout(l.network, l.target, time.Second)
	if err != nil {
		abort(client)
		return
	}
	if !l.keep(server) {
		abort(client, server)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { l.forward(server, client) })
	l.forward(client, server)
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, client)
	delete(l.conns, server)
}

// keep records a connection, and reports whether it is wanted.
func (l *link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.away {
		l.conns[c] = struct{}{}
	}
	return !l.away
}

// forward copies from one end to the other until one is closed. While the link
// is held not even the end of a connection gets through.
func (l *link) forward(to io.WriteCloser, from io.ReadCloser) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		l.pass()
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// pass waits until the link is not held.
func (l *link) pass() {
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	<-gate
}

// hold has nothing get through any more, without an error.
func (l *link) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gate = make(chan struct{})
}

// release ends hold: what was under way goes on, as after a lost packet that was
// sent again.
func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.gate:
	default:
		close(l.gate)
	}
}

// reset cuts all connections, so that both ends hear of it at once. What was
// under way is lost.
func (l *link) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		abort(c)
	}
	clear(l.conns)
}

// refuse has new connections cut as well, or no longer.
func (l *link) refuse(yes bool) {
	l.mu.Lock()
	l.away = yes
	l.mu.Unlock()
	if yes {
		l.reset()
	}
}

// abort closes connections with RST where there is such a thing.
func abort(conns ...net.Conn) {
	for _, c := range conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
}
