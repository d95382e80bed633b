package remote

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// The limits of what waits for a socket.
const (
	outboxFrames = 1024
	outboxBytes  = 64 << 20
)

// outbox is what waits to be sent. Who puts something in never waits; when it is full
// the connection ends.
type outbox struct {
	mu     sync.Mutex
	frames []outFrame
	bytes  int
	closed bool
	wake   chan struct{} // of capacity 1
}

type outFrame struct {
	data   []byte
	binary bool
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put adds a frame. It reports false when there is no room, or the outbox is closed.
func (o *outbox) put(f outFrame) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || len(o.frames) >= outboxFrames || o.bytes+len(f.data) > outboxBytes {
		return false
	}
	o.frames, o.bytes = append(o.frames, f), o.bytes+len(f.data)
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return true
}

func (o *outbox) take() (outFrame, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.frames) == 0 {
		o.frames = nil
		return outFrame{}, false
	}
	f := o.frames[0]
	o.frames[0] = outFrame{}
	o.frames, o.bytes = o.frames[1:], o.bytes-len(f.data)
	return f, true
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// run sends what is put in, until ctx ends or a frame cannot be sent in time.
func (o *outbox) run(ctx context.Context, conn *websocket.Conn) error {
	for {
		for {
			f, ok := o.take()
			if !ok {
				break
			}
			kind := websocket.MessageText
			if f.binary {
				kind = websocket.MessageBinary
			}
			writeCtx, cancel := context.WithTimeout(ctx, wire.WriteTimeout)
			err := conn.Write(writeCtx, kind, f.data)
			cancel()
			if err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.wake:
		}
	}
}

// flushed waits until nothing waits to be sent, for at most so long.
func (o *outbox) flushed(most time.Duration) {
	deadline := time.Now().Add(most)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for time.Now().Before(deadline) {
		o.mu.Lock()
		empty := len(o.frames) == 0
		o.mu.Unlock()
		if empty {
			return
		}
		<-tick.C
	}
}
