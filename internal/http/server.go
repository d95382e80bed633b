package http

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	nethttp "net/http"
	"runtime"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// The limits of a connection.
const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second // from the request's header, or from the end of its body
	maxHeaderBytes    = 32 << 10
	pingAfter         = 15 * time.Second // of silence on an HTTP/2 connection
	pingTimeout       = 10 * time.Second // a client that does not answer is gone
)

// Server answers the HTTP API. It may be used by many connections at once.
type Server struct {
	*Router
	cfg       Config
	resources []Resource

	conns     *connections
	answering nethttp.Handler // the engine, with compressed answers
	inFlight  sync.RWMutex    // read-held by each request that Run has accepted
}

// New checks cfg and registers the routes of the resources. It starts nothing.
func New(cfg Config, resources ...Resource) (*Server, error) {
	if err := CheckConfig("http", cfg, "Tracer", "Sessions", "TLS"); err != nil {
		return nil, err
	}
	if cfg.HTTP2 {
		if err := CheckHTTP2(runtime.Version()); err != nil {
			return nil, err
		}
	}
	cfg.Limits = cfg.Limits.withDefaults()
	s := &Server{
		Router: newRouter(cfg), cfg: cfg, resources: resources,
	}
	if err := s.proxies.trust(s.engine, cfg.Proxies); err != nil {
		return nil, err
	}
	var err error
	if s.answering, err = compressed(s.engine); err != nil {
		return nil, err
	}
	s.conns = newConnections(cfg.Limits, s.Metrics(), cfg.Log)
	if cfg.TLS != nil {
		s.Metrics().MustRegister(certificateCollector{cfg.TLS})
	}
	if err := s.registerRoutes(); err != nil {
		return nil, err
	}
	return s, nil
}

// Handler returns the API as a handler. What Run does besides, as for a Runner, it
// does without.
func (s *Server) Handler() nethttp.Handler { return s.engine }

// Run serves on ln until ctx ends, over HTTP/1.1 and, where Config.HTTP2 or Config.TLS asks for
// it, over HTTP/2. It then accepts no more, has each Stopper stop, and waits up to
// 10 s for the requests. Those that are not done shortly before are cancelled,
// and answered with errStopping. It returns when the last of them is gone: nil after a
// clean stop. It can be called once, and closes ln.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	base, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	var conns, watches sync.WaitGroup
	var away detached
	s.hosts.listenOn(ln.Addr())
	srv := s.newHTTPServer(base, &conns, &away)
	served := make(chan error, 1)
	each(s.resources, func(r Runner) { watches.Go(func() { r.Run(base) }) })
	go func() { served <- s.serveOn(srv, limitedListener{ln, s.conns}) }()

	var failure error
	select {
	case err := <-served: // the listener broke
		failure = fmt.Errorf("serve on %s: %w", ln.Addr(), err)
		served <- err
	case <-ctx.Done():
	}
	s.Drain()
	each(s.resources, Stopper.Stop)
	s.drain(base, srv, &away, cut)
	if err := srv.Close(); err != nil && failure == nil && !errors.Is(err, net.ErrClosed) {
		failure = fmt.Errorf("close the server on %s: %w", ln.Addr(), err)
	}
	<-served //nolint:errcheck // that it has returned
	conns.Wait()
	s.awaitRequests()
	away.wait(context.WithoutCancel(ctx))
	watches.Wait()
	return failure
}

// errStopping ends the context of a request that is not done when the server stops.
var errStopping = &kappa.Error{Code: kappa.CodeUnavailable, Message: "The server stops before this is done; send it again", RetryAfter: 5 * time.Second}

// maxLastAnswers is how long before the end of a stop the requests that are left are
// cancelled, so that their answers can still be written.
const maxLastAnswers = 2 * time.Second

// drain waits for requests and detached connections, and then cancels what is left.
func (s *Server) drain(base context.Context, srv *nethttp.Server, away *detached, cut context.CancelCauseFunc) {
	limit := s.cfg.Limits.drain
	last := min(maxLastAnswers, limit/5)
	waiting, done := context.WithTimeout(base, limit-last)
	defer done()
	err := srv.Shutdown(waiting)
	away.wait(waiting)
	cut(errStopping)
	if err == nil {
		return
	}
	answering, done := context.WithTimeout(context.WithoutCancel(base), last)
	defer done()
	s.log.WarnContext(base, "requests cut at shutdown", "after", limit-last)
	_ = srv.Shutdown(answering) // who has not answered by then is cut off
}

// Drain says that this server is going to stop: from now on it is not ready, and
// answers all the same, so that load balancers can leave it before Run's context
// ends.
func (s *Server) Drain() { each(s.resources, Drainer.Drain) }

// awaitRequests returns when no request is being answered any more. Those of an
// HTTP/2 connection may outlive it for a moment.
func (s *Server) awaitRequests() {
	s.inFlight.Lock()
	defer s.inFlight.Unlock()
}

// serve answers a request of Run's server.
func (s *Server) serve(w nethttp.ResponseWriter, r *nethttp.Request) {
	s.inFlight.RLock()
	defer s.inFlight.RUnlock()
	if wasEvicted(r.Context()) {
		panic(nethttp.ErrAbortHandler) // nobody would see the answer
	}
	s.answering.ServeHTTP(w, r)
}

// newHTTPServer returns a server with limits. Its connections are counted in
// conns: net/http reports a new one before it starts its goroutine, and a closed
// one at the goroutine's end.
func (s *Server) newHTTPServer(base context.Context, conns *sync.WaitGroup, away *detached) *nethttp.Server {
	protocols := &nethttp.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(s.cfg.HTTP2 && s.cfg.TLS == nil)
	protocols.SetHTTP2(s.cfg.TLS != nil && CheckHTTP2(runtime.Version()) == nil)
	return &nethttp.Server{
		Handler:           nethttp.HandlerFunc(s.serve),
		Protocols:         protocols,
		HTTP2:             &nethttp.HTTP2Config{MaxConcurrentStreams: MaxHTTP2Streams, SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		WriteTimeout:      writeTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       away.connContext,
		ConnState: func(conn net.Conn, state nethttp.ConnState) {
			s.conns.changed(conn, state)
			switch state {
			case nethttp.StateNew:
				conns.Add(1)
			case nethttp.StateClosed, nethttp.StateHijacked:
				conns.Done()
			default: // active or idle: still there
			}
		},
	}
}
