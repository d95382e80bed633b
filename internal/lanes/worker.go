package lanes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// The defaults of a lease. The margin is what a worker keeps for stopping: it
// counts from the moment it sent the last heartbeat that was answered.
const (
	DefaultLease     = 15 * time.Second
	DefaultHeartbeat = 2 * time.Second
	DefaultMargin    = 3 * time.Second
	retryConnect     = 500 * time.Millisecond
	lookIdle         = 15 * time.Second // between two looks at what is held, while nothing is known to be
)

// registrar stores which workers there are, and takes back what they give back.
type registrar interface {
	finishStore
	Register(ctx context.Context, w kappa.Worker, version string, lease time.Duration) error
	Unregister(ctx context.Context, workerID string) error
}

// Heartbeat renews a lease on a connection of its own, so that busy pools
// cannot delay it. The database's clock counts.
type Heartbeat interface {
	// Renew returns kappa.ErrLeaseLost when the lease has ended.
	Renew(ctx context.Context, workerID string, lease time.Duration) error
	// Held returns the claims of the worker, as the database sees them.
	Held(ctx context.Context, workerID string) ([]kappa.HeldClaim, error)
	Close(ctx context.Context) error
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
	cfg    WorkerConfig
	runner *Runner
	look   chan struct{} // beat at once

	mu      sync.Mutex // guards what follows
	session *session
	looked  time.Time // at what is held
	doubted time.Time // when a claim failed whose outcome is not known; zero when none did
}

// session is the worker under one identity; ctx ends, with the cause, when
// nothing may be worked on under it any more.
type session struct {
	id     string
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// NewWorker returns a Worker whose claims runner works on. Run makes it live.
func NewWorker(cfg WorkerConfig, runner *Runner) *Worker {
	if cfg.Lease == 0 {
		cfg.Lease = DefaultLease
	}
	if cfg.Heartbeat == 0 {
		cfg.Heartbeat = DefaultHeartbeat
	}
	if cfg.Margin == 0 {
		cfg.Margin = DefaultMargin
	}
	return &Worker{cfg: cfg, runner: runner, look: make(chan struct{}, 1)}
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

// Check returns an error while this process holds no lease, and so may not work.
func (w *Worker) Check() error {
	if w.current() == nil {
		return kappa.NewError(kappa.CodeUnavailable, "the server holds no lease as a worker; it asks for a new one")
	}
	return nil
}

// doubt notes that a claim has failed, which may have been made all the same: its
// answer is lost then, and nobody works on its jobs.
func (w *Worker) doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.doubted = time.Now()
}

// doubts reports whether there may be such claims.
func (w *Worker) doubts() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.doubted.IsZero()
}

// looks reports whether it is time for a look at what is held, though nothing is
// known to be: what was sent on a connection that stalled may arrive long after it
// was given up.
func (w *Worker) looks() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.doubted.IsZero() || time.Since(w.looked) > lookIdle
}

// settle notes a look at the database that has found nothing to give back. It ends
// the doubt, unless a claim has failed so shortly before a look at
// the database that what it has made might not have been told from one that was
// under way.
func (w *Worker) settle(looked time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = looked
	if looked.Sub(w.doubted) > claimSettled {
		w.doubted = time.Time{}
	}
}

// Look has the worker ask the database at once, and not at the next heartbeat,
// whether a job that runs here is to stop: somebody says so who may be wrong. It
// returns at once, and does nothing for a job that does not run here.
func (w *Worker) Look(jobID string) {
	if !w.runner.runs(jobID) {
		return
	}
	select {
	case w.look <- struct{}{}:
	default:
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
	return nil
}

// live holds one identity from its registration until its lease is lost or ctx
// ends.
func (w *Worker) live(ctx context.Context, id string) error {
	sent := time.Now()
	self := kappa.Worker{ID: id, Hostname: w.cfg.Hostname, PID: w.cfg.PID}
	registerCtx, stop := context.WithTimeout(ctx, w.cfg.Lease-w.cfg.Margin)
	err := w.cfg.Store.Register(registerCtx, self, w.cfg.Version, w.cfg.Lease)
	stop()
	if err != nil {
		return err
	}
	sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(kappa.ErrLeaseLost)
	// The fence: it fires by itself, whatever a hanging call does.
	fence := time.AfterFunc(time.Until(sent.Add(w.cfg.Lease-w.cfg.Margin)), func() { cancel(kappa.ErrLeaseLost) })
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

// leave hands the lease back, and before that the claims that are in doubt: who
// leaves with jobs has crashed, for all that the others know.
func (w *Worker) leave(ctx context.Context, id string) {
	if w.doubts() {
		if err := w.giveBackAll(ctx, id); err != nil {
			w.cfg.Log.WarnContext(ctx, "claims may have been made whose answers were lost; their jobs will be rescued", "worker", id, "err", err)
		}
	}
	unregisterCtx, stop := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer stop()
	if err := w.cfg.Store.Unregister(unregisterCtx, id); err != nil {
		w.cfg.Log.WarnContext(ctx, "handing back the lease failed; it will run out", "worker", id, "err", err)
	}
}

// giveBackAll gives back all claims that no run is for. None may be under way.
func (w *Worker) giveBackAll(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	conn, err := w.dial(ctx)
	if err != nil {
		return err
	}
	defer w.closeHeartbeat(ctx, conn)
	held, err := conn.Held(ctx, id)
	if err != nil {
		return err
	}
	return w.giveBack(ctx, id, unknown(w.runner.runsOf(id), held), time.Now())
}

func (w *Worker) setSession(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session = s
}

// beat renews the lease every Heartbeat until it is lost or ctx ends,
// connecting again when the connection fails.
func (w *Worker) beat(ctx context.Context, s *session, fence *time.Timer) error {
	var conn Heartbeat
	defer func() {
		if conn != nil {
			w.closeHeartbeat(ctx, conn)
		}
	}()
	tick := time.NewTicker(w.cfg.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-tick.C:
		case <-w.look:
		}
		var err error
		if conn == nil {
			conn, err = w.dial(ctx)
		}
		if err == nil {
			err = w.renew(ctx, conn, s, fence)
		}
		if errors.Is(err, kappa.ErrLeaseLost) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			w.cfg.Log.WarnContext(ctx, "heartbeat failed", "worker", s.id, "err", err)
			if conn != nil {
				w.closeHeartbeat(ctx, conn)
				conn = nil
			}
		}
	}
}

func (w *Worker) dial(ctx context.Context) (Heartbeat, error) {
	dialCtx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	conn, err := w.cfg.Dial(dialCtx)
	if err != nil {
		return nil, err // not conn: a nil pointer in an interface is not nil
	}
	return conn, nil
}

// renew sends one heartbeat, moves the fence, and compares what the database
// says that we hold with what we work on.
func (w *Worker) renew(ctx context.Context, conn Heartbeat, s *session, fence *time.Timer) error {
	callCtx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	sent := time.Now()
	if err := conn.Renew(callCtx, s.id, w.cfg.Lease); err != nil {
		return err
	}
	if !fence.Stop() {
		return kappa.ErrLeaseLost // it fired while the answer was on its way
	}
	fence.Reset(time.Until(sent.Add(w.cfg.Lease - w.cfg.Margin)))
	runs := w.runner.runsOf(s.id)
	if len(runs) == 0 && !w.looks() {
		return nil
	}
	looked := time.Now()
	held, err := conn.Held(callCtx, s.id)
	if err != nil {
		return err
	}
	w.runner.reconcile(runs, held)
	return w.giveBack(ctx, s.id, lost(append(runs, w.runner.runsOf(s.id)...), held), looked)
}

// lost returns, of the claims that the database says are held, those that no run
// is for, though the call that made them is over: its answer did not arrive.
func lost(runs []*run, held []kappa.HeldClaim) []kappa.HeldClaim {
	return slices.DeleteFunc(unknown(runs, held), func(h kappa.HeldClaim) bool { return h.Age <= claimSettled })
}

// unknown returns, of the claims that the database says are held, those that no
// run is for.
func unknown(runs []*run, held []kappa.HeldClaim) []kappa.HeldClaim {
	known := make(map[claimKey]bool, len(runs))
	for _, r := range runs {
		known[claimKey{r.claim.JobID, r.claim.Token}] = true
	}
	return slices.DeleteFunc(held, func(h kappa.HeldClaim) bool { return known[claimKey{h.JobID, h.Token}] })
}

// giveBack releases claims that are lost, without counting an attempt. It does so
// few by few, for a database that is slow may be why they were lost.
func (w *Worker) giveBack(ctx context.Context, id string, claims []kappa.HeldClaim, looked time.Time) error {
	if len(claims) == 0 {
		w.settle(looked)
		return nil
	}
	outcomes := make([]kappa.Outcome, len(claims))
	for i, c := range claims {
		outcomes[i] = kappa.Outcome{Claim: kappa.Claim{JobID: c.JobID, Token: c.Token, Worker: id}, Status: kappa.StatusApproved}
	}
	callCtx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	for few := range slices.Chunk(outcomes, fewJobs) {
		statuses, err := w.cfg.Store.Finish(callCtx, id, few)
		if err != nil {
			return err
		}
		w.cfg.Log.WarnContext(ctx, "claims were made whose answers were lost; their jobs went back", "jobs", len(statuses))
	}
	return nil
}

func (w *Worker) closeHeartbeat(ctx context.Context, conn Heartbeat) {
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(closeCtx) // the connection is given up either way
}

// NewID returns an identity for a process: a random UUID (RFC 9562, version 4).
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
