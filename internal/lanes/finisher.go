package lanes

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	maxFinish      = 500 // outcomes in one statement
	finishTimeout  = 10 * time.Second
	finishBusy     = 5 * time.Millisecond // since the last statement: there is traffic
	finishLinger   = time.Millisecond     // for more outcomes, while there is traffic
	finishRetry    = 100 * time.Millisecond
	finishRetryMax = 5 * time.Second
)

// finishStore stores how attempts ended; see postgres.Store.Finish.
type finishStore interface {
	Finish(ctx context.Context, worker string, outcomes []kappa.Outcome) (map[string]kappa.Status, error)
}

// Finisher stores how attempts ended, grouped: while one statement is on its
// way, the attempts that end meanwhile wait for the next one, and for up to a
// millisecond more while others are at work. Nothing waits when there is no
// traffic.
type Finisher struct {
	store finishStore
	log   *slog.Logger
	queue chan pendingOutcome
	// atWork counts the attempts whose outcomes are still to come.
	atWork atomic.Int64
}

type pendingOutcome struct {
	outcome kappa.Outcome
	slot    slot
	stored  chan storedOutcome
}

// slot is what a running job takes up. Free gives it back; after that, wake has
// somebody look who could use it. Of a group of jobs that end together all free
// their slots before anybody is woken, so that one claim takes them all.
type slot struct {
	free, wake func()
}

type storedOutcome struct {
	status kappa.Status // the job's status now
	ok     bool         // the claim was current
}

// NewFinisher returns a Finisher; Run makes it store.
func NewFinisher(store finishStore, log *slog.Logger) *Finisher {
	return &Finisher{store: store, log: log, queue: make(chan pendingOutcome, maxFinish)}
}

// expect notes that an attempt begins, whose outcome is to come by finish, or not
// at all by dismiss.
func (f *Finisher) expect() { f.atWork.Add(1) }

// dismiss frees the slot of an attempt without an outcome.
func (f *Finisher) dismiss(used slot) {
	f.atWork.Add(-1)
	used.release()
}

// finish stores an outcome, frees the slot, and returns the job's status; ok is
// false when the claim was stale. It waits as long as the database is away.
func (f *Finisher) finish(ctx context.Context, o kappa.Outcome, used slot) (status kappa.Status, ok bool) {
	p := pendingOutcome{outcome: o, slot: used, stored: make(chan storedOutcome, 1)}
	select {
	case f.queue <- p:
		f.atWork.Add(-1)
	case <-ctx.Done():
		f.dismiss(used)
		return "", false
	}
	s := <-p.stored
	return s.status, s.ok
}

// Run stores outcomes until ctx ends, which is to be after the last job has
// ended; it returns nil.
func (f *Finisher) Run(ctx context.Context) error {
	var last time.Time // end of the last statement
	for {
		select {
		case <-ctx.Done():
			f.refuse()
			return nil
		case first := <-f.queue:
			for worker, group := range byWorker(f.collect(first, time.Since(last) < finishBusy)) {
				f.storeGroup(ctx, worker, group)
			}
			last = time.Now()
		}
	}
}

// collect takes what else has come by now, or comes in a moment while there is
// traffic: jobs that were claimed together often end together, and a slot that
// is freed alone is claimed alone.
func (f *Finisher) collect(first pendingOutcome, busy bool) []pendingOutcome {
	group := []pendingOutcome{first}
	var over <-chan time.Time
	if busy {
		over = time.After(finishLinger)
	}
	for len(group) < maxFinish {
		select {
		case p := <-f.queue:
			group = append(group, p)
			continue
		default:
		}
		if over == nil || f.atWork.Load() == 0 {
			return f.takeRest(group)
		}
		select {
		case p := <-f.queue:
			group = append(group, p)
		case <-over:
			over = nil
		}
	}
	return group
}

// takeRest adds what has come since the queue was found empty.
func (f *Finisher) takeRest(group []pendingOutcome) []pendingOutcome {
	for range len(f.queue) {
		if len(group) == maxFinish {
			break
		}
		group = append(group, <-f.queue)
	}
	return group
}

// refuse answers those that came too late; their jobs will be rescued.
func (f *Finisher) refuse() {
	for {
		select {
		case p := <-f.queue:
			answer([]pendingOutcome{p}, nil)
		default:
			return
		}
	}
}

// answer tells those who wait that their outcomes are stored, or are not to be,
// and frees their slots.
func answer(group []pendingOutcome, statuses map[string]kappa.Status) {
	for _, p := range group {
		p.slot.free()
	}
	for _, p := range group {
		p.slot.wake()
		status, ok := statuses[p.outcome.Claim.JobID]
		p.stored <- storedOutcome{status, ok}
	}
}

// release frees a slot for whoever can use it.
func (s slot) release() {
	s.free()
	s.wake()
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
			answer(group, statuses)
			return
		case ctx.Err() != nil:
			answer(group, nil)
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
		answer(group, nil) // nothing simpler is left; the stale timeout will end it
		return
	}
	p.outcome = kappa.Outcome{
		Claim: p.outcome.Claim, Status: kappa.StatusFailed,
		Error: "The result could not be stored: " + kappa.ErrorMessage(cause),
	}
	f.storeGroup(ctx, worker, []pendingOutcome{p})
}
