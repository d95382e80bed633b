package lanes

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

// Runner works on claimed jobs, all at the same time, and passes their outcomes to
// the Finisher.
type Runner struct {
	types    *work.JobTypes
	handled  []string // the types that have a handler here
	finisher *Finisher
	log      *slog.Logger
	workers  sync.WaitGroup // goroutines that call handlers
	labels   labels         // of those
	policies *work.Policies // of job types; nil: the program's own
	tracer   tracing.Tracer // nil: no spans

	mu      sync.Mutex // guards what follows
	running []*run     // until their outcomes are stored or they are given up; in no order, each knows its place
	givenUp []*run     // until their handlers return
}

// claimKey identifies a claim: its token alone would do, the job is for people.
type claimKey struct {
	job   string
	token int64
}

// NewRunner returns a Runner for the job types that have a handler. The Finisher
// is its own.
func NewRunner(types *work.JobTypes, finisher *Finisher, log *slog.Logger) *Runner {
	r := &Runner{types: types, handled: types.Handled(), finisher: finisher, log: log}
	finisher.over = r.remove
	return r
}

// Obey has runs obey the policies of job types. It is to be called before Run of the lanes.
func (r *Runner) Obey(policies *work.Policies) { r.policies = policies }

// Trace has each attempt be a span of the trace in which its job was submitted. It is
// called before any job runs.
func (r *Runner) Trace(t tracing.Tracer) { r.tracer = t }

// begin returns the run of a claim, in a span of its own.
func (r *Runner) begin(ctx context.Context, c *work.Claim, s slot) *run {
	ctx, span := tracing.Begin(ctx, r.tracer, tracing.Beginning{
		Kind: tracing.Consumer, Operation: tracing.OperationProcess, Target: c.JobType, Parent: c.Traceparent, Link: c.Traceparent,
	})
	run := newRun(ctx, *c, s)
	if run.span = span; span != nil {
		span.Job(tracing.OperationProcess, tracing.TypeProcess, c.JobID, c.JobType)
		span.Int(tracing.JobAttempt, int64(c.Attempt))
		span.String(tracing.JobLane, c.Lane)
	}
	return run
}

// start works on claims until they are done, and frees their slots as their
// outcomes are stored. ctx is the worker's: its end stops the jobs.
func (r *Runner) start(ctx context.Context, claims []work.Claim, s slot) {
	if len(claims) == 0 {
		return
	}
	b := &batch{runs: make([]*run, len(claims))}
	for i := range claims {
		b.runs[i] = r.begin(ctx, &claims[i], s)
		b.runs[i].policy = r.policies
	}
	r.finisher.expect(len(claims))
	r.add(b.runs)
	b.reserve.Store(true)
	r.workers.Go(func() { r.work(ctx, b) })
}

// work works on runs of a batch until all are taken.
func (r *Runner) work(ctx context.Context, b *batch) {
	b.reserve.Store(false)
	caller := r.labels.take(ctx)
	defer r.labels.put(caller)
	for {
		run, reinforce := b.next()
		if run == nil {
			return
		}
		if reinforce {
			r.workers.Go(func() { r.work(ctx, b) })
		}
		run.caller.Store(caller)
		switch {
		case !run.ended(r.handle(run)):
			r.forget(run)
		case run.stale():
			r.finisher.counts.stale(run.claim.Lane)
			r.finisher.dismiss(run)
			r.log.WarnContext(run.ctx, "job given up: the claim is stale", run.about()...)
		default:
			r.finisher.finish(run)
		}
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
	return t.Handler(models.WithJob(run.ctx, run.claim.JobID), run.claim)
}

func (r *Runner) panicked(run *run, p any) error {
	r.log.ErrorContext(run.ctx, "handler panicked", "job", run.claim.JobID, "type", run.claim.JobType, "panic", p, "stack", string(debug.Stack()))
	return kappa.Permanent(fmt.Errorf("the handler of %s failed unexpectedly: %v", run.claim.JobType, p))
}

// add adds runs that begin.
func (r *Runner) add(runs []*run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, run := range runs {
		run.place = len(r.running) + i
	}
	r.running = append(r.running, runs...)
}

// remove removes runs whose outcomes are stored, or are not to be.
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

// forget removes a run that was given up, and whose handler has returned at last.
func (r *Runner) forget(run *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.givenUp, run); i >= 0 {
		r.givenUp = slices.Delete(r.givenUp, i, i+1)
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
func (r *Runner) reconcile(runs []*run, held []work.HeldClaim) {
	ours := make(map[claimKey]work.HeldClaim, len(held))
	for _, h := range held {
		ours[claimKey{h.JobID, h.Token}] = h
	}
	for _, run := range runs {
		h, isOurs := ours[claimKey{run.claim.JobID, run.claim.Token}]
		switch {
		case !isOurs:
			r.giveUp(run)
		case h.CancelRequested:
			run.cancel(kappa.ErrCancelled)
		}
	}
}

// giveUp gives a run up whose claim is gone. The database does not count its slot
// any more, and so neither does the lane, whether the handler returns or not.
func (r *Runner) giveUp(run *run) {
	r.mu.Lock()
	if !run.giveUp() {
		r.mu.Unlock()
		return // its handler has returned: the Finisher will learn that the claim is stale
	}
	r.givenUp = append(r.givenUp, run)
	r.mu.Unlock()
	r.finisher.counts.stale(run.claim.Lane)
	r.finisher.dismiss(run)
	r.log.WarnContext(run.ctx, "job given up: the claim is stale", run.about()...)
}

// leaseLost stops what runs under an identity whose lease is lost, and frees the
// slots. Handlers that return soon may still hand their jobs back.
func (r *Runner) leaseLost(workerID string) {
	runs := r.runsOf(workerID)
	for _, run := range runs {
		run.cancel(kappa.ErrLeaseLost)
		run.freeSlot()
	}
	wakeSlots(runs)
}

// ignoring returns the runs whose contexts have ended and whose handlers work on.
func (r *Runner) ignoring() []*run {
	r.mu.Lock()
	defer r.mu.Unlock()
	var runs []*run
	for _, run := range r.running {
		if run.working() && run.ctx.Err() != nil {
			runs = append(runs, run)
		}
	}
	return append(runs, r.givenUp...)
}
