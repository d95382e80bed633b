package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

const (
	framesPerSecond = 1000
	busySeconds     = 10 // of more frames than that, after which the connection ends
)

// socket is the connection of a worker: one goroutine reads its frames and hands them on,
// one writes what waits in the outbox, and what is spawned runs beside them. It knows
// nothing of what frames mean. Apart from the outbox and the tasks, which have locks of
// their own, what changes is atomic or the reader's.
type socket struct {
	conn   *websocket.Conn
	large  *memory // of large messages, of all sockets
	log    *slog.Logger
	ctx    context.Context //nolint:containedctx // of the connection
	cancel context.CancelFunc
	opened time.Time

	out       *outbox
	tasks     tasks
	lastFrame atomic.Int64 // when, in Unix nanoseconds
	closing   atomic.Bool
	closed    chan struct{} // when closing: closed after the last frame
	rate      rate          // the reader's
}

// newSocket returns a socket that lives until ctx ends. Who makes it calls cancel.
func newSocket(ctx context.Context, conn *websocket.Conn, large *memory, log *slog.Logger) *socket {
	s := &socket{conn: conn, large: large, log: log, opened: time.Now(), out: newOutbox(), closed: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.heard()
	return s
}

// run hands frames on until the connection ends, and returns why it did when everything
// that it has spawned is over. handle calls free when it needs the frame no more.
func (s *socket) run(handle func(f wire.Frame, free func())) error {
	var writer sync.WaitGroup
	writer.Go(func() {
		if err := s.out.run(s.ctx, s.conn); err != nil {
			s.cancel()
			_ = s.conn.CloseNow()
		}
	})
	var err error
	for err == nil {
		err = s.next(handle)
	}
	if s.closing.Load() {
		<-s.closed // the peer hears why
	}
	s.cancel()
	s.out.close()
	writer.Wait()
	s.tasks.wait()
	return err
}

// next reads a frame and hands it on. It returns an error when the connection has ended,
// or ends for what was read.
func (s *socket) next(handle func(f wire.Frame, free func())) error {
	kind, r, err := s.conn.Reader(s.ctx)
	if err != nil {
		return err
	}
	message, free, err := s.message(r)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			s.end(websocket.StatusTryAgainLater, "too many large messages")
		}
		return err
	}
	handed := false
	defer func() {
		if !handed {
			free()
		}
	}()
	s.heard()
	if s.rate.exceeded(time.Now()) {
		s.end(websocket.StatusPolicyViolation, "too many frames")
		return errors.New("too many frames")
	}
	decode := wire.DecodeText
	if kind == websocket.MessageBinary {
		decode = wire.DecodeClientBinary
	}
	f, err := decode(message)
	if err != nil {
		s.end(websocket.StatusProtocolError, "not a frame")
		return err
	}
	handed = true
	handle(f, free)
	return nil
}

// message reads a message. Beyond largeMessage it counts against what all sockets may use
// together, until free is called.
func (s *socket) message(r io.Reader) (message []byte, free func(), err error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, largeMessage); errors.Is(err, io.EOF) {
		return b.Bytes(), func() {}, nil
	} else if err != nil {
		return nil, nil, err
	}
	waitCtx, cancel := context.WithTimeout(s.ctx, largeWait)
	defer cancel()
	if err := s.large.take(waitCtx, wire.MaxMessage); err != nil {
		return nil, nil, err
	}
	free = func() { s.large.give(wire.MaxMessage) }
	if _, err := io.Copy(&b, r); err != nil {
		free()
		return nil, nil, err
	}
	return b.Bytes(), free, nil
}

// send queues a frame. When there is no room the connection ends.
func (s *socket) send(f outFrame) bool {
	if s.out.put(f) {
		return true
	}
	if !s.closing.Load() {
		s.log.WarnContext(s.ctx, "remote worker does not read; the connection ends")
	}
	s.drop()
	return false
}

// sendText queues a frame of text.
func (s *socket) sendText(f wire.Frame) bool { return s.send(outFrame{data: wire.EncodeText(f)}) }

// spawn runs f beside the reader. The connection waits for it at its end.
func (s *socket) spawn(f func()) { s.tasks.run(f) }

// pause waits, unless the connection ends.
func (s *socket) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.ctx.Done():
	}
}

// over reports whether nothing more reaches the peer.
func (s *socket) over() bool { return s.ctx.Err() != nil || s.closing.Load() }

// end closes the connection with a code, which is never 1000. It does not wait.
func (s *socket) end(code websocket.StatusCode, reason string) {
	s.close(func() { _ = s.conn.Close(code, reason) })
}

// drop ends the connection without a word.
func (s *socket) drop() { s.close(func() {}) }

func (s *socket) close(farewell func()) {
	if s.closing.Swap(true) {
		return
	}
	s.spawn(func() {
		farewell()
		close(s.closed)
		s.cancel()
		_ = s.conn.CloseNow()
	})
}

// heard takes that the peer lives.
func (s *socket) heard() { s.lastFrame.Store(time.Now().UnixNano()) }

// silent returns for how long nothing was heard from the peer.
func (s *socket) silent() time.Duration { return time.Since(time.Unix(0, s.lastFrame.Load())) }

// ping asks a peer that has been silent whether it lives. It does not wait.
func (s *socket) ping() {
	s.spawn(func() {
		ctx, cancel := context.WithTimeout(s.ctx, wire.WriteTimeout)
		defer cancel()
		if s.conn.Ping(ctx) == nil {
			s.heard()
		}
	})
}
