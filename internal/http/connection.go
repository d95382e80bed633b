package http

import (
	"context"
	"net"
	"sync"
)

// Connection is that of a request of Run's server. A route whose answer takes long
// may take it over from net/http, and go on without its request.
type Connection struct {
	net.Conn
	// Launch runs what has left its request. Its context ends when a stop cuts what
	// is left, and the stop waits for it.
	Launch func(rest func(ctx context.Context))
}

// connKey finds the Connection of a request of Run's server.
type connKey struct{}

// ConnectionOf returns the connection of the request that ctx belongs to. Outside
// Server.Run there is none.
func ConnectionOf(ctx context.Context) (Connection, bool) {
	c, ok := ctx.Value(connKey{}).(Connection)
	return c, ok
}

// detached counts what has left its request.
type detached struct {
	mu   sync.Mutex
	open int
	none chan struct{} // closed when open falls to 0; nil while nobody waits for that
}

// connContext gives a connection what it takes to launch something. base ends
// when a stop cuts what is left.
func (d *detached) connContext(base context.Context, c net.Conn) context.Context {
	return context.WithValue(base, connKey{}, Connection{Conn: c, Launch: func(rest func(context.Context)) {
		d.add(1)
		go func() {
			defer d.add(-1)
			rest(base)
		}()
	}})
}

func (d *detached) add(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open += n
	if d.open == 0 && d.none != nil {
		close(d.none)
		d.none = nil
	}
}

// wait returns when nothing is left, or with ctx.
func (d *detached) wait(ctx context.Context) {
	d.mu.Lock()
	if d.open == 0 {
		d.mu.Unlock()
		return
	}
	if d.none == nil {
		d.none = make(chan struct{})
	}
	none := d.none
	d.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}
