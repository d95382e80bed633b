package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// fakeServer answers a worker in fake time. Each function answers one event of the newest
// connection; one that is nil answers well, and one that returns nothing is silent.
type fakeServer struct {
	t *testing.T

	mu       sync.Mutex
	line     *fakeLine
	got      []wire.Frame // from all connections
	at       []time.Time  // when each of them came
	tokens   []string     // with which each connection was opened
	refuses  error        // what a connection is refused with
	joins    []wire.Join
	waiting  []wire.Run
	answers  map[string]func(f wire.Frame) any // a value, a *wire.Error, or nil for silence
	faults   func(n int, f wire.Frame) fault   // of the nth frame; nil: none
	joinKept []wire.RunKept
	orders   wire.Orders
	gone     bool // no connection is taken
}

// fault is what becomes of a frame and its answer. The zero value is none.
type fault struct {
	lost  bool          // the line ends before the frame arrives
	cut   bool          // the line ends before the answer is sent
	drop  bool          // the answer is lost
	twice bool          // the answer comes twice
	late  time.Duration // it comes later
}

// later is an answer that takes its time.
type later struct {
	after time.Duration
	value any
}

// fakeLine is a connection to it.
type fakeLine struct {
	server *fakeServer
	out    chan []byte
	ended  context.Context // of the line
	end    context.CancelFunc
}

func (l *fakeLine) Read(ctx context.Context) ([]byte, error) {
	select {
	case m := <-l.out:
		return m, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.ended.Done():
		return nil, errors.New("the line is cut")
	}
}

func (l *fakeLine) Write(_ context.Context, message []byte) error {
	if l.ended.Err() != nil {
		return errors.New("the line is cut")
	}
	return l.server.take(l, message)
}

func (l *fakeLine) Close(bool) { l.end() }

// take answers a message.
func (s *fakeServer) take(l *fakeLine, message []byte) error {
	f, err := wire.DecodeText(message)
	if err != nil {
		s.t.Errorf("the worker sent %s: %v", message, err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.at = append(s.got, f), append(s.at, time.Now())
	var broken fault
	if s.faults != nil {
		broken = s.faults(len(s.got), f)
	}
	if broken.lost {
		l.end()
		return errors.New("the line is cut")
	}
	var value any
	if answer := s.answers[f.Event]; answer != nil {
		if value = answer(f); value == nil {
			return nil
		}
	} else {
		value = s.usual(f)
	}
	if slow, ok := value.(later); ok {
		broken.late, value = slow.after, slow.value
	}
	switch {
	case broken.cut:
		l.end()
		return nil
	case broken.drop:
		return nil
	}
	l.answer(f, value, broken)
	return nil
}

// answer sends the answer to a frame.
func (l *fakeLine) answer(f wire.Frame, value any, broken fault) {
	status := wire.StatusOK
	if _, refused := value.(*wire.Error); refused {
		status = "error"
	}
	response, _ := json.Marshal(value)
	reply := wire.EncodeText(wire.ReplyTo(f, status, response))
	send := func() {
		if l.out <- reply; broken.twice {
			l.out <- reply
		}
	}
	if broken.late == 0 {
		send()
		return
	}
	time.AfterFunc(broken.late, send)
}

// push sends an event of the server's own accord, on the newest connection.
func (s *fakeServer) push(event string, payload any) {
	text, _ := json.Marshal(payload)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.out <- wire.EncodeText(wire.Frame{Topic: wire.TopicQueue, Event: event, Payload: text})
}

// claims returns when a group has claimed after a moment.
func (s *fakeServer) claims(group string, after time.Time) (at []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.got {
		var c wire.Claim
		if f.Event == wire.EventClaim && s.at[i].After(after) && json.Unmarshal(f.Payload, &c) == nil && c.Group == group {
			at = append(at, s.at[i])
		}
	}
	return at
}

// usual is how a server answers that has nothing against anything.
func (s *fakeServer) usual(f wire.Frame) any {
	switch f.Event {
	case wire.EventJoin:
		var j wire.Join
		_ = json.Unmarshal(f.Payload, &j)
		s.joins = append(s.joins, j)
		return wire.JoinAnswer{Profile: wire.Profile, Generation: 1, MaxDemand: 16, LeaseMS: 60_000, HeartbeatMS: 10_000, MarginMS: 5000, Caps: []string{wire.CapBatch, wire.CapCheckpoint, wire.CapRelease, wire.CapDrain}, Runs: s.joinKept, Orders: s.orders}
	case wire.EventExtend:
		return wire.ExtendAnswer{Orders: s.orders}
	case wire.EventClaim:
		runs := s.waiting
		s.waiting = nil
		return wire.ClaimAnswer{Runs: runs}
	case wire.EventClaimAck:
		var a wire.Ack
		_ = json.Unmarshal(f.Payload, &a)
		answer := wire.AckAnswer{}
		for _, r := range a.Accept {
			answer.Confirmed = append(answer.Confirmed, r.ID)
		}
		return answer
	case wire.EventComplete, wire.EventFail, wire.EventRelease, wire.EventCheckpoint:
		var e wire.RunEvent
		_ = json.Unmarshal(f.Payload, &e)
		state := map[string]string{wire.EventComplete: "completed", wire.EventFail: "failed", wire.EventRelease: "approved"}[f.Event]
		return wire.RunAnswer{Acked: e.Seq, State: state}
	}
	return struct{}{}
}

// events returns the payloads of an event that came so far.
func (s *fakeServer) events(name string) (payloads []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.got {
		if f.Event == name {
			payloads = append(payloads, string(f.Payload))
		}
	}
	return payloads
}

// cut ends the connection.
func (s *fakeServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.end()
}

// set changes how the server behaves.
func (s *fakeServer) set(change func(s *fakeServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func aRun(id, token string) wire.Run {
	return wire.Run{RunKey: wire.RunKey{ID: id, Token: token}, Type: "t", Queue: "default", Attempt: 1, DeadlineMS: 3_600_000, Data: json.RawMessage(`{}`)}
}

// work is a running worker with its server. ended gets what Run returns.
type work struct {
	*fakeServer

	worker *Worker
	stop   func()
	ended  chan error
}

// inFakeTime runs a test with a worker of one group that has so many slots.
func inFakeTime(t *testing.T, slots int, handler Handler, test func(w *work)) {
	t.Helper()
	withGroups(t, fmt.Sprintf("*:%d", slots), handler, test)
}

// withGroups runs a test with a worker of groups in the grammar of kg worker.
func withGroups(t *testing.T, groups string, handler Handler, test func(w *work)) {
	t.Helper()
	list, _, err := wire.ParseGroups(groups)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{t: t, answers: map[string]func(wire.Frame) any{}}
		w, err := New(Config{
			Server: "ws://fake", Secret: []byte(strings.Repeat("s", 32)), Groups: list, Name: "w",
			Handlers: map[string]Handler{"t": handler}, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		w.dial = func(ctx context.Context, _, token string) (line, error) {
			time.Sleep(time.Millisecond) // the test goes on first, until it lets time pass
			s.mu.Lock()
			defer s.mu.Unlock()
			s.tokens = append(s.tokens, token)
			if s.gone {
				return nil, errors.New("no route")
			}
			if s.refuses != nil {
				return nil, s.refuses
			}
			s.line = &fakeLine{server: s, out: make(chan []byte, 10_000)}
			s.line.ended, s.line.end = context.WithCancel(context.WithoutCancel(ctx))
			return s.line, nil
		}
		ctx, stop := context.WithCancel(t.Context())
		running := &work{fakeServer: s, worker: w, stop: stop, ended: make(chan error, 1)}
		go func() { running.ended <- w.Run(ctx) }()
		test(running)
		stop()
		if !slices.Contains([]int{1}, len(running.ended)) {
			w.Abort()
		}
		<-running.ended
		synctest.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.line != nil {
			s.line.end()
		}
	})
}

// after lets time pass, and everything come to rest.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
