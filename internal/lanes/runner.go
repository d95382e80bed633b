package lanes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// Runner works on claimed jobs, each in a goroutine of its own, and passes to
// the Finisher how they end.
type Runner struct {
	handlers map[string]kappa.Handler
	finisher *Finisher
	log      *slog.Logger
	jobs     sync.WaitGroup

	mu      sync.Mutex // guards running
	running map[claimKey]*run
}

// claimKey identifies a claim: its token alone would do, the job is for people.
type claimKey struct {
	job   string
	token int64
}

type run struct {
	claim  kappa.Claim
	cancel context.CancelCauseFunc
}

// NewRunner returns a Runner for the given handlers, by job type.
func NewRunner(handlers map[string]kappa.Handler, finisher *Finisher, log *slog.Logger) *Runner {
	return &Runner{handlers: handlers, finisher: finisher, log: log, running: map[claimKey]*run{}}
}

// Types returns the job types that can be worked on, sorted.
func (r *Runner) Types() []string {
	types := make([]string, 0, len(r.handlers))
	for t := range r.handlers {
		types = append(types, t)
	}
	slices.Sort(types)
	return types
}

// start works on a claim until it is done, and frees its slot when its end is
// stored. ctx is the worker's: its end stops the job.
func (r *Runner) start(ctx context.Context, claim kappa.Claim, used slot) {
	jobCtx, cancel := context.WithCancelCause(ctx)
	key := claimKey{claim.JobID, claim.Token}
	r.mu.Lock()
	r.running[key] = &run{claim: claim, cancel: cancel}
	r.mu.Unlock()
	r.finisher.expect()
	r.jobs.Go(func() {
		defer cancel(nil)
		result, err := r.work(jobCtx, claim)
		r.mu.Lock()
		delete(r.running, key)
		r.mu.Unlock()
		r.finish(jobCtx, claim, used, result, err)
	})
}

// work calls the handler. A panic is an error of this job, not of the server.
func (r *Runner) work(ctx context.Context, claim kappa.Claim) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(ctx, "handler panicked", "job", claim.JobID, "type", claim.JobType, "panic", p, "stack", string(debug.Stack()))
			err = kappa.Permanent(fmt.Errorf("the handler of %s failed unexpectedly: %v", claim.JobType, p))
		}
	}()
	handler, ok := r.handlers[claim.JobType]
	if !ok {
		return nil, kappa.Permanent(fmt.Errorf("this server has no handler for job type %q", claim.JobType))
	}
	return handler(ctx, claim)
}

// finish stores how an attempt ended, unless the claim is another's by now, and
// frees its slot.
func (r *Runner) finish(ctx context.Context, claim kappa.Claim, used slot, result json.RawMessage, err error) {
	if errors.Is(err, kappa.ErrStale) || (err != nil && errors.Is(context.Cause(ctx), kappa.ErrStale)) {
		r.finisher.dismiss(used)
		r.log.WarnContext(ctx, "job given up: the claim is stale", about(claim)...)
		return
	}
	outcome := kappa.Conclude(ctx, claim, result, err, rand.Float64())
	status, stored := r.finisher.finish(context.WithoutCancel(ctx), outcome, used)
	if !stored {
		r.log.WarnContext(ctx, "job ended, but the claim was stale", append(about(claim), "outcome", outcome.Status)...)
		return
	}
	if r.log.Enabled(ctx, slog.LevelInfo) {
		r.log.InfoContext(ctx, "job ended", append(about(claim), "status", status, "err", err, "seconds", time.Since(claim.ClaimedAt).Seconds())...)
	}
}

// about says in a log which attempt is meant.
func about(c kappa.Claim) []any {
	return []any{"job", c.JobID, "type", c.JobType, "lane", c.Lane, "attempt", c.Attempt}
}

// Cancel stops a job if it runs here.
func (r *Runner) Cancel(jobID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, run := range r.running {
		if key.job == jobID {
			run.cancel(kappa.ErrCancelled)
		}
	}
}

// runs reports whether a job runs here.
func (r *Runner) runs(jobID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.running {
		if key.job == jobID {
			return true
		}
	}
	return false
}

// claimsOf returns the claims that are worked on under an identity.
func (r *Runner) claimsOf(workerID string) []kappa.Claim {
	r.mu.Lock()
	defer r.mu.Unlock()
	var claims []kappa.Claim
	for _, run := range r.running {
		if run.claim.Worker == workerID {
			claims = append(claims, run.claim)
		}
	}
	return claims
}

// reconcile stops, of the given claims, those that the database says are not
// ours any more, and those that are to be cancelled.
func (r *Runner) reconcile(claims []kappa.Claim, held []kappa.HeldClaim) {
	ours := make(map[claimKey]kappa.HeldClaim, len(held))
	for _, h := range held {
		ours[claimKey{h.JobID, h.Token}] = h
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range claims {
		key := claimKey{c.JobID, c.Token}
		run, running := r.running[key]
		if !running {
			continue
		}
		h, isOurs := ours[key]
		switch {
		case !isOurs:
			run.cancel(kappa.ErrStale)
		case h.CancelRequested:
			run.cancel(kappa.ErrCancelled)
		}
	}
}

// Drain waits until every job has ended. After grace, or at once when hurry
// ends, it cancels the rest with kappa.ErrShutdown: they go back to approved
// without counting the attempt.
func (r *Runner) Drain(hurry context.Context, grace time.Duration) {
	done := make(chan struct{})
	go func() {
		r.jobs.Wait()
		close(done)
	}()
	limit := time.NewTimer(grace)
	defer limit.Stop()
	select {
	case <-done:
		return
	case <-hurry.Done():
	case <-limit.C:
	}
	r.mu.Lock()
	for _, run := range r.running {
		run.cancel(kappa.ErrShutdown)
	}
	r.mu.Unlock()
	<-done
}
