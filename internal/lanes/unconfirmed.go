package lanes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa/work"
)

// pollIdle is the time between two polls of what is held, while nothing is known
// to be: a statement that was sent on a stalled connection may be executed long
// after its caller has given up.
const pollIdle = 15 * time.Second

// unconfirmed says whether there may be claims whose answers were lost: the
// database says that this worker holds them, and nobody works on their jobs.
type unconfirmed struct {
	mu     sync.Mutex // guards what follows
	failed time.Time  // when a claim last failed that may have been made; zero: there is none
	polled time.Time  // when the database last said that there is none
}

// claimFailed says that a claim has failed, which may have been made all the same.
func (u *unconfirmed) claimFailed() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed = time.Now()
}

// any reports whether a claim has failed since it was last known that none is lost.
func (u *unconfirmed) any() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return !u.failed.IsZero()
}

// due reports whether the database is to be asked, though nothing runs here.
func (u *unconfirmed) due() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return !u.failed.IsZero() || time.Since(u.polled) > pollIdle
}

// none says that the database was asked at an instant and had no claim that was
// lost. A claim that failed shortly before that may have been taken for one that
// was under way, and stays unconfirmed.
func (u *unconfirmed) none(polled time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.polled = polled
	if polled.Sub(u.failed) > claimSettled {
		u.failed = time.Time{}
	}
}

// lost returns the held claims that no run is for, though the calls that made them
// are over: their answers did not arrive.
func lost(runs []*run, held []work.HeldClaim) []work.HeldClaim {
	return slices.DeleteFunc(unknown(runs, held), func(h work.HeldClaim) bool { return h.Age <= claimSettled })
}

// unknown returns the held claims that no run is for.
func unknown(runs []*run, held []work.HeldClaim) []work.HeldClaim {
	known := make(map[claimKey]bool, len(runs))
	for _, r := range runs {
		known[claimKey{r.claim.JobID, r.claim.Token}] = true
	}
	return slices.DeleteFunc(held, func(h work.HeldClaim) bool { return known[claimKey{h.JobID, h.Token}] })
}

// release gives lost claims back without counting an attempt, in small batches: a
// slow database may be the reason they were lost. polled is when they were found.
func (w *Worker) release(ctx context.Context, id string, claims []work.HeldClaim, polled time.Time) error {
	if len(claims) == 0 {
		w.unconfirmed.none(polled)
		return nil
	}
	outcomes := make([]work.Outcome, len(claims))
	for i, c := range claims {
		outcomes[i] = work.Outcome{Claim: work.Claim{JobID: c.JobID, Token: c.Token, Worker: id}, Status: work.StatusApproved}
	}
	callCtx, cancel := context.WithTimeout(ctx, w.cfg.Heartbeat)
	defer cancel()
	for batch := range slices.Chunk(outcomes, smallBatch) {
		statuses, err := w.cfg.Store.Finish(callCtx, id, batch)
		if err != nil {
			return err
		}
		w.cfg.Log.WarnContext(ctx, "claims were made whose answers were lost; their jobs went back", "jobs", len(statuses))
	}
	return nil
}

// releaseUnconfirmed releases all claims that no run is for. No claim may be under
// way.
func (w *Worker) releaseUnconfirmed(ctx context.Context, id string) error {
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
	return w.release(ctx, id, unknown(w.runner.runsOf(id), held), time.Now())
}
