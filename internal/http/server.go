package http

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	nethttp "net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

// The limits of a connection.
const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second // from the request's header, or from the end of its body
	maxHeaderBytes    = 32 << 10
)

// Server answers the HTTP API. It may be used by many connections at once.
type Server struct {
	cfg     Config
	log     *slog.Logger
	engine  *gin.Engine
	api     huma.API
	uploads *budget

	closing chan struct{} // closed when Run begins to stop: the streams end
	stop    sync.Once
}

// New checks cfg and registers the routes. It starts nothing.
func New(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Limits = cfg.Limits.withDefaults()
	gin.SetMode(gin.ReleaseMode) // global, but the same for every Server
	s := &Server{
		cfg: cfg, log: cfg.Log, engine: gin.New(), uploads: newBudget(cfg.Limits.UploadBytes),
		closing: make(chan struct{}),
	}
	s.configureEngine()
	s.api = newAPI(s)
	s.registerRoutes()
	return s, nil
}

// configureEngine sets how paths are matched and what surrounds every request.
func (s *Server) configureEngine() {
	e := s.engine
	e.RedirectTrailingSlash, e.RedirectFixedPath = false, false
	e.HandleMethodNotAllowed = true
	e.UseRawPath = true          // a name may contain an encoded slash
	e.UnescapePathValues = false // it would turn + into a space; see exchange.begin
	_ = e.SetTrustedProxies(nil) // cannot fail without any
	e.Use(s.begin, s.linger, s.recoverPanic)
	e.NoRoute(func(c *gin.Context) { s.fail(c, errNoRoute(c.Request)) })
	e.NoMethod(func(c *gin.Context) { s.fail(c, errNoMethod(c.Request)) })
}

// Handler returns the API as a handler. Its streams end with their requests
// only; Run ends them on a stop too.
func (s *Server) Handler() nethttp.Handler { return s.engine }

// Run serves on ln until ctx ends. It then accepts no more, ends the streams
// spread over Limits.StreamSpread, waits up to Limits.Drain for the other
// requests, cancels those that are left, and returns when the last connection
// is gone: nil after a clean stop. It can be called once, and closes ln.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var conns sync.WaitGroup
	srv := s.newHTTPServer(base, &conns)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()

	var failure error
	select {
	case err := <-served: // the listener broke
		failure = fmt.Errorf("serve on %s: %w", ln.Addr(), err)
		served <- err
	case <-ctx.Done():
	}
	s.stop.Do(func() { close(s.closing) })
	drain, done := context.WithTimeout(base, s.cfg.Limits.Drain)
	defer done()
	if err := srv.Shutdown(drain); err != nil && failure == nil {
		s.log.WarnContext(ctx, "requests cut at shutdown", "after", s.cfg.Limits.Drain)
	}
	cut()
	if err := srv.Close(); err != nil && failure == nil && !errors.Is(err, net.ErrClosed) {
		failure = fmt.Errorf("close the server on %s: %w", ln.Addr(), err)
	}
	<-served
	conns.Wait()
	return failure
}

// newHTTPServer returns a server with limits. Its connections are counted in
// conns: net/http reports a new one before it starts its goroutine, and a closed
// one at the goroutine's end.
func (s *Server) newHTTPServer(base context.Context, conns *sync.WaitGroup) *nethttp.Server {
	return &nethttp.Server{
		Handler:           s.engine,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		WriteTimeout:      writeTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState: func(_ net.Conn, state nethttp.ConnState) {
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
