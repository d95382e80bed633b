package lanes

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	claimTimeout  = 5 * time.Second
	claimLinger   = time.Second                // for a claim that is under way when the lane stops
	claimSettled  = claimTimeout + time.Second // after which a claim is surely known to who has made it
	claimRetry    = 100 * time.Millisecond     // after a claim that failed; doubled each time, up to the poll interval
	claimRetryMax = 5 * time.Second            // and up to this: a lane that polls rarely is to go on soon, too
	spareJobs     = 16                         // more that a claim reads, after one that got fewer than it asked for
	spareFor      = time.Minute                // since that claim
)

// claimer claims jobs; see postgres.ClaimStore.Claim.
type claimer interface {
	Claim(ctx context.Context, r work.ClaimRequest) (work.ClaimBatch, error)
}

// Lane claims jobs for its free slots and hands them to the Runner.
type Lane struct {
	name     string
	store    claimer
	worker   *Worker
	runner   *Runner
	ceiling  int // of its slots
	log      *slog.Logger
	settings atomic.Pointer[work.Lane]
	backlog  backlog
	size     batchSize
	short    time.Time    // when a claim last got fewer jobs than it asked for: some may be locked
	running  atomic.Int64 // slots of this lane that are taken here
	pulse    pulse        // of the loop
	wake     kappa.Waker  // work may have come, a slot is free, or the settings changed
	survey   *survey      // polls for all lanes; nil: this one polls for itself
	empty    bool         // the last claim found nothing of all that waited
}

func newLane(l work.Lane, cfg ManagerConfig, s *survey) *Lane {
	lane := &Lane{
		name: l.Name, store: cfg.Store, worker: cfg.Worker, runner: cfg.Runner, ceiling: cfg.Ceiling,
		log: cfg.Log.With("lane", l.Name), wake: kappa.NewWaker(), survey: s,
	}
	lane.settings.Store(&l)
	return lane
}

// update takes over new settings; they act on the next cycle, which starts now.
func (l *Lane) update(settings work.Lane) {
	l.settings.Store(&settings)
	l.Wake()
}

// Wake starts a cycle now. It returns at once and may be called at any time.
func (l *Lane) Wake() { l.wake.Wake() }

// free frees a slot that a job has left.
func (l *Lane) free() { l.running.Add(-1) }

// Run claims jobs until ctx ends: when woken, when a slot comes free, soon after
// a claim that failed, and every poll interval, unless the survey says that nothing
// waits. While the database's disk is full it only tries every few seconds. The jobs
// that run then go on; see Runner.Drain.
func (l *Lane) Run(ctx context.Context) error {
	poll := time.NewTimer(0)
	defer poll.Stop()
	retry, wake := claimRetry, l.wake.C()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-poll.C:
			if rest := l.rest(ctx); rest > 0 {
				poll.Reset(rest)
				continue
			}
		}
		l.pulse.begin()
		next, err := l.claim(ctx)
		wake = l.wake.C()
		switch {
		case err == nil:
			retry = claimRetry
			l.pulse.next(next)
		case errors.Is(err, kappa.ErrDiskFull):
			next, wake = kappa.Jitter(diskRetry), nil // whatever comes meanwhile, it cannot be claimed
			l.log.WarnContext(ctx, "claim failed", "err", err, "retry_in", next)
		case ctx.Err() == nil:
			next = min(next, kappa.Jitter(retry))
			retry = min(2*retry, claimRetryMax, l.settings.Load().Poll())
			l.log.WarnContext(ctx, "claim failed", "err", err, "retry_in", next)
		}
		poll.Reset(next)
	}
}

// rest returns for how long a lane that found nothing at its last claim need not claim,
// because nothing has come meanwhile; 0 is not at all.
func (l *Lane) rest(ctx context.Context) time.Duration {
	if !l.empty {
		return 0
	}
	l.pulse.begin()
	rest := l.survey.quiet(ctx, l.settings.Load())
	if rest > 0 {
		l.pulse.next(rest)
	}
	return rest
}

// claim takes jobs for the free slots and starts them, and returns when to claim
// again at the latest. How many slots really are free, over all processes, and
// whether the lane is enabled, the database decides. The end of ctx does not cut a
// claim off at once, which may be made and its answer lost then.
func (l *Lane) claim(ctx context.Context) (next time.Duration, err error) {
	l.empty = false
	next = kappa.Jitter(l.settings.Load().Poll())
	s := l.worker.current()
	slots := l.settings.Load().Slots(l.ceiling)
	free := slots - int(l.running.Load())
	if s == nil || free <= 0 {
		return next, nil
	}
	most := l.size.of(slots, free)
	claimCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(claimLinger, cancel) })()
	began := time.Now()
	full := l.backlog.full(began)
	request := work.ClaimRequest{Lane: l.name, Worker: s.id, Types: l.runner.handled, Most: most, Ceiling: l.ceiling}
	if began.Sub(l.short) < spareFor {
		request.Spare = spareJobs
	}
	batch, err := l.store.Claim(claimCtx, l.backlog.request(request, full))
	l.size.claimed(most, err)
	if err != nil {
		l.worker.unconfirmed.claimFailed()
		return next, err
	}
	l.backlog.claimed(batch, full, most, began, time.Now())
	l.empty = full && len(batch.Claims) == 0
	if len(batch.Claims) < most {
		l.short = began
	}
	l.running.Add(int64(len(batch.Claims)))
	l.runner.finisher.counts.claimed(l.name, len(batch.Claims))
	l.runner.start(s.ctx, batch.Claims, l)
	if len(batch.Claims) == most && free > most {
		l.Wake() // there may be more, and there is room for it
	}
	if !full && len(batch.Claims) < free {
		next = min(next, time.Until(l.backlog.fullDue)) // something may wait where it did not scan
	}
	return next, nil
}
