package worker

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

const (
	firstRetry   = 500 * time.Millisecond
	lastRetry    = 10 * time.Second
	steadyAfter  = 30 * time.Second // of connection, after which the next loss is the first one again
	refusedFor   = 5 * time.Minute  // a token may be refused while keys are changed
	farewellTime = 500 * time.Millisecond
	lingerTime   = 500 * time.Millisecond // for handlers, at the very end
)

// Refused is the error of Run when the server does not want this worker.
type Refused struct{ Reason string }

// Error returns the reason.
func (r *Refused) Error() string { return "refused by the server: " + r.Reason }

// Worker claims jobs of a server, and works on them.
type Worker struct {
	cfg      Config
	log      *slog.Logger
	dial     dialer
	types    []string
	handlers sync.WaitGroup
	over     chan struct{} // closed at the very end: nobody waits for handlers any more
	stop     context.CancelCauseFunc

	mu       sync.Mutex // guards what follows
	id       string
	session  *session // that has joined; nil
	joined   chan struct{}
	answer   wire.JoinAnswer
	runs     map[string]*run // by job: what the server takes as ours
	highest  map[string]int64
	inFlight int // durable events without an answer
	lease    lease
	drain    drain
	groups   []*group
	named    int   // groups, so far
	orders   int64 // number of the last ones, of this connection
	ready    bool  // the last heartbeat was answered
}

// New returns a worker. It connects to nothing. The error names everything that is wrong.
func New(cfg Config) (*Worker, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	w := &Worker{
		cfg: cfg, log: cfg.Log, dial: dialOver(cfg.Roots), types: cfg.types(), over: make(chan struct{}), joined: make(chan struct{}),
		id: newID(), runs: map[string]*run{}, highest: map[string]int64{},
	}
	w.groupsLocked(cfg.Groups)
	return w, nil
}

// Run works until ctx ends. It then claims no more, gives running jobs the time of
// Config.Grace to end, hands the others back, and returns nil. It returns a *Refused when
// the server does not want the worker. It must be called once.
func (w *Worker) Run(ctx context.Context) error {
	runCtx, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	w.mu.Lock()
	w.stop = stop
	w.mu.Unlock()
	unhook := context.AfterFunc(ctx, func() {
		w.log.InfoContext(ctx, "stopping, as requested", "grace", w.cfg.Grace)
		w.drainFor(w.cfg.Grace, true)
	})
	defer unhook()
	w.connect(runCtx)
	w.endAll()
	err := context.Cause(runCtx)
	if errors.Is(err, errEnough) {
		err = nil
	}
	w.log.InfoContext(ctx, "worker ended", "err", err)
	return err
}

// Abort ends Run at once. The server takes the runs back when the lease is over.
func (w *Worker) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopLocked(errors.New("interrupted"))
}

func (w *Worker) stopLocked(cause error) {
	if w.stop != nil {
		w.stop(cause)
	}
}

// connect keeps a connection until ctx ends.
func (w *Worker) connect(ctx context.Context) {
	var refusedSince time.Time
	ever := false
	for n := 0; ctx.Err() == nil; n++ {
		began := time.Now()
		joined, err := w.connection(ctx)
		if ctx.Err() != nil {
			return
		}
		if ever = ever || joined; joined && time.Since(began) >= steadyAfter {
			n = 0
		}
		if errors.Is(err, errRegrouped) { // at once
			n--
			continue
		}
		wait := reconnectDelay(n, restarting(err))
		if r, ok := errors.AsType[*refusedError](err); !ok || r.status != http.StatusUnauthorized && r.status != http.StatusForbidden {
			refusedSince = time.Time{}
			if ok {
				wait = max(wait, r.after)
			}
		} else {
			if refusedSince.IsZero() {
				refusedSince = time.Now()
			}
			if !ever || time.Since(refusedSince) >= refusedFor {
				w.stop(&Refused{r.text})
				return
			}
		}
		w.log.WarnContext(ctx, "not connected; trying again", "err", err, "wait", wait.Round(time.Millisecond))
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// reconnectDelay returns how long to wait before connection n+1 is tried.
func reconnectDelay(n int, restarting bool) time.Duration {
	if restarting {
		return time.Duration(rand.Float64() * float64(time.Second))
	}
	most := min(lastRetry, firstRetry<<min(n, 10))
	return time.Duration((0.5 + 0.5*rand.Float64()) * float64(most))
}

// connection connects once, and returns why the connection ended. joined says that the
// server took the worker.
func (w *Worker) connection(ctx context.Context) (joined bool, err error) {
	w.mu.Lock()
	id := w.id
	w.mu.Unlock()
	token, err := wire.SignWorkerToken(w.cfg.Secret, id, time.Now())
	if err != nil {
		return false, err
	}
	l, err := w.dial(ctx, w.cfg.Server, token)
	if err != nil {
		return false, err
	}
	var s *session
	s = newSession(context.WithoutCancel(ctx), l, w.log, func(event string, payload json.RawMessage) { w.pushed(s, event, payload) })
	var all sync.WaitGroup
	all.Go(s.run)
	all.Go(func() {
		joined = w.join(s)
		if !joined {
			return
		}
		var loops sync.WaitGroup
		loops.Go(func() { w.heartbeats(s) })
		w.mu.Lock()
		groups := w.groups
		w.mu.Unlock()
		for _, g := range groups {
			loops.Go(func() { w.claims(s, g) })
		}
		loops.Wait()
	})
	select {
	case <-ctx.Done():
		w.farewell(s)
	case <-s.ctx.Done():
		l.Close(false)
	}
	s.cancel(errClosed)
	all.Wait()
	w.detach(s)
	cause := context.Cause(s.ctx)
	w.log.InfoContext(ctx, "disconnected", "worker", id, "reason", cause)
	return joined, cause
}

// farewell leaves the channel and closes the connection in good order.
func (w *Worker) farewell(s *session) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.call(wire.EventLeave, struct{}{}, farewellTime)
		s.line.Close(true)
	}()
	timer := time.NewTimer(farewellTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		s.line.Close(false)
		s.cancel(errClosed)
		<-done
	}
}

// endAll has what still runs end. It waits a moment, and no longer.
func (w *Worker) endAll() {
	w.mu.Lock()
	w.lease.stop()
	w.drain.stop()
	for _, r := range w.runs {
		r.cancel(errStopped)
	}
	w.mu.Unlock()
	close(w.over)
	done := make(chan struct{})
	go func() {
		w.handlers.Wait()
		close(done)
	}()
	timer := time.NewTimer(lingerTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		w.log.Warn("handlers have not ended; they end with the process")
	}
}

// Ready returns nil when the worker is connected, has joined, and its last heartbeat was
// answered.
func (w *Worker) Ready() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.session == nil:
		return errors.New("not connected")
	case !w.ready:
		return errors.New("the last heartbeat was not answered")
	}
	return nil
}

// has reports whether the server has a capability.
func (w *Worker) hasLocked(capability string) bool { return slices.Contains(w.answer.Caps, capability) }

// refuseLocked does what a fatal error says: a worker whose lease is over takes a new
// identity, and any other ends.
func (w *Worker) refuseLocked(s *session, e *wire.Error) {
	for _, r := range w.runs {
		w.loseLocked(r, "fatal: "+string(e.Code))
	}
	if e.Code != wire.CodeLeaseExpired {
		w.stopLocked(&Refused{e.Error()})
		return
	}
	w.log.Warn("the lease is over; taking a new identity", "worker", w.id)
	w.id = newID()
	s.cancel(e)
}
