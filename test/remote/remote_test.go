package remote_test

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	nethttp "net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

var workerSecret = []byte("the secret of workers in tests")

// remoteServer is a server that takes remote workers, on a database of its own.
type remoteServer struct {
	db     *postgres.DB
	server *remote.Server
	store  *faultyStore
	url    string
	log    *apitest.Log
	dsn    string
	stop   func()
}

// newRemoteServer starts a server; dsn "" is a database of its own.
func newRemoteServer(t *testing.T, dsn string) *remoteServer {
	t.Helper()
	return newRemoteServerAt(t, dsn, time.Now)
}

// newRemoteServerAt starts a server that examines tokens by a clock of its own.
func newRemoteServerAt(t *testing.T, dsn string, now func() time.Time) *remoteServer {
	t.Helper()
	if dsn == "" {
		dsn = pgtest.NewDSN(t)
	}
	s := &remoteServer{dsn: dsn, log: &apitest.Log{}}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	s.db, err = postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 8, GraphConns: 2, AuthConns: 2, AcquireTimeout: 20 * time.Second})
	noError(t, err)
	s.store = &faultyStore{RemoteStore: s.db.Remote()}
	types, err := work.NewJobTypes(remote.NewOpenFnRun(), remote.NewRemoteType("exec"), remote.NewRemoteType("extract_chunk"))
	noError(t, err)
	s.server, err = remote.New(remote.Config{Store: s.store, Secret: workerSecret, Types: types, Name: "test", Now: now, Log: log})
	noError(t, err)
	listener := notify.NewListener(notify.ListenConfig{
		DSN: dsn, ID: lanes.NewID(), Log: log, Resync: s.server.WakeAll,
		Handle: map[string]func(string){"kg_remote": s.server.Notified, notify.ChannelCancel: s.server.Cancel},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = listener.Run(ctx) })
	running.Go(func() { _ = s.server.Run(ctx) })
	site := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if err := s.server.Serve(w, r); err != nil {
			status := map[kappa.Code]int{
				kappa.CodeMalformed: 400, kappa.CodeUnauthenticated: 401, kappa.CodeForbidden: 403, kappa.CodeNotFound: 404, kappa.CodeUpgradeRequired: 426, kappa.CodeUnavailable: 503,
			}[kappa.ErrorCode(err)]
			nethttp.Error(w, err.Error(), cmp.Or(status, nethttp.StatusInternalServerError))
		}
	}))
	s.url = "ws" + strings.TrimPrefix(site.URL, "http")
	s.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		site.Close()
		s.db.Close()
	})
	t.Cleanup(s.stop)
	apitest.Eventually(t, "the listener hears", func() bool { return listener.State().Connected })
	return s
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// submit stores an approved job for remote workers.
func (s *remoteServer) submit(t testing.TB, jobType, queue, data string) work.Job {
	t.Helper()
	job, err := s.db.Jobs().SubmitJob(t.Context(), work.NewJob{
		Type: jobType, Queue: queue, AutoApprove: true, MaxRetries: 3, UserID: access.SystemUserID, Remote: true, Data: json.RawMessage(data),
	})
	noError(t, err)
	return job
}

func (s *remoteServer) job(t testing.TB, id string) work.Job {
	t.Helper()
	job, err := s.db.Jobs().Job(t.Context(), id)
	noError(t, err)
	return job
}

func (s *remoteServer) wantStatus(t testing.TB, id string, want work.Status) {
	t.Helper()
	apitest.Eventually(t, "job "+id+" is "+string(want), func() bool { return s.job(t, id).Status == want })
}

// peer is a scripted client.
type peer struct {
	t      testing.TB
	conn   *websocket.Conn
	ref    int
	mu     sync.Mutex
	pushes []wire.Frame
	wait   map[string]chan wire.Frame
	ended  chan error
}

// compatToken is the token of a worker of the compatible profile.
func compatToken(t testing.TB, name string, iat int64) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": wire.IssuerCompat, "worker_id": name, "iat": iat}).SignedString(workerSecret)
	noError(t, err)
	return token
}

// withHeader is a fresh token of the compatible profile with more in its header.
func withHeader(t testing.TB, name string, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"iss": wire.IssuerCompat, "worker_id": name, "iat": time.Now().Unix()})
	maps.Copy(token.Header, header)
	text, err := token.SignedString(workerSecret)
	noError(t, err)
	return text
}

// freshToken is the token of a worker of the compatible profile that starts now.
func freshToken(t testing.TB, name string) string {
	t.Helper()
	return compatToken(t, name, time.Now().Unix())
}

// dial connects with a token.
func (s *remoteServer) dial(t testing.TB, token string) *peer {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), s.url+"/worker/websocket?vsn=2.0.0&token="+token, nil)
	noError(t, err)
	conn.SetReadLimit(-1)
	p := &peer{t: t, conn: conn, wait: map[string]chan wire.Frame{}, ended: make(chan error, 1)}
	t.Cleanup(func() { _ = conn.CloseNow() })
	go p.read(context.WithoutCancel(t.Context()))
	return p
}

// kappaWorker connects as kg worker does.
func (s *remoteServer) kappaWorker(t testing.TB, id string) *peer {
	t.Helper()
	token, err := wire.SignWorkerToken(workerSecret, id, time.Now())
	noError(t, err)
	return s.dial(t, token)
}

func (p *peer) read(ctx context.Context) {
	for {
		kind, message, err := p.conn.Read(ctx)
		if err != nil {
			p.ended <- err
			return
		}
		var f wire.Frame
		if kind == websocket.MessageBinary {
			f, err = wire.DecodeServerBinary(message)
		} else {
			f, err = wire.DecodeText(message)
		}
		if err != nil {
			p.t.Errorf("the server sent %q: %v", message, err)
			return
		}
		p.mu.Lock()
		if reply := p.wait[f.Ref]; f.Event == wire.EventReply && reply != nil {
			delete(p.wait, f.Ref)
			reply <- f
		} else {
			p.pushes = append(p.pushes, f)
		}
		p.mu.Unlock()
	}
}

// start sends an event; what it returns gets the reply.
func (p *peer) start(joinRef, topic, event string, payload any) chan wire.Frame {
	p.t.Helper()
	text, ok := payload.(json.RawMessage)
	if !ok {
		var err error
		text, err = json.Marshal(payload)
		noError(p.t, err)
	}
	p.mu.Lock()
	p.ref++
	ref := strconv.Itoa(p.ref)
	if joinRef == "" {
		joinRef = ref
	}
	reply := make(chan wire.Frame, 1)
	p.wait[ref] = reply
	p.mu.Unlock()
	f := wire.Frame{JoinRef: joinRef, Ref: ref, Topic: topic, Event: event, Payload: text}
	noError(p.t, p.conn.Write(p.t.Context(), websocket.MessageText, wire.EncodeText(f)))
	return reply
}

// send sends an event and returns the reply.
func (p *peer) send(joinRef, topic, event string, payload any) (wire.Frame, wire.Reply) {
	p.t.Helper()
	select {
	case f := <-p.start(joinRef, topic, event, payload):
		var r wire.Reply
		if f.Binary == nil {
			noError(p.t, json.Unmarshal(f.Payload, &r))
		} else {
			r = wire.Reply{Status: f.Status, Response: f.Binary}
		}
		return f, r
	case err := <-p.ended:
		p.t.Fatalf("no reply to %s on %s: %v", event, topic, err)
		return wire.Frame{}, wire.Reply{}
	case <-time.After(2 * time.Minute): // a large message takes long under the race detector
		p.t.Fatalf("no reply to %s on %s", event, topic)
		return wire.Frame{}, wire.Reply{}
	}
}

// ok sends an event, wants it answered with ok, and reads the answer into out.
func (p *peer) ok(joinRef, topic, event string, payload, out any) string {
	p.t.Helper()
	f, r := p.send(joinRef, topic, event, payload)
	if r.Status != wire.StatusOK {
		p.t.Fatalf("%s on %s: %s %s", event, topic, r.Status, r.Response)
	}
	if out != nil {
		noError(p.t, json.Unmarshal(r.Response, out))
	}
	return f.JoinRef
}

// pushed returns the pushes of an event so far.
func (p *peer) pushed(event string) (list []wire.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.pushes {
		if f.Event == event {
			list = append(list, f)
		}
	}
	return list
}

// joinKappa joins in the extended profile; groups are in the grammar of kg worker.
func (p *peer) joinKappa(groups string, runs ...wire.HeldRun) (string, wire.JoinAnswer) {
	p.t.Helper()
	var answer wire.JoinAnswer
	ref := p.ok("", wire.TopicQueue, wire.EventJoin, kappaJoin(p.t, groups, runs...), &answer)
	return ref, answer
}

func kappaJoin(t testing.TB, groups string, runs ...wire.HeldRun) wire.Join {
	t.Helper()
	list, _, err := wire.ParseGroups(groups)
	noError(t, err)
	j := wire.Join{Profile: wire.Profile, WorkerName: "peer", Types: []string{"exec"}, Runs: runs}
	for i, g := range list {
		j.Groups = append(j.Groups, wire.JoinGroup{Group: "g" + strconv.Itoa(i+1), Queues: g.Queues, Max: g.Slots})
		j.Capacity += g.Slots
	}
	return j
}

func (p *peer) claim(ref, group string, demand int, queues ...string) wire.ClaimAnswer {
	p.t.Helper()
	var answer wire.ClaimAnswer
	p.ok(ref, wire.TopicQueue, wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: group, Queues: queues, Demand: demand}, &answer)
	return answer
}

// take claims until it gets a run, and confirms it.
func (p *peer) take(ref, group string, queues ...string) wire.Run {
	p.t.Helper()
	var run wire.Run
	apitest.Eventually(p.t, "a run", func() bool {
		answer := p.claim(ref, group, 1, queues...)
		if len(answer.Runs) == 0 {
			return false
		}
		run = answer.Runs[0]
		return true
	})
	var ack wire.AckAnswer
	p.ok(ref, wire.TopicQueue, wire.EventClaimAck, wire.Ack{Accept: []wire.RunKey{run.RunKey}}, &ack)
	if len(ack.Confirmed) != 1 {
		p.t.Fatalf("not confirmed: %+v", ack)
	}
	return run
}

// TestRemoteExtended goes through a run of the extended profile, event by event.
func TestRemoteExtended(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, answer := p.joinKappa("fast:1 manual,*:4")
	if answer.Generation != 1 || answer.LeaseMS != 60_000 || answer.HeartbeatMS != 10_000 || len(answer.Caps) != 9 || answer.Runs == nil {
		t.Errorf("the answer to the join is %+v", answer)
	}
	job := s.submit(t, "exec", "manual", `{"a":1}`)
	apitest.Eventually(t, "a push", func() bool { return len(p.pushed(wire.EventWorkAvailable)) > 0 })
	run := p.take(ref, "g2", "manual", "*")
	if run.ID != job.ID || run.Attempt != 1 || string(run.Data) != `{"a":1}` || run.Queue != "manual" || run.DeadlineMS != 1_800_000 {
		t.Errorf("the run is %+v", run)
	}
	var extend wire.ExtendAnswer
	p.ok(ref, wire.TopicQueue, wire.EventExtend, wire.Extend{Runs: []wire.RunKey{run.RunKey}}, &extend)
	if extend.LeaseMS != 60_000 || len(extend.Lost)+len(extend.Cancel) != 0 || extend.Drain != nil {
		t.Errorf("the answer to a heartbeat is %+v", extend)
	}
	p.ok(ref, wire.TopicQueue, wire.EventProgress, wire.RunProgress{RunKey: run.RunKey, Progress: json.RawMessage(`{"stage":"half","percent":50}`)}, nil)
	p.ok(ref, wire.TopicQueue, wire.EventLog, wire.RunLog{RunKey: run.RunKey, N: 1, Lines: []wire.LogLine{{Level: "info", Message: "one"}, {Level: "warn", Message: "two\x00"}}}, nil)
	var done wire.RunAnswer
	event := func(seq int64) wire.RunEvent { return wire.RunEvent{RunKey: run.RunKey, Seq: seq} }
	p.ok(ref, wire.TopicQueue, wire.EventCheckpoint, wire.RunCheckpoint{RunEvent: event(1), Checkpoint: json.RawMessage(`{"page":3}`)}, &done)
	if done.Acked != 1 {
		t.Errorf("acked %d, want 1", done.Acked)
	}
	_, r := p.send(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: event(3), Result: json.RawMessage(`{}`)})
	var e wire.Error
	noError(t, json.Unmarshal(r.Response, &e))
	if r.Status != wire.StatusError || e.Kind != wire.KindRetryable || e.Code != wire.CodeOutOfOrder || e.Acked == nil || *e.Acked != 1 {
		t.Errorf("a gap is answered with %s", r.Response)
	}
	for range 2 { // the second one is a repetition
		p.ok(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: event(2), Result: json.RawMessage(`{"pages":31}`)}, &done)
		if done.Acked != 2 || done.State != "completed" {
			t.Errorf("the end is answered with %+v", done)
		}
	}
	if got := s.job(t, job.ID); got.Status != work.StatusCompleted || string(got.Result) != `{"pages": 31}` || got.Progress.Percent != 50 {
		t.Errorf("the job is %+v", got)
	}
	lines, err := s.db.Remote().Logs(t.Context(), job.ID, 0, 0, 10)
	noError(t, err)
	if len(lines) != 2 || lines[1].Message != "two" || lines[1].Line != 2 {
		t.Errorf("the log is %+v", lines)
	}
	status, err := s.db.Lanes().WorkerStatus(t.Context())
	noError(t, err)
	if w := status.RemoteWorkers; len(w) != 1 || w[0].State != work.RemoteOnline || w[0].Capacity != 5 || w[0].Profile != wire.Profile || len(w[0].Groups) != 2 {
		t.Errorf("the workers are %+v", w)
	}
}

// TestRW21_Cancel has a run stop that was asked to.
func TestRW21_Cancel(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("*:4")
	job := s.submit(t, "exec", "q", `{}`)
	run := p.take(ref, "g1", "*")
	_, err := s.db.Jobs().Cancel(t.Context(), job.ID)
	noError(t, err)
	apitest.Eventually(t, "run:cancel is pushed", func() bool { return len(p.pushed(wire.EventCancel)) == 1 })
	var done wire.RunAnswer
	p.ok(ref, wire.TopicQueue, wire.EventComplete, wire.RunComplete{RunEvent: wire.RunEvent{RunKey: run.RunKey, Seq: 1}, Result: json.RawMessage(`{}`)}, &done)
	if done.State != "cancelled" || s.job(t, job.ID).Status != work.StatusCancelled {
		t.Errorf("an acknowledged cancel was overtaken: %+v", done)
	}
}

// TestRW13_Rejoin says what becomes of runs when a worker connects again.
func TestRW13_Rejoin(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	id := lanes.NewID()
	p := s.kappaWorker(t, id)
	ref, _ := p.joinKappa("*:4")
	kept, lost := s.submit(t, "exec", "q", `{}`), s.submit(t, "exec", "q", `{}`)
	run := p.take(ref, "g1", "*")
	if answer := p.claim(ref, "g1", 1, "*"); len(answer.Runs) != 1 { // its reply is lost, as it were
		t.Fatalf("claimed %+v", answer)
	}
	again := s.kappaWorker(t, id)
	if err := <-p.ended; websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("the older connection ended with %v, want 1012", err)
	}
	stale := wire.HeldRun{RunKey: wire.RunKey{ID: kappa.NewJobID(), Token: "1"}}
	_, answer := again.joinKappa("*:4", wire.HeldRun{RunKey: run.RunKey}, stale)
	if answer.Generation != 2 || len(answer.Runs) != 2 || answer.Runs[0].State != wire.RunYours || answer.Runs[1].State != wire.RunLost {
		t.Errorf("the answer is %+v", answer)
	}
	if job := s.job(t, lost.ID); job.Status != work.StatusApproved || job.Attempt != 0 {
		t.Errorf("the reservation whose reply was lost: %s, attempt %d", job.Status, job.Attempt)
	}
	if job := s.job(t, kept.ID); job.Status != work.StatusProcessing {
		t.Errorf("the run that goes on is %s", job.Status)
	}
}

// TestRW02_Demand says that no more is delivered than was asked for, and is free.
func TestRW02_Demand(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	p := s.kappaWorker(t, lanes.NewID())
	ref, _ := p.joinKappa("a:2 *:3")
	for range 40 {
		s.submit(t, "exec", "a", `{}`)
	}
	var replies []chan wire.Frame
	for range 10 {
		replies = append(replies,
			p.start(ref, wire.TopicQueue, wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: "g1", Queues: []string{"a"}, Demand: 16}),
			p.start(ref, wire.TopicQueue, wire.EventClaim, wire.Claim{ClaimID: lanes.NewID(), Group: "g2", Queues: []string{"*"}, Demand: 2}))
	}
	runs := map[string]int{}
	for i, reply := range replies {
		var r struct{ Response wire.ClaimAnswer }
		noError(t, json.Unmarshal((<-reply).Payload, &r))
		for range r.Response.Runs {
			runs["g"+strconv.Itoa(i%2+1)]++
		}
	}
	if runs["g1"] != 2 || runs["g2"] > 3 {
		t.Errorf("delivered %v, want 2 for g1 and at most 3 for g2", runs)
	}
}

// TestRW25_Tokens says who is refused before the connection is a WebSocket.
func TestRW25_Tokens(t *testing.T) {
	t.Parallel()
	s := newRemoteServer(t, "")
	good := freshToken(t, "w")
	for name, c := range map[string]struct {
		query  string
		header nethttp.Header
		want   int
	}{
		"query":            {"vsn=2.0.0&token=" + good, nil, 101},
		"bearer":           {"vsn=2.0.0", nethttp.Header{"Authorization": {"Bearer " + good}}, 101},
		"subprotocol":      {"vsn=2.0.0", nethttp.Header{"Sec-Websocket-Protocol": {"phoenix, " + wire.BearerSubprotocol(good)}}, 101},
		"no version":       {"token=" + good, nil, 400},
		"version 1":        {"vsn=1.0.0&token=" + good, nil, 400},
		"no token":         {"vsn=2.0.0", nil, 401},
		"another token":    {"vsn=2.0.0&token=a.b.c", nil, 401},
		"another site":     {"vsn=2.0.0&token=" + good, nethttp.Header{"Origin": {"https://evil.example"}}, 403},
		"its own site":     {"vsn=2.0.0&token=" + good, nethttp.Header{"Origin": {"http" + strings.TrimPrefix(s.url, "ws")}}, 101},
		"no WebSocket":     {"vsn=2.0.0&token=" + good, nethttp.Header{"Upgrade": {"h2c"}}, 426},
		"a name, no UUID":  {"vsn=2.0.0&token=" + sign(t, "pod-1"), nil, 401},
		"extended by UUID": {"vsn=2.0.0&token=" + sign(t, lanes.NewID()), nil, 101},
	} {
		req, err := nethttp.NewRequestWithContext(t.Context(), "GET", "http"+strings.TrimPrefix(s.url, "ws")+"/worker/websocket?"+c.query, nil)
		noError(t, err)
		req.Header = nethttp.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
		maps.Copy(req.Header, c.header)
		client := &nethttp.Client{Transport: &nethttp.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		noError(t, err)
		if resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
		if c.want == 101 && c.header != nil && c.header["Sec-Websocket-Protocol"] != nil && resp.Header.Get("Sec-WebSocket-Protocol") != "phoenix" {
			t.Errorf("%s: the subprotocol is %q", name, resp.Header.Get("Sec-WebSocket-Protocol"))
		}
		_ = resp.Body.Close()
	}
	s.stop()
	if log := s.log.String(); strings.Contains(log, good) || strings.Contains(log, "vsn=") {
		t.Error("a token, or a query, is in the log")
	}
}

func sign(t *testing.T, id string) string {
	t.Helper()
	token, err := wire.SignWorkerToken(workerSecret, id, time.Now())
	noError(t, err)
	return token
}
