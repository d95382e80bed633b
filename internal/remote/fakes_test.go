package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const fakeSecret = "a secret for fake time"

// fakeStore hands out jobs from memory. Methods that it does not have panic.
type fakeStore struct {
	store
	claims, renewed atomic.Int64
	marked          atomic.Int64 // questions what waits
	heldAsked       atomic.Int64 // questions what is held
	extended        atomic.Int64 // statements of heartbeats
	completed       atomic.Int64 // runs, by the counts that were stored
	loseEnd         atomic.Bool  // the answer to the next end is lost
	away            atomic.Bool
	known           atomic.Bool // who connects was connected before
	ends            atomic.Bool // a run ends between two questions about it
	claimTakes      time.Duration
	seenTakes       time.Duration

	mu      sync.Mutex
	waiting []work.RemoteRun
	held    []work.HeldRun
	ended   []work.RunOutcome
	steps   []work.RunStep
	orders  work.RemoteOrders
	last    int64
}

var errAway = kappa.NewError(kappa.CodeUnavailable, "the database is away")

func (s *fakeStore) fault() error {
	if s.away.Load() {
		return errAway
	}
	return nil
}

func (s *fakeStore) Connect(_ context.Context, h work.RemoteHello) (work.RemoteOpened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return work.RemoteOpened{RemoteConnection: work.RemoteConnection{WorkerID: h.WorkerID, Generation: s.last}, Known: s.known.Load()}, nil
}

func (s *fakeStore) Known(context.Context, string) (work.KnownWorker, error) {
	return work.KnownWorker{Seen: s.known.Load()}, nil
}

func (s *fakeStore) Join(context.Context, work.RemoteConnection, work.RemoteProfile) error {
	return s.fault()
}

func (s *fakeStore) Disconnect(context.Context, work.RemoteConnection) error { return nil }

func (s *fakeStore) Extend(_ context.Context, list []work.RemoteConnection) (map[string]work.RemoteExtended, error) {
	s.extended.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	live := map[string]work.RemoteExtended{}
	for _, c := range list {
		held := slices.DeleteFunc(slices.Clone(s.held), func(h work.HeldRun) bool { return h.Worker != c.WorkerID })
		live[c.WorkerID] = work.RemoteExtended{Orders: s.orders, Held: held}
	}
	return live, s.fault()
}

func (s *fakeStore) Orders(context.Context, string) (work.RemoteOrders, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders, s.fault()
}

func (s *fakeStore) Seen(_ context.Context, seen []work.RemoteSeen) (map[string]work.RemoteOrders, error) {
	time.Sleep(s.seenTakes) // of fake time
	if err := s.fault(); err != nil {
		return nil, err
	}
	for _, c := range seen {
		s.completed.Add(c.Completed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live := map[string]work.RemoteOrders{}
	for _, c := range seen {
		if live[c.WorkerID] = s.orders; c.Renew {
			s.renewed.Add(1)
		}
	}
	return live, s.fault()
}

func (s *fakeStore) Marks(context.Context) ([]work.WaitingPair, error) {
	s.marked.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	var pairs []work.WaitingPair
	for _, r := range s.waiting {
		pairs = append(pairs, work.WaitingPair{JobType: r.JobType, Queue: r.Queue})
	}
	return pairs, s.fault()
}

func (s *fakeStore) Claim(_ context.Context, r work.RemoteClaimRequest) ([]work.RemoteClaimed, error) {
	s.claims.Add(1)
	if s.claimTakes > 0 {
		time.Sleep(s.claimTakes) // of fake time
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	claimed := make([]work.RemoteClaimed, len(r.Groups))
	for i, g := range r.Groups {
		taken := s.waiting[:min(g.Most, len(s.waiting))]
		s.waiting = s.waiting[len(taken):]
		for k := range taken {
			taken[k].Worker = g.WorkerID
			s.held = append(s.held, work.HeldRun{RunKey: taken[k].RunKey, Group: g.Group})
		}
		claimed[i].Runs = taken
	}
	return claimed, s.fault()
}

func (s *fakeStore) Confirm(_ context.Context, runs []work.RunKey) (map[int64]work.ConfirmedRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	confirmed := map[int64]work.ConfirmedRun{}
	for _, key := range runs {
		for i := range s.held {
			if s.held[i].RunKey == key {
				s.held[i].Confirmed = true
				confirmed[key.Token] = work.ConfirmedRun{JobID: key.JobID}
			}
		}
	}
	return confirmed, s.fault()
}

func (s *fakeStore) Held(context.Context, ...string) ([]work.HeldRun, error) {
	s.heldAsked.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]work.HeldRun{}, s.held...), s.fault()
}

func (s *fakeStore) RunState(_ context.Context, _, jobID string, token int64) (work.RunState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.held {
		if h.JobID == jobID && h.Token == token {
			return work.RunState{Held: true, Confirmed: h.Confirmed}, s.fault()
		}
	}
	for _, o := range s.ended {
		if o.JobID == jobID && o.Token == token {
			return work.RunState{Confirmed: true, Outcome: string(o.Status)}, s.fault()
		}
	}
	return work.RunState{}, kappa.NewError(kappa.CodeNotFound, "no such run")
}

func (s *fakeStore) Input(context.Context, work.RunKey) (work.RunInput, error) {
	if s.ends.Load() {
		return work.RunInput{}, kappa.ErrStale
	}
	return work.RunInput{Data: json.RawMessage(`{"plan":{"jobs":[{"id":"s1"}]},"credentials":{"c1":"vault"}}`), Deadline: time.Hour}, s.fault()
}

func (s *fakeStore) Late(context.Context, int64, string) error { return s.fault() }

func (s *fakeStore) Secret(context.Context, string) ([]byte, error) {
	return []byte(`{"user":"u"}`), s.fault()
}

func (s *fakeStore) StartStep(_ context.Context, _ work.RunKey, step work.RunStep) error {
	if err := s.fault(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, step)
	return nil
}

func (s *fakeStore) Steps(context.Context, string) ([]work.RunStep, error) { return nil, nil }

func (s *fakeStore) Finish(_ context.Context, outcomes []work.RunOutcome) (map[int64]work.RunEnd, error) {
	if err := s.fault(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	done := map[int64]work.RunEnd{}
	for _, o := range outcomes {
		for i, h := range s.held {
			if h.RunKey == o.RunKey {
				s.held = append(s.held[:i], s.held[i+1:]...)
				s.ended = append(s.ended, o)
				done[o.Token] = work.RunEnd{Status: o.Status, Attempt: work.EndedAttempt{Lane: work.RemoteLane, JobType: "exec", Outcome: work.AttemptOutcome(cmp.Or(o.Outcome, string(o.Status)))}}
				break
			}
		}
	}
	if s.loseEnd.Swap(false) {
		return nil, errAway
	}
	return done, nil
}

// add makes a job wait.
func (s *fakeStore) add(jobType, queue string) work.RunKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	r := work.RemoteRun{RunKey: work.RunKey{JobID: kappa.NewJobID(), Token: s.last}, JobType: jobType, Queue: queue, Attempt: 1, Deadline: time.Hour, Data: json.RawMessage(`{}`)}
	s.waiting = append(s.waiting, r)
	return r.RunKey
}

// outcomes returns how runs have ended so far.
func (s *fakeStore) outcomes() []work.RunOutcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]work.RunOutcome{}, s.ended...)
}

// lab is a server in fake time, which peers reach over pipes.
type lab struct {
	t      *testing.T
	store  *fakeStore
	server *Server
	log    *logged
	conns  chan net.Conn
}

// logged is a log that is read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// inFakeTime runs a test with a server in fake time.
func inFakeTime(t *testing.T, test func(t *testing.T, l *lab)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &lab{t: t, store: &fakeStore{}, log: &logged{}, conns: make(chan net.Conn)}
		types, err := work.NewJobTypes(NewOpenFnRun(), NewRemoteType("exec"))
		must(t, err)
		l.server, err = New(Config{
			Store: l.store, Secret: []byte(fakeSecret), Types: types, Name: "fake", Now: time.Now, Log: slog.New(slog.NewTextHandler(l.log, nil)),
		})
		must(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { must(t, l.server.Run(ctx)) })
		site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := l.server.Serve(w, r); err != nil {
				http.Error(w, err.Error(), http.StatusUnauthorized)
			}
		})}
		running.Go(func() { _ = site.Serve(l) })
		test(t, l)
		cancel()
		_ = site.Close()
		running.Wait()
	})
}

// Accept, Close and Addr make the lab a listener.
func (l *lab) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *lab) Close() error {
	close(l.conns)
	return nil
}

func (*lab) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fakePeer is a client in fake time.
type fakePeer struct {
	t     *testing.T
	conn  *websocket.Conn
	raw   net.Conn // below it
	ref   int
	read  chan wire.Frame // what comes, while it reads
	ended chan error
}

// dial connects. The peer reads, and so answers pings, unless it is deaf.
func (l *lab) dial(token string, deaf bool) *fakePeer {
	l.t.Helper()
	p := &fakePeer{t: l.t, read: make(chan wire.Frame, 10_000), ended: make(chan error, 1)}
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		p.raw = near
		l.conns <- far
		return near, nil
	}}}
	var err error
	p.conn, _, err = websocket.Dial(l.t.Context(), "ws://fake/worker/websocket?vsn=2.0.0&token="+token, &websocket.DialOptions{HTTPClient: client})
	must(l.t, err)
	if !deaf {
		go func() {
			for {
				_, message, err := p.conn.Read(context.Background())
				if err != nil {
					p.ended <- err
					return
				}
				if f, err := wire.DecodeText(message); err == nil {
					p.read <- f
				}
			}
		}()
	}
	return p
}

// compat connects and joins as a worker of the compatible profile.
func (l *lab) compat() *fakePeer {
	p := l.dial(compatToken(l.t), false)
	p.call("1", wire.TopicQueue, wire.EventJoin, `{"capacity":5,"queues":{"manual>*":5}}`)
	return p
}

// kappa connects and joins as kg worker does.
func (l *lab) kappa(groups string) *fakePeer {
	token, err := wire.SignWorkerToken([]byte(fakeSecret), "0c9d4f8e-5a5b-4a0e-9a43-7f6f0f3b1d22", time.Now())
	must(l.t, err)
	p := l.dial(token, false)
	p.call("1", wire.TopicQueue, wire.EventJoin, `{"profile":"kappa/1","types":["exec"],"groups":`+groups+`}`)
	return p
}

func compatToken(t testing.TB) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": wire.IssuerCompat, "worker_id": "pod", "iat": time.Now().Unix()}).SignedString([]byte(fakeSecret))
	must(t, err)
	return token
}

// send sends an event and returns its ref.
func (p *fakePeer) send(joinRef, topic, event, payload string) string {
	p.t.Helper()
	p.ref++
	ref := strconv.Itoa(p.ref)
	must(p.t, p.conn.Write(context.Background(), websocket.MessageText, wire.EncodeText(wire.Frame{JoinRef: joinRef, Ref: ref, Topic: topic, Event: event, Payload: json.RawMessage(payload)})))
	return ref
}

// call sends an event and waits for the reply. Pushes that come first are dropped.
func (p *fakePeer) call(joinRef, topic, event, payload string) wire.Reply {
	p.t.Helper()
	ref := p.send(joinRef, topic, event, payload)
	for {
		select {
		case f := <-p.read:
			if f.Event != wire.EventReply || f.Ref != ref {
				continue
			}
			var r wire.Reply
			must(p.t, json.Unmarshal(f.Payload, &r))
			return r
		case err := <-p.ended:
			p.t.Fatalf("no reply to %s: %v", event, err)
		}
	}
}

// pushed returns how often an event has come that nobody has read, and drops what has.
func (p *fakePeer) pushed(event string) (n int) {
	synctest.Wait()
	for {
		select {
		case f := <-p.read:
			if f.Event == event {
				n++
			}
		default:
			return n
		}
	}
}

// over returns the error with which the connection has ended; nil when it has not.
func (p *fakePeer) over() error {
	synctest.Wait()
	select {
	case err := <-p.ended:
		p.ended <- err
		return err
	default:
		return nil
	}
}

func (p *fakePeer) close() { _ = p.conn.CloseNow() }
