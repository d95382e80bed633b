package notify

import (
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/kappagraph/kappa/work"
)

// natsServer is a real NATS server in this process.
type natsServer struct {
	options *server.Options
	mu      sync.Mutex // guards server
	server  *server.Server
}

// newNATSServer starts a server on a port of its own. It ends with the test.
func newNATSServer(t testing.TB, change func(*server.Options)) *natsServer {
	t.Helper()
	s := &natsServer{options: &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true}}
	if change != nil {
		change(s.options)
	}
	s.start(t)
	s.options.Port = s.server.Addr().(*net.TCPAddr).Port // the same after a restart
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start(t testing.TB) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.server, err = server.NewServer(s.options.Clone()); err != nil {
		t.Fatal(err)
	}
	s.server.Start()
	if !s.server.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server is not ready")
	}
}

func (s *natsServer) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// addr returns host:port.
func (s *natsServer) addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.options.Port))
}

func (s *natsServer) url() string { return "nats://" + s.addr() }

// clients returns the connections of a process.
func (s *natsServer) clients(t testing.TB, id string) []*server.ConnInfo {
	t.Helper()
	all, err := s.server.Connz(&server.ConnzOptions{Subscriptions: true, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var list []*server.ConnInfo
	for _, c := range all.Conns {
		if c.Name == "kg "+id {
			list = append(list, c)
		}
	}
	return list
}

// raw is a client that is none of ours.
func (s *natsServer) raw(t testing.TB) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.url())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// natsProxy stands between a client and the server, and can fall silent without
// closing anything.
type natsProxy struct {
	addr   string
	target string

	mu   sync.Mutex // guards what follows
	gate chan struct{}
	open map[net.Conn]struct{}
}

func newNATSProxy(t testing.TB, target string) *natsProxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &natsProxy{addr: listener.Addr().String(), target: target, open: map[net.Conn]struct{}{}}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		p.pass()
		p.mu.Lock()
		for c := range p.open {
			_ = c.Close()
		}
		p.mu.Unlock()
		group.Wait()
	})
	return p
}

func (p *natsProxy) serve(client net.Conn) {
	backend, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.open[client], p.open[backend] = struct{}{}, struct{}{}
	p.mu.Unlock()
	var group sync.WaitGroup
	group.Go(func() { p.copy(backend, client) })
	group.Go(func() { p.copy(client, backend) })
	group.Wait()
}

func (p *natsProxy) copy(to io.WriteCloser, from io.ReadCloser) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 32<<10)
	for {
		p.wait()
		n, err := from.Read(buffer)
		p.wait()
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *natsProxy) wait() {
	p.mu.Lock()
	gate := p.gate
	p.mu.Unlock()
	if gate != nil {
		<-gate
	}
}

// blackhole has nothing pass any more; nobody gets an error.
func (p *natsProxy) blackhole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate == nil {
		p.gate = make(chan struct{})
	}
}

// pass ends a blackhole.
func (p *natsProxy) pass() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate != nil {
		close(p.gate)
		p.gate = nil
	}
}

// cut closes every connection.
func (p *natsProxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// ear is a Sink that remembers what it was notified of, and with handle the handlers of
// channels.
type ear struct {
	mu      sync.Mutex // guards what follows
	hints   map[string]int
	calls   map[natsCall]int
	resyncs int
	woken   int
}

func newEar() *ear { return &ear{hints: map[string]int{}, calls: map[natsCall]int{}} }

// Publish implements Sink.
func (e *ear) Publish([]work.Event) {}

// Hint implements Sink.
func (e *ear) Hint(ids ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, id := range ids {
		e.hints[id]++
	}
}

// Resync implements Sink.
func (e *ear) Resync() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.resyncs++
}

func (e *ear) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.woken++
}

func (e *ear) handle(channel string) func(string) {
	return func(payload string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.calls[natsCall{channel, payload}]++
	}
}

func (e *ear) hinted(id string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.hints[id]
}

func (e *ear) called(channel, payload string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls[natsCall{channel, payload}]
}

func (e *ear) resynced() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.resyncs
}

// forget forgets the hints.
func (e *ear) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.hints)
}

// process is a server's NATS with an ear.
type process struct {
	*NATS
	*ear
	stop func()
}

// newProcess runs a NATS and does not wait until it is connected. It ends with
// the test.
func newProcess(t testing.TB, id string, options NATSOptions, change func(*NATSConfig)) *process {
	t.Helper()
	p := newIdleProcess(t, id, options, change)
	p.start(t)
	return p
}

func (p *process) start(t testing.TB) {
	t.Helper()
	p.stop = runNATS(t, p.NATS)
}

// newIdleProcess is newProcess that does not run.
func newIdleProcess(t testing.TB, id string, options NATSOptions, change func(*NATSConfig)) *process {
	t.Helper()
	e := newEar()
	cfg := NATSConfig{
		Options: options, ID: id, Sink: e, Wake: e.wake, Log: quiet,
		Handle: map[string]func(string){
			ChannelLanes: e.handle(ChannelLanes), ChannelCancel: e.handle(ChannelCancel), "kg_schedules": e.handle("kg_schedules"),
		},
	}
	if change != nil {
		change(&cfg)
	}
	n, err := NewNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &process{NATS: n, ear: e}
}

// runNATS runs n until the test or the returned function ends it.
func runNATS(t testing.TB, n *NATS) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := n.Run(ctx); err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return stop
}

// newFleet runs connected processes on one server.
func newFleet(t testing.TB, s *natsServer, ids ...string) []*process {
	t.Helper()
	var fleet []*process
	for _, id := range ids {
		fleet = append(fleet, newProcess(t, id, NATSOptions{URL: s.url()}, nil))
	}
	for _, p := range fleet {
		until(t, 5*time.Second, p.Connected)
	}
	return fleet
}

// watching has p watch jobs, and waits until it hears of them.
func (p *process) watching(t testing.TB, jobs ...string) {
	t.Helper()
	for _, job := range jobs {
		p.Interest(job, true)
	}
	for _, job := range jobs {
		until(t, 5*time.Second, func() bool { return p.hinted(job) > 0 })
	}
	p.forget()
}
