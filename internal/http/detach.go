package http

import (
	"context"
	"fmt"
	"net"
	nethttp "net/http"
	"runtime/debug"
	"sync"
	"time"
)

// A stream spends its life waiting, and an HTTP/1.1 request that waits keeps
// some 25 kB: its buffers, its headers, and the deep stack of its goroutine. So
// once it has begun, a stream takes its connection over from net/http and leaves
// all of that behind. HTTP/2 shares its connection, and keeps its request.

// connection is what the context of a request of Run's server knows of its
// connection.
type connection struct {
	net.Conn
	// launch runs a stream that has left its request. Its context ends when a
	// stop cuts what is left, and the stop waits for it.
	launch func(stream func(ctx context.Context))
}

// connKey finds the connection of a request of Run's server.
type connKey struct{}

// detached counts the streams that have left their requests.
type detached struct {
	mu   sync.Mutex
	open int
	none chan struct{} // closed when open falls to 0; nil while nobody waits for that
}

// connContext gives a connection what it takes to launch a stream. base ends
// when a stop cuts what is left.
func (d *detached) connContext(base context.Context, c net.Conn) context.Context {
	return context.WithValue(base, connKey{}, connection{Conn: c, launch: func(stream func(context.Context)) {
		d.add(1)
		go func() {
			defer d.add(-1)
			stream(base)
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

// wait returns when no stream is left, or with ctx.
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

// detach has rest go on without the request, and reports whether it does: with a
// context that ends when the client has gone. It returns an error when what was
// added could not be sent.
func (f *flow) detach(r *nethttp.Request, rest func(ctx context.Context)) (bool, error) {
	c, ok := r.Context().Value(connKey{}).(connection)
	if !ok || r.ProtoMajor != 1 || r.ProtoMinor != 1 {
		return false, nil
	}
	if err := f.push(nil); err != nil {
		return false, err
	}
	out, err := f.out.takeOver()
	if err != nil {
		f.server.log.DebugContext(r.Context(), "a stream keeps its request", "request", f.request, "err", err)
		return false, nil
	}
	c.launch(func(base context.Context) { f.live(base, out, rest) })
	return true, nil
}

// live is the life of a stream without a request.
func (f *flow) live(base context.Context, out *chunkOutlet, rest func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(base)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	defer out.conn.Close() //nolint:errcheck // all that matters was written before
	defer func() {
		if p := recover(); p != nil {
			f.server.log.ErrorContext(ctx, "stream panicked", "request", f.request, "path", f.path, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	reader.Go(func() { awaitEnd(out.conn, cancel) })
	rest(ctx)
	_ = out.finish(time.Second) // a client that has gone does not mind
}

// awaitEnd calls gone when the client has gone. A client that sends something,
// though it was told what it asked for, is not listened to any further: that it
// has gone is then seen when something is written.
func awaitEnd(conn net.Conn, gone func()) {
	var b [1]byte
	if n, err := conn.Read(b[:]); n == 0 && err != nil {
		gone()
	}
}
