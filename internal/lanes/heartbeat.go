package lanes

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// Heartbeat renews a lease on a connection of its own, so that busy pools
// cannot delay it. The database's clock counts.
type Heartbeat interface {
	// Renew returns kappa.ErrLeaseLost when the lease has ended.
	Renew(ctx context.Context, workerID string, lease time.Duration) error
	// Held returns the claims of the worker, as the database sees them.
	Held(ctx context.Context, workerID string) ([]work.HeldClaim, error)
	Close(ctx context.Context) error
}

// beat renews the lease every Heartbeat until it is lost or ctx ends, and
// reconciles at once when woken. It connects again when the connection fails.
func (w *Worker) beat(ctx context.Context, s *session, fence *time.Timer) error {
	var conn Heartbeat
	defer func() { w.closeHeartbeat(ctx, conn) }()
	tick := time.NewTicker(w.cfg.Heartbeat)
	defer tick.Stop()
	for {
		call := w.renew
		select {
		case <-ctx.Done():
			return nil
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		case <-tick.C:
		case <-w.wake.C():
			call = w.reconcileNow
		}
		var err error
		if conn == nil {
			conn, err = w.dial(ctx)
		}
		if err == nil {
			err = call(ctx, conn, s, fence)
		}
		if errors.Is(err, kappa.ErrLeaseLost) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			w.cfg.Log.WarnContext(ctx, "heartbeat failed", "worker", s.id, "err", err)
			w.closeHeartbeat(ctx, conn)
			conn = nil
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

// renew sends one heartbeat, moves the fence, and reconciles if there is anything
// to reconcile.
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
	if len(w.runner.runsOf(s.id)) == 0 && !w.unconfirmed.due() {
		return nil
	}
	return w.reconcile(callCtx, conn, s.id)
}

// reconcileNow reconciles between two heartbeats.
func (w *Worker) reconcileNow(ctx context.Context, conn Heartbeat, s *session, _ *time.Timer) error {
	callCtx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	return w.reconcile(callCtx, conn, s.id)
}

// reconcile compares the claims that the database says are held with the jobs
// that run here: it stops the runs whose claims are gone or are to be cancelled,
// and releases the claims that nobody works on.
func (w *Worker) reconcile(ctx context.Context, conn Heartbeat, id string) error {
	runs := w.runner.runsOf(id)
	polled := time.Now()
	held, err := conn.Held(ctx, id)
	if err != nil {
		return err
	}
	w.runner.reconcile(runs, held)
	return w.release(ctx, id, lost(append(runs, w.runner.runsOf(id)...), held), polled)
}

// closeHeartbeat gives a connection up, which may be nil.
func (w *Worker) closeHeartbeat(ctx context.Context, conn Heartbeat) {
	if conn == nil {
		return
	}
	closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(closeCtx) // the connection is given up either way
}
