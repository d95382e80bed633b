package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	maxFinish      = 500 // outcomes in one statement
	finishTimeout  = 10 * time.Second
	finishRetry    = 100 * time.Millisecond
	finishRetryMax = 5 * time.Second
)

// finishStore stores how attempts ended; see postgres.Store.Finish.
type finishStore interface {
	Finish(ctx context.Context, worker string, outcomes []kappa.Outcome) (map[string]kappa.Status, error)
}

// Finisher stores how attempts ended, grouped: while one statement is on its
// way, the attempts that end meanwhile wait for the next one. Nothing waits
// when there is no traffic.
type Finisher struct {
	store finishStore
	log   *slog.Logger
	queue chan pendingOutcome
}

type pendingOutcome struct {
	outcome kappa.Outcome
	stored  chan storedOutcome
}

type storedOutcome struct {
	status kappa.Status // the job's status now
	ok     bool         // the claim was current
}

// NewFinisher returns a Finisher; Run makes it store.
func NewFinisher(store finishStore, log *slog.Logger) *Finisher {
	return &Finisher{store: store, log: log, queue: make(chan pendingOutcome, maxFinish)}
}

// finish stores an outcome and returns the job's status; ok is false when the
// claim was stale. It waits as long as the database is away.
func (f *Finisher) finish(ctx context.Context, o kappa.Outcome) (status kappa.Status, ok bool) {
	p := pendingOutcome{outcome: o, stored: make(chan storedOutcome, 1)}
	select {
	case f.queue <- p:
	case <-ctx.Done():
		return "", false
	}
	s := <-p.stored
	return s.status, s.ok
}

// Run stores outcomes until ctx ends, which is to be after the last job has
// ended; it returns nil.
func (f *Finisher) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			f.refuse()
			return nil
		case first := <-f.queue:
			for worker, group := range byWorker(f.collect(first)) {
				f.storeGroup(ctx, worker, group)
			}
		}
	}
}

// collect takes what else has come by now.
func (f *Finisher) collect(first pendingOutcome) []pendingOutcome {
	group := []pendingOutcome{first}
	for len(group) < maxFinish {
		select {
		case p := <-f.queue:
			group = append(group, p)
		default:
			return group
		}
	}
	return group
}

// refuse answers those that came too late; their jobs will be rescued.
func (f *Finisher) refuse() {
	for {
		select {
		case p := <-f.queue:
			p.stored <- storedOutcome{}
		default:
			return
		}
	}
}

func byWorker(group []pendingOutcome) map[string][]pendingOutcome {
	workers := map[string][]pendingOutcome{}
	for _, p := range group {
		workers[p.outcome.Claim.Worker] = append(workers[p.outcome.Claim.Worker], p)
	}
	return workers
}

// storeGroup stores the outcomes of one worker. While the database is away it tries
// again; an outcome that the database refuses is stored as a failure that says
// so, alone, so that it cannot hold up the others.
func (f *Finisher) storeGroup(ctx context.Context, worker string, group []pendingOutcome) {
	outcomes := make([]kappa.Outcome, len(group))
	for i, p := range group {
		outcomes[i] = p.outcome
	}
	wait := finishRetry
	for {
		storeCtx, cancel := context.WithTimeout(ctx, finishTimeout)
		statuses, err := f.store.Finish(storeCtx, worker, outcomes)
		cancel()
		switch {
		case err == nil:
			for _, p := range group {
				status, ok := statuses[p.outcome.Claim.JobID]
				p.stored <- storedOutcome{status, ok}
			}
			return
		case ctx.Err() != nil:
			for _, p := range group {
				p.stored <- storedOutcome{}
			}
			return
		case kappa.ErrorCode(err) != kappa.CodeUnavailable:
			f.storeRefused(ctx, worker, group, err)
			return
		}
		f.log.WarnContext(ctx, "storing outcomes failed; trying again", "jobs", len(group), "err", err, "retry_in", wait)
		select {
		case <-ctx.Done():
		case <-time.After(kappa.Jitter(wait)):
		}
		wait = min(2*wait, finishRetryMax)
	}
}

// storeRefused stores outcomes of a group that the database refused.
func (f *Finisher) storeRefused(ctx context.Context, worker string, group []pendingOutcome, cause error) {
	if len(group) > 1 {
		for _, p := range group {
			f.storeGroup(ctx, worker, []pendingOutcome{p})
		}
		return
	}
	p := group[0]
	f.log.ErrorContext(ctx, "the database refused an outcome", "job", p.outcome.Claim.JobID, "outcome", p.outcome.Status, "err", cause)
	if p.outcome.Status == kappa.StatusFailed && p.outcome.Result == nil {
		p.stored <- storedOutcome{} // nothing simpler is left; the stale timeout will end it
		return
	}
	p.outcome = kappa.Outcome{
		Claim: p.outcome.Claim, Status: kappa.StatusFailed,
		Error: "The result could not be stored: " + kappa.ErrorMessage(cause),
	}
	f.storeGroup(ctx, worker, []pendingOutcome{p})
}
