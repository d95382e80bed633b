package lanes

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// The defaults of a lease. The margin is what a worker keeps for stopping: it
// counts from the moment it sent the last heartbeat that was answered.
const (
	DefaultLease     = 15 * time.Second
	DefaultHeartbeat = 2 * time.Second
	DefaultMargin    = 3 * time.Second
	retryConnect     = 500 * time.Millisecond
)

// registrar stores which workers there are, and releases their claims.
type registrar interface {
	finishStore
	Register(ctx context.Context, w work.Worker, version string, lease time.Duration) error
	Unregister(ctx context.Context, workerID string) error
}

// WorkerConfig describes this process as a worker.
type WorkerConfig struct {
	ID       string // UUID of the process: the worker's first identity
	Hostname string // a label
	PID      int
	Version  string
	Store    registrar
	Dial     func(ctx context.Context) (Heartbeat, error)
	Live     func() // called when jobs may be claimed under a new identity; must not block
	Log      *slog.Logger

	Lease     time.Duration // 0 = DefaultLease
	Heartbeat time.Duration // 0 = DefaultHeartbeat; at most a quarter of Lease
	Margin    time.Duration // 0 = DefaultMargin; below Lease
}

// Worker keeps this process's lease. When the lease is lost all of its jobs are
// stopped and the process goes on under a new identity.
type Worker struct {
	cfg         WorkerConfig
	runner      *Runner
	wake        kappa.Waker // reconcile now
	unconfirmed unconfirmed

	mu      sync.Mutex // guards what follows
	id      string     // the last identity that was registered, or the first
	session *session
}

// session is the worker under one identity; ctx ends, with the cause, when
// nothing may be worked on under it any more.
type session struct {
	id     string
	ctx    context.Context //nolint:containedctx // of an identity, whose end others have to see
	cancel context.CancelCauseFunc
}

// NewWorker returns a Worker whose claims runner works on. Run makes it live.
func NewWorker(cfg WorkerConfig, runner *Runner) *Worker {
	kappa.Require(cfg, "Live")
	if cfg.Lease == 0 {
		cfg.Lease = DefaultLease
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = DefaultHeartbeat
	}
	if cfg.Margin == 0 {
		cfg.Margin = DefaultMargin
	}
	return &Worker{cfg: cfg, runner: runner, wake: kappa.NewWaker(), id: cfg.ID}
}

// current returns the identity under which jobs may be claimed, or nil. There is
// none once the fence has fired, even while a hanging call keeps its session.
func (w *Worker) current() *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.session == nil || w.session.ctx.Err() != nil {
		return nil
	}
	return w.session
}

// ID returns the identity that this process has as a worker, or had last while it
// holds no lease. It changes when the lease is lost.
func (w *Worker) ID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.id
}

// Check returns an error while this process holds no lease, and so may not work.
func (w *Worker) Check() error {
	if w.current() == nil {
		return kappa.NewError(kappa.CodeUnavailable, "the server holds no lease as a worker; it asks for a new one")
	}
	return nil
}

// Reconcile has the worker ask the database now, and not only at the next
// heartbeat, whether the attempt at a job that runs here is to stop. Whoever says so
// may be wrong: a notification is a hint. It returns at once, and does nothing for a
// job that does not run here.
func (w *Worker) Reconcile(jobID string) {
	if w.runner.runs(jobID) {
		w.wake.Wake()
	}
}

// Run registers the worker and renews its lease until ctx ends. It returns nil
// after the lease is handed back; jobs are to be drained before.
func (w *Worker) Run(ctx context.Context) error {
	id := w.cfg.ID
	for ctx.Err() == nil {
		err := w.live(ctx, id)
		if ctx.Err() != nil {
			break
		}
		w.cfg.Log.WarnContext(ctx, "worker lost its lease; going on under a new identity", "worker", id, "err", err)
		id = NewID()
		select {
		case <-ctx.Done():
		case <-time.After(kappa.Jitter(retryConnect)):
		}
	}
	return nil //nolint:nilerr // it was asked to stop
}

// live holds one identity from its registration until its lease is lost or ctx
// ends.
func (w *Worker) live(ctx context.Context, id string) error {
	sent := time.Now()
	self := work.Worker{ID: id, Hostname: w.cfg.Hostname, PID: w.cfg.PID, JobTypes: w.runner.handled}
	registerCtx, stop := context.WithTimeout(ctx, w.cfg.Lease-w.cfg.Margin)
	err := w.cfg.Store.Register(registerCtx, self, w.cfg.Version, w.cfg.Lease)
	stop()
	if err != nil {
		return err
	}
	sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	loseLease := func() {
		cancel(kappa.ErrLeaseLost)
		w.runner.leaseLost(id)
	}
	defer loseLease()
	// The fence: it fires by itself, whatever a hanging call does.
	fence := time.AfterFunc(time.Until(sent.Add(w.cfg.Lease-w.cfg.Margin)), loseLease)
	defer fence.Stop()
	s := &session{id: id, ctx: sessionCtx, cancel: cancel}
	w.setSession(s)
	defer w.setSession(nil)
	w.cfg.Live()
	if err := w.beat(ctx, s, fence); ctx.Err() == nil {
		return err
	}
	w.leave(context.WithoutCancel(ctx), id)
	return nil
}

// leave hands the lease back. Unconfirmed claims go back before: to the others, a
// worker that unregisters while it holds jobs has crashed.
func (w *Worker) leave(ctx context.Context, id string) {
	if w.unconfirmed.any() {
		if err := w.releaseUnconfirmed(ctx, id); err != nil {
			w.cfg.Log.WarnContext(ctx, "claims whose answers were lost could not be released; their jobs will be rescued", "worker", id, "err", err)
		}
	}
	unregisterCtx, stop := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer stop()
	if err := w.cfg.Store.Unregister(unregisterCtx, id); err != nil {
		w.cfg.Log.WarnContext(ctx, "handing back the lease failed; it will run out", "worker", id, "err", err)
	}
}

func (w *Worker) setSession(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = s
	if s != nil {
		w.id = s.id
	}
}

// NewID returns an identity for a process: a random UUID (RFC 9562, version 4).
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
