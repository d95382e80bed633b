package remote

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

const (
	maxSockets     = 1000
	pollEvery      = 2 * time.Second // marks, and repeated wake-ups
	seenEvery      = 5 * time.Second // what is known of connections is stored
	joinWithin     = time.Minute     // a socket that has joined nothing by then ends
	stopFlush      = 5 * time.Second
	statementLimit = 5 * time.Second
	beatsApart     = 250 * time.Millisecond // statements of heartbeats: those that come meanwhile are one
)

// MinSecret is how many bytes the secret of the workers has at least.
const MinSecret = wire.MinSecret

// Config is what a Server works with.
type Config struct {
	Store     store
	Secret    []byte // of the worker tokens; empty: workers are refused
	OldSecret []byte // the one before, which is accepted too
	RunKey    []byte // RSA key in PEM for run tokens; empty: see wire.NewRunTokens
	Types     *work.JobTypes
	Name      string           // of this server
	Now       func() time.Time // the database's clock
	Log       *slog.Logger
	Child     func(parentID string)   // called when a job that another one made has ended; may be nil
	Policies  *work.Policies          // of job types; nil: the program's own
	Ended     func(work.EndedAttempt) // called when an attempt has ended and that is stored; may be nil
}

// Server serves remote workers. Run must run while it takes connections.
type Server struct {
	cfg     Config
	tokens  *wire.RunTokens
	types   []string // that remote workers take
	marks   *marks
	metrics *counts
	refused refusals

	claiming   chan struct{} // holds one for each statement that claims
	asked      atomic.Int64  // jobs, by these claims
	passedOver atomic.Int64  // when a claim left jobs that wait, in Unix nanoseconds
	claimers   claimers
	turns      turns

	waits   batcher[struct{}, map[work.WaitingPair]bool]
	beats   batcher[work.RemoteConnection, extended]
	confirm batcher[work.RunKey, *work.ConfirmedRun]
	finish  batcher[work.RunOutcome, work.Status]

	large    memory
	retry    memory       // of events that wait for the database
	places   atomic.Int64 // of connections, that are taken
	ask      kappa.Waker  // has what waits be asked at once
	stopping atomic.Bool
	stopped  chan struct{} // closed when it stops
	open     sync.WaitGroup

	mu       sync.Mutex // guards what follows
	sessions []*session // in the order in which they are woken
	next     int        // of sessions: whose turn it is to be woken
	takeOver map[string][]time.Time
}

// New returns a Server. It returns an error for a secret that is too short, or a key
// that cannot be read.
func New(cfg Config) (*Server, error) {
	kappa.Require(cfg, "Child", "Ended", "Policies")
	s := &Server{
		cfg: cfg, marks: newMarks(), metrics: newCounts(), large: memory{free: largeMemory}, retry: memory{free: retryMemory},
		ask: kappa.NewWaker(), stopped: make(chan struct{}), claiming: make(chan struct{}, claimsAtOnce), takeOver: map[string][]time.Time{},
	}
	s.types = cfg.Types.Names(func(t work.JobType) bool { return t.Remote })
	if s.Enabled() {
		var err error
		if s.tokens, err = wire.NewRunTokens(cfg.RunKey, cfg.Secret, cfg.OldSecret); err != nil {
			return nil, err
		}
	}
	s.claimers.run, s.claimers.spawn = s.claimAll, s.spawn
	s.waits.run, s.waits.spawn = s.waitAll, s.spawn
	s.beats.run, s.beats.spawn, s.beats.pause, s.beats.apart = s.extendAll, s.spawn, s.pause, beatsApart
	s.confirm.run, s.confirm.spawn = s.confirmAll, s.spawn
	s.finish.run, s.finish.spawn = s.finishAll, s.spawn
	return s, nil
}

// Enabled reports whether workers may connect.
func (s *Server) Enabled() bool { return len(s.cfg.Secret) > 0 }

// Expired counts reservations that this server has taken back.
func (s *Server) Expired(runs int) { s.metrics.expired.Add(int64(runs)) }

// Run does what is to be done while workers are connected, until ctx ends. It then
// ends every connection with 1012, after what waits to be sent, and returns when they
// are gone.
func (s *Server) Run(ctx context.Context) error {
	poll, seen := time.NewTicker(pollEvery), time.NewTicker(seenEvery)
	defer poll.Stop()
	defer seen.Stop()
	for {
		select {
		case <-ctx.Done():
			s.Stop()
			s.open.Wait()
			return nil
		case <-poll.C:
			s.poll(ctx)
		case <-s.ask.C():
			s.poll(ctx)
		case <-seen.C:
			s.seen(ctx)
		}
	}
}

// Stop ends every connection, and has new ones refused. It does not wait.
func (s *Server) Stop() {
	if s.stopping.Swap(true) {
		return
	}
	close(s.stopped)
	for _, session := range s.all() {
		session.socket.spawn(func() {
			session.socket.out.flushed(stopFlush)
			session.socket.end(websocket.StatusServiceRestart, "the server stops")
		})
	}
}

// opening counts a connection, or what is done for one. The lock orders it before the
// wait of a stop that sees it.
func (s *Server) opening() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open.Add(1)
}

// spawn runs f beside the connections. Run waits for it at its end.
func (s *Server) spawn(f func()) {
	s.opening()
	go func() {
		defer s.open.Done()
		f()
	}()
}

// pause waits, unless the server stops.
func (s *Server) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stopped:
	}
}

// unavailable reports that the database did not answer, and may later.
func unavailable(err error) bool {
	return err != nil && (kappa.ErrorCode(err) == kappa.CodeUnavailable || errors.Is(err, context.DeadlineExceeded))
}
