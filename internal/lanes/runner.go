package lanes

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	stopGrace  = 5 * time.Second // how long a stop waits for jobs that were told to stop
	storeGrace = 3 * time.Second // and then until the end of the last one is stored
)

// Runner works on claimed jobs, all at the same time, and passes to the Finisher
// how they end.
type Runner struct {
	types    *kappa.JobTypes
	handled  []string // the types that have a handler here
	finisher *Finisher
	log      *slog.Logger
	workers  sync.WaitGroup // goroutines that call handlers

	mu      sync.Mutex // guards running
	running []*run     // until their ends are stored; in no order, each knows its place
}

// claimKey identifies a claim: its token alone would do, the job is for people.
type claimKey struct {
	job   string
	token int64
}

// NewRunner returns a Runner for the job types that have a handler. The Finisher
// is its own.
func NewRunner(types *kappa.JobTypes, finisher *Finisher, log *slog.Logger) *Runner {
	r := &Runner{types: types, handled: types.Handled(), finisher: finisher, log: log}
	finisher.over = r.remove
	return r
}

// start works on claims until they are done, and frees their slots of the lane as
// their ends are stored. ctx is the worker's: its end stops the jobs.
func (r *Runner) start(ctx context.Context, claims []kappa.Claim, lane *Lane) {
	if len(claims) == 0 {
		return
	}
	b := &batch{runs: make([]*run, len(claims))}
	for i := range claims {
		b.runs[i] = newRun(ctx, claims[i], lane)
	}
	r.finisher.expect(len(claims))
	r.add(b.runs)
	b.reserve.Store(true)
	r.workers.Go(func() { r.work(b) })
}

// work works on runs of a batch until all are taken.
func (r *Runner) work(b *batch) {
	b.reserve.Store(false)
	for {
		run, reinforce := b.next()
		if run == nil {
			return
		}
		if reinforce {
			r.workers.Go(func() { r.work(b) })
		}
		run.ended(r.handle(run))
		if run.stale() {
			r.finisher.tally.stale(run.claim.Lane)
			r.finisher.dismiss(run)
			r.log.WarnContext(run.ctx, "job given up: the claim is stale", run.about()...)
			continue
		}
		r.finisher.finish(run)
	}
}

// handle calls the handler. A panic is an error of this job, not of the server.
func (r *Runner) handle(run *run) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, r.panicked(run, p)
		}
	}()
	t, known := r.types.Find(run.claim.JobType)
	if !known || t.Handler == nil {
		return nil, kappa.Permanent(fmt.Errorf("this server has no handler for job type %q", run.claim.JobType))
	}
	return t.Handler(run.ctx, run.claim)
}

func (r *Runner) panicked(run *run, p any) error {
	r.log.ErrorContext(run.ctx, "handler panicked", "job", run.claim.JobID, "type", run.claim.JobType, "panic", p, "stack", string(debug.Stack()))
	return kappa.Permanent(fmt.Errorf("the handler of %s failed unexpectedly: %v", run.claim.JobType, p))
}

// add notes that runs begin.
func (r *Runner) add(runs []*run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, run := range runs {
		run.place = len(r.running) + i
	}
	r.running = append(r.running, runs...)
}

// remove forgets runs whose ends are stored, or are not to be.
func (r *Runner) remove(runs []*run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range runs {
		end := len(r.running) - 1
		last := r.running[end]
		r.running[run.place], last.place = last, run.place
		r.running[end] = nil
		r.running = r.running[:end]
	}
}

// runs reports whether a job runs here.
func (r *Runner) runs(jobID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.running, func(run *run) bool { return run.claim.JobID == jobID })
}

// Running returns how many jobs run here.
func (r *Runner) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.running)
}

// runsOf returns what runs under an identity.
func (r *Runner) runsOf(workerID string) []*run {
	r.mu.Lock()
	defer r.mu.Unlock()
	var runs []*run
	for _, run := range r.running {
		if run.claim.Worker == workerID {
			runs = append(runs, run)
		}
	}
	return runs
}

// reconcile stops, of the given runs, those whose claims the database says are
// not ours any more, and those that are to be cancelled. Those that have ended
// since are beyond that.
func (r *Runner) reconcile(runs []*run, held []kappa.HeldClaim) {
	ours := make(map[claimKey]kappa.HeldClaim, len(held))
	for _, h := range held {
		ours[claimKey{h.JobID, h.Token}] = h
	}
	for _, run := range runs {
		h, isOurs := ours[claimKey{run.claim.JobID, run.claim.Token}]
		switch {
		case !isOurs:
			run.cancel(kappa.ErrStale)
		case h.CancelRequested:
			run.cancel(kappa.ErrCancelled)
		}
	}
}

// Drain waits until every job has ended and its end is stored. After grace, or at
// once when hurry ends, it cancels the rest with kappa.ErrShutdown: they go back
// to approved without counting the attempt. It does not wait for long for a job
// that does not heed that, nor for a database that stores nothing: such jobs are
// rescued then.
func (r *Runner) Drain(hurry context.Context, grace time.Duration) {
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		r.workers.Wait()
		close(ended)
		r.finisher.unstored.Wait()
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
	select {
	case <-ended:
	case <-time.After(stopGrace):
		r.log.WarnContext(hurry, "some jobs do not stop; they will be rescued", "jobs", r.Running())
		return
	}
	select {
	case <-done:
	case <-time.After(storeGrace):
		r.log.WarnContext(hurry, "the ends of some jobs could not be stored in time; they will be rescued")
	}
}
