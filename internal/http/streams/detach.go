package streams

import (
	"context"
	"fmt"
	"net"
	nethttp "net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/http"
)

// A stream spends its life waiting, and an HTTP/1.1 request that waits keeps
// some 25 kB: its buffers, its headers, and the deep stack of its goroutine. So
// once it has begun, a stream takes its connection over from net/http and leaves
// all of that behind. HTTP/2 shares its connection, and keeps its request.

// detach has rest go on without the request, and reports whether it does: with a
// context that ends when the client has gone. It returns an error when what was
// added could not be sent.
func (f *flow) detach(r *nethttp.Request, rest func(ctx context.Context)) (bool, error) {
	c, ok := http.ConnectionOf(r.Context())
	if !ok || r.ProtoMajor != 1 || r.ProtoMinor != 1 {
		return false, nil
	}
	if err := f.push(nil); err != nil {
		return false, err
	}
	out, err := f.out.takeOver()
	if err != nil {
		f.api.cfg.Log.DebugContext(r.Context(), "a stream keeps its request", "request", f.request, "err", err)
		return false, nil
	}
	c.Launch(func(base context.Context) { f.live(base, out, rest) })
	return true, nil
}

// live is the life of a stream without a request.
func (f *flow) live(base context.Context, out *chunkOutlet, rest func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(base)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	defer out.conn.Close()
	defer func() {
		if p := recover(); p != nil {
			f.api.cfg.Log.ErrorContext(ctx, "stream panicked", "request", f.request, "path", f.path, "err", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	reader.Go(func() { awaitEnd(out.conn, cancel) })
	rest(ctx)
	_ = out.finish(time.Second) // a client that has gone does not mind
}

// awaitEnd calls gone when the client has gone. A client that sends something,
// though it was sent what it asked for, is not listened to any further: that it
// has gone is then seen when something is written.
func awaitEnd(conn net.Conn, gone func()) {
	var b [1]byte
	if n, err := conn.Read(b[:]); n == 0 && err != nil {
		gone()
	}
}
