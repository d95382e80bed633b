package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const (
	framesPerSecond = 1000
	busySeconds     = 10 // of more frames than that, after which the connection ends
)

// session is one connection of a worker.
type session struct {
	srv *Server
	work.RemoteConnection
	hello     hello
	known     bool // the worker was connected before
	expired   bool // the worker names an id that is over
	contested bool // two processes share the identity
	conn      *websocket.Conn
	out       *outbox
	log       *slog.Logger
	ctx       context.Context //nolint:containedctx // of the connection
	cancel    context.CancelFunc
	tasks     tasks
	opened    time.Time
	lastFrame atomic.Int64 // when, in Unix nanoseconds
	rate      rate
	regrouped atomic.Bool // the worker was told of other slot groups, and comes back with them
	closing   atomic.Bool
	closed    chan struct{} // when closing: closed after the last frame

	mu       sync.Mutex // guards what follows
	joinRef  string     // of worker:queue; "" when it is not joined
	ever     bool       // it was joined
	profile  string     // wire.Profile or ""
	name     string
	types    []string
	groups   []group
	capacity int
	lease    time.Duration
	orders   work.RemoteOrders // what an operator wants
	leaving  bool              // the worker says so
	pending  int               // demand of claims that are not answered
	runs     map[string]*run
	channels map[string]*channel // of runs, compatible profile
	claims   map[string][]wire.Run
	guard    guard
	done     work.RemoteSeen // counts since the last time
}

// group is a slot group as this server knows it.
type group struct {
	work.RemoteGroup
	queues  []string // that are named
	others  bool
	pending int
}

func newSession(s *Server, conn *websocket.Conn, h hello, opened work.RemoteOpened) *session {
	c := opened.RemoteConnection
	if c.WorkerID == "" {
		c.WorkerID = h.WorkerID
	}
	n := &session{
		srv: s, RemoteConnection: c, hello: h, known: opened.Known, conn: conn, out: newOutbox(), closed: make(chan struct{}), orders: opened.Orders,
		log:    s.cfg.Log.With("worker", c.WorkerID, "generation", c.Generation),
		opened: time.Now(), name: h.Name, lease: wire.Lease, runs: map[string]*run{}, channels: map[string]*channel{}, claims: map[string][]wire.Run{},
	}
	if !h.extended { // one of the extended profile says its name when it joins
		n.log = n.log.With("name", h.Name)
	}
	n.lastFrame.Store(time.Now().UnixNano())
	return n
}

// read handles frames until the connection ends. It returns why it did.
func (n *session) read() error {
	for {
		kind, r, err := n.conn.Reader(n.ctx)
		if err != nil {
			return err
		}
		message, large, err := n.message(r)
		if err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				n.end(websocket.StatusTryAgainLater, "too many large messages")
			}
			return err
		}
		n.lastFrame.Store(time.Now().UnixNano())
		if n.rate.exceeded(time.Now()) {
			n.srv.large.give(large)
			n.end(websocket.StatusPolicyViolation, "too many frames")
			return errors.New("too many frames")
		}
		var f wire.Frame
		if kind == websocket.MessageBinary {
			f, err = wire.DecodeClientBinary(message)
		} else {
			f, err = wire.DecodeText(message)
		}
		if err != nil {
			n.srv.large.give(large)
			n.end(websocket.StatusProtocolError, "not a frame")
			return err
		}
		n.handle(f, func() { n.srv.large.give(large) })
	}
}

// message reads a message. Beyond largeMessage it counts against what all sockets may
// use together; large is what is to be given back.
func (n *session) message(r io.Reader) (message []byte, large int64, err error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, largeMessage); errors.Is(err, io.EOF) {
		return b.Bytes(), 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	waitCtx, cancel := context.WithTimeout(n.ctx, largeWait)
	defer cancel()
	if err := n.srv.large.take(waitCtx, wire.MaxMessage); err != nil {
		return nil, 0, err
	}
	if _, err := io.Copy(&b, r); err != nil {
		n.srv.large.give(wire.MaxMessage)
		return nil, 0, err
	}
	return b.Bytes(), wire.MaxMessage, nil
}

// handle handles one frame. free gives its memory back.
func (n *session) handle(f wire.Frame, free func()) {
	started := time.Now()
	async := false
	defer func() {
		if v := recover(); v != nil {
			n.panicked(f, v)
		}
		if !async {
			free()
		}
		n.srv.metrics.reply(f.Event, time.Since(started))
	}()
	jobID, isRun := wire.RunOf(f.Topic)
	switch {
	case len(f.Topic) > wire.MaxTopic || len(f.Event) > wire.MaxEvent:
		n.refuse(f, "unmatched topic")
	case f.Topic == wire.TopicPhoenix && f.Event == wire.EventHeartbeat:
		n.reply(f, nil)
	case f.Topic == wire.TopicQueue:
		n.queueEvent(f)
	case isRun && !n.extended():
		async = true
		n.runChannel(f, jobID, free)
	case f.Event == wire.EventLeave:
		n.reply(f, nil)
	default:
		n.refuse(f, "unmatched topic")
	}
}

// panicked answers an event that panicked: with an error, but never to those that an
// error would hurt.
func (n *session) panicked(f wire.Frame, v any) {
	n.log.ErrorContext(n.ctx, "handling an event panicked", "event", f.Event, "err", fmt.Sprint(v), "stack", string(debug.Stack()))
	switch f.Event {
	case wire.EventRunLog, wire.EventRunBatchLogs, wire.EventFetchPlan:
		if !n.extended() {
			n.reply(f, nil)
			return
		}
	}
	n.fail(f, wire.NewError(wire.CodeUnavailable, "it failed unexpectedly; see the server's log"))
}

// send queues a frame. When there is no room the connection ends.
func (n *session) send(f outFrame) bool {
	if n.out.put(f) {
		return true
	}
	if !n.closing.Load() {
		n.log.WarnContext(n.ctx, "remote worker does not read; the connection ends")
	}
	n.drop()
	return false
}

// spawn runs f beside the reader. The session waits for it at its end.
func (n *session) spawn(f func()) { n.tasks.run(f) }

// reply answers f with ok.
func (n *session) reply(f wire.Frame, response any) bool {
	var text json.RawMessage
	if response != nil {
		text, _ = json.Marshal(response)
	}
	return n.send(outFrame{data: wire.EncodeText(wire.ReplyTo(f, wire.StatusOK, text))})
}

// refuse answers f with an error of the compatible profile.
func (n *session) refuse(f wire.Frame, reason string) {
	if n.extended() {
		n.fail(f, wire.NewError(wire.CodeBadPayload, "%s", reason))
		return
	}
	text, _ := json.Marshal(wire.Refusal{Reason: reason})
	n.send(outFrame{data: wire.EncodeText(wire.ReplyTo(f, wire.StatusError, text))})
}

// fail answers f with an error of the extended profile.
func (n *session) fail(f wire.Frame, e *wire.Error) {
	if !n.extended() && f.Event != wire.EventJoin {
		n.refuse(f, e.Message)
		return
	}
	text, _ := json.Marshal(e)
	n.send(outFrame{data: wire.EncodeText(wire.ReplyTo(f, wire.StatusError, text))})
}

// push sends an event on worker:queue, if it is joined.
func (n *session) push(event string, payload any) bool {
	n.mu.Lock()
	ref := n.joinRef
	n.mu.Unlock()
	if ref == "" {
		return false
	}
	text, _ := json.Marshal(payload)
	return n.send(outFrame{data: wire.EncodeText(wire.Frame{JoinRef: ref, Topic: wire.TopicQueue, Event: event, Payload: text})})
}

// end closes the connection with a code, which is never 1000. It does not wait.
func (n *session) end(code websocket.StatusCode, reason string) {
	if n.closing.Swap(true) {
		return
	}
	n.spawn(func() {
		_ = n.conn.Close(code, reason)
		close(n.closed)
		n.cancel()
		_ = n.conn.CloseNow()
	})
}

// drop ends the connection without a word.
func (n *session) drop() {
	if n.closing.Swap(true) {
		return
	}
	n.spawn(func() {
		close(n.closed)
		n.cancel()
		_ = n.conn.CloseNow()
	})
}

// replaced ends a connection whose worker has a newer one.
func (n *session) replaced() {
	n.log.InfoContext(n.ctx, "remote worker has a newer connection")
	n.end(websocket.StatusServiceRestart, "a newer connection took over")
}

// lost ends a connection whose worker is over, or connected elsewhere.
func (n *session) lost() { n.end(websocket.StatusServiceRestart, "connect again") }

// tick looks after a connection every few seconds: it is pinged, and ends when nothing
// was heard from it for too long. It reports whether it has joined.
func (n *session) tick() bool {
	silent := time.Since(time.Unix(0, n.lastFrame.Load()))
	n.mu.Lock()
	joined, ever := n.joinRef != "", n.ever
	n.mu.Unlock()
	if silent > wire.ReadTimeout || !ever && time.Since(n.opened) > joinWithin {
		n.log.WarnContext(n.ctx, "remote worker is silent; the connection ends", "silent", silent)
		n.drop()
		return false
	}
	if silent > wire.PingEvery-seenEvery {
		n.spawn(func() {
			ctx, cancel := context.WithTimeout(n.ctx, wire.WriteTimeout)
			defer cancel()
			if n.conn.Ping(ctx) == nil {
				n.lastFrame.Store(time.Now().UnixNano())
			}
		})
	}
	return joined
}

// extended reports whether the session speaks the extended profile.
func (n *session) extended() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.profile != "" || n.hello.extended
}

func (n *session) joinedAs() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.joinRef
}

func (n *session) runCount() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.runs)
}

func (n *session) busy() bool { return n.runCount() > 0 }

func (n *session) holds(jobID string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.runs[jobID] != nil
}

// takeSeen returns what is known of the connection since the last time.
func (n *session) takeSeen() work.RemoteSeen {
	n.mu.Lock()
	defer n.mu.Unlock()
	seen := n.done
	n.done = work.RemoteSeen{}
	seen.RemoteConnection, seen.Silent = n.RemoteConnection, time.Since(time.Unix(0, n.lastFrame.Load()))
	seen.Renew = n.profile == "" && !n.hello.extended
	for i := range n.groups {
		g := &n.groups[i]
		use := work.RemoteGroupUsage{Name: g.Name, Queues: g.RemoteGroup.Queues, Mode: "filter", Max: g.Max}
		if g.others {
			use.Mode = "preference"
		}
		for _, r := range n.runs {
			switch {
			case r.group != g.Name:
			case r.confirmed:
				use.Active++
			default:
				use.Reserved++
			}
		}
		seen.Usage = append(seen.Usage, use)
	}
	return seen
}

// returnSeen puts counts back that could not be stored.
func (n *session) returnSeen(seen work.RemoteSeen) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.done.Completed += seen.Completed
	n.done.Failed += seen.Failed
	n.done.Late += seen.Late
}
