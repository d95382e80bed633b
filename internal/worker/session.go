package worker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

var (
	errTimeout   = errors.New("no answer in time")
	errClosed    = errors.New("the connection is lost")
	errEnough    = errors.New("nothing more is to be done on it")
	errRegrouped = errors.New("the slot groups have changed; connecting again with the new ones")
)

// line carries messages to a server and back. Its two methods may be called at once.
type line interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, message []byte) error
	// Close ends the line, in good order when that is possible at once.
	Close(ordered bool)
}

// session is one connection. Replies are matched by their refs, so one that belongs to
// an older connection reaches nobody.
type session struct {
	line   line
	log    *slog.Logger
	ctx    context.Context //nolint:containedctx // of the connection
	cancel context.CancelCauseFunc
	pushed func(event string, payload json.RawMessage)
	wake   chan struct{}

	mu      sync.Mutex // guards what follows
	ref     int64
	joinRef string // of worker:queue; "" when it is not joined
	calls   map[string]*call
	queue   [][]byte
}

// call is a message whose reply is awaited.
type call struct {
	timer *time.Timer
	done  func(response json.RawMessage, err error)
}

func newSession(ctx context.Context, l line, log *slog.Logger, pushed func(event string, payload json.RawMessage)) *session {
	s := &session{line: l, log: log, pushed: pushed, wake: make(chan struct{}, 1), calls: map[string]*call{}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// run reads and writes until the connection ends, and beats the heart of Phoenix.
func (s *session) run() {
	var all sync.WaitGroup
	for _, loop := range []func() error{s.read, s.write, s.heartbeats} {
		all.Go(func() { s.cancel(loop()) })
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		c.timer.Stop()
	}
	clear(s.calls)
}

// read handles what comes in.
func (s *session) read() error {
	for {
		message, err := s.line.Read(s.ctx)
		if err != nil {
			return err
		}
		f, err := wire.DecodeText(message)
		if err != nil {
			return err
		}
		s.handle(f)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
}

func (s *session) handle(f wire.Frame) {
	s.mu.Lock()
	joined := s.joinRef
	s.mu.Unlock()
	switch {
	case f.Event == wire.EventReply:
		s.answered(f)
	case f.Topic != wire.TopicQueue || f.JoinRef != "" && f.JoinRef != joined:
	case f.Event == wire.EventClose, f.Event == "phx_error":
		s.cancel(errors.New("the server closed the channel"))
	default:
		s.pushed(f.Event, f.Payload)
	}
}

// answered hands a reply to whoever awaits it.
func (s *session) answered(f wire.Frame) {
	c := s.take(f.Ref)
	if c == nil {
		return
	}
	var r wire.Reply
	switch err := json.Unmarshal(f.Payload, &r); {
	case err != nil:
		c.done(nil, err)
	case r.Status == wire.StatusOK:
		c.done(r.Response, nil)
	default:
		c.done(nil, replyError(r.Response))
	}
}

// replyError reads an error reply. One of a kind that is not known is retryable.
func replyError(response json.RawMessage) *wire.Error {
	e := &wire.Error{}
	if json.Unmarshal(response, e) != nil || e.Kind != wire.KindTerminal && e.Kind != wire.KindFatal {
		e.Kind = wire.KindRetryable
	}
	if e.Code == "" {
		e.Code, e.Message = "unknown", string(response)
	}
	return e
}

// take returns the call of a ref, once.
func (s *session) take(ref string) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[ref]
	if c != nil {
		c.timer.Stop()
		delete(s.calls, ref)
	}
	return c
}

// write sends what is queued.
func (s *session) write() error {
	for {
		s.mu.Lock()
		queue := s.queue
		s.queue = nil
		s.mu.Unlock()
		for _, message := range queue {
			ctx, cancel := context.WithTimeout(s.ctx, wire.WriteTimeout)
			err := s.line.Write(ctx, message)
			cancel()
			if err != nil {
				return err
			}
		}
		if len(queue) > 0 {
			continue
		}
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-s.wake:
		}
	}
}

// heartbeats ends the connection when the server does not answer.
func (s *session) heartbeats() error {
	tick := time.NewTicker(wire.WorkerHeartbeat)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-tick.C:
		}
		if _, err := s.callOn(wire.TopicPhoenix, wire.EventHeartbeat, struct{}{}, wire.ReplyTimeout); errors.Is(err, errTimeout) {
			return errors.New("the server does not answer")
		}
	}
}

// send queues an event on worker:queue. done gets the response, an error reply or
// errTimeout, from another goroutine; it is not called when the connection ends.
func (s *session) send(event string, payload any, wait time.Duration, done func(response json.RawMessage, err error)) {
	s.sendOn(wire.TopicQueue, event, payload, wait, done)
}

func (s *session) sendOn(topic, event string, payload any, wait time.Duration, done func(response json.RawMessage, err error)) {
	text, err := json.Marshal(payload)
	if err != nil {
		s.log.Error("an event cannot be written", "event", event, "err", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	s.ref++
	ref := strconv.FormatInt(s.ref, 10)
	f := wire.Frame{Ref: ref, Topic: topic, Event: event, Payload: text}
	if event == wire.EventJoin {
		s.joinRef = ref
	}
	if topic == wire.TopicQueue {
		f.JoinRef = s.joinRef
	}
	if event == wire.EventLeave {
		s.joinRef = "" // that the channel closes is no surprise
	}
	s.calls[ref] = &call{done: done, timer: time.AfterFunc(wait, func() {
		if c := s.take(ref); c != nil {
			c.done(nil, errTimeout)
		}
	})}
	s.queue = append(s.queue, wire.EncodeText(f))
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// call sends an event on worker:queue, and waits for the answer. The error is an error
// reply, errTimeout or errClosed.
func (s *session) call(event string, payload any, wait time.Duration) (json.RawMessage, error) {
	return s.callOn(wire.TopicQueue, event, payload, wait)
}

func (s *session) callOn(topic, event string, payload any, wait time.Duration) (json.RawMessage, error) {
	type answer struct {
		response json.RawMessage
		err      error
	}
	got := make(chan answer, 1)
	s.sendOn(topic, event, payload, wait, func(response json.RawMessage, err error) { got <- answer{response, err} })
	select {
	case a := <-got:
		return a.response, a.err
	case <-s.ctx.Done():
		return nil, errClosed
	}
}
