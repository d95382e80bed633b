package lanes

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	finishTimeout  = 10 * time.Second
	finishRetry    = 100 * time.Millisecond
	finishRetryMax = 2 * time.Second
)

// unstorable is the outcome of an attempt of which nothing else can be stored.
const unstorable = "The database refused how the job ended; see the server's log"

// finishStore stores the outcomes of attempts; see postgres.ClaimStore.Finish. It
// does not keep them after it has returned.
type finishStore interface {
	Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error)
	// Locked returns those of the jobs whose rows somebody has locked. It does not
	// wait for them.
	Locked(ctx context.Context, jobIDs []string) ([]string, error)
}

// Finisher stores the outcomes of attempts, grouped: while one statement is on its
// way, the attempts that end meanwhile wait for the next one, and for up to a
// millisecond more while others are at work. Nothing waits when there is no
// traffic. When many wait, a second statement goes beside the first.
type Finisher struct {
	store    finishStore
	log      *slog.Logger
	queue    *outcomeQueue
	deferred deferred
	over     func(runs []*run) // their outcomes are stored, or are not to be; the Runner's
	told     []func(work.EndedAttempt)
	counts   counts // of the lanes whose attempts end here
}

// Counts returns what the lanes of this process have done, by lane.
func (f *Finisher) Counts() map[string]work.LaneCount { return f.counts.copy() }

// NewFinisher returns a Finisher; Run makes it store.
func NewFinisher(store finishStore, log *slog.Logger) *Finisher {
	return &Finisher{store: store, log: log, queue: newOutcomeQueue(), over: func([]*run) {}}
}

// Tell has each of to told of every attempt that ends, when its outcome is stored. It is to be
// called before Run, and who is told must not block.
func (f *Finisher) Tell(to ...func(work.EndedAttempt)) { f.told = append(f.told, to...) }

// tell tells of attempts whose outcomes are stored; of those whose claims were gone nothing is.
func (f *Finisher) tell(runs []*run, outcomes []work.Outcome, statuses map[string]work.Status) {
	for i, r := range runs {
		status, stored := statuses[r.claim.JobID]
		if !stored {
			continue
		}
		a := work.EndedAttempt{
			Lane: r.claim.Lane, JobType: r.claim.JobType, Outcome: attemptOutcome(status, outcomes[i]), Waited: r.claim.Waited(), Ran: time.Since(r.began),
		}
		for _, to := range f.told {
			to(a)
		}
	}
}

// expect says that attempts begin, each of which is to end by finish or by
// dismiss.
func (f *Finisher) expect(n int) { f.queue.expect(n) }

// dismiss frees the slot of an attempt without an outcome.
func (f *Finisher) dismiss(r *run) {
	f.queue.dismiss()
	f.free(r)
}

// finish stores an attempt's outcome, and then frees its slot. It returns at once;
// the outcome waits as long as the database is away.
func (f *Finisher) finish(r *run) {
	if !f.queue.add(r) {
		f.refuse(r)
	}
}

// Run stores outcomes until ctx ends, which is to be after the last job has
// ended; it returns nil, and no statement is on its way then. It is called once.
func (f *Finisher) Run(ctx context.Context) error {
	var statements sync.WaitGroup
	statements.Go(func() { f.storeDeferred(ctx) })
	idle := make(chan *group, maxGroups)
	for range maxGroups {
		idle <- &group{}
	}
	for {
		g := <-idle
		g.runs = f.queue.next(ctx, g.runs)
		if len(g.runs) == 0 {
			break
		}
		statements.Go(func() {
			f.storeGroup(ctx, g)
			f.queue.stored(g.runs)
			g.reset()
			idle <- g
		})
	}
	f.refuse(f.queue.close()...)
	statements.Wait()
	f.refuse(f.deferred.take(math.MaxInt).runs...)
	return nil
}

// group is outcomes of one worker that are stored together.
type group struct {
	runs     []*run
	outcomes []work.Outcome // of each run
}

// reset empties a group for its next use.
func (g *group) reset() {
	clear(g.runs)
	clear(g.outcomes)
	g.runs, g.outcomes = g.runs[:0], g.outcomes[:0]
}

// storeGroup stores a group.
func (f *Finisher) storeGroup(ctx context.Context, g *group) {
	for _, r := range g.runs {
		g.outcomes = append(g.outcomes, r.outcome(rand.Float64()))
	}
	f.storeOutcomes(ctx, g.runs, g.outcomes)
}

// storeOutcomes stores the outcomes of runs. While the database is away or full
// it retries, with fewer at a time when it was too slow for so many; outcomes of
// jobs that somebody has locked are deferred; and an outcome that the database
// refuses is stored as a failure that says so, alone. So none of them can hold up
// the others.
func (f *Finisher) storeOutcomes(ctx context.Context, runs []*run, outcomes []work.Outcome) {
	wait, most := finishRetry, len(runs)
	for len(runs) > 0 {
		n := min(most, len(runs))
		storeCtx, cancel := context.WithTimeout(ctx, finishTimeout)
		statuses, err := f.store.Finish(storeCtx, runs[0].claim.Worker, outcomes[:n])
		if err != nil && storeCtx.Err() != nil {
			most = max(n/2, work.DefaultMaxLaneSlots)
		}
		cancel()
		switch {
		case err == nil:
			f.counts.ended(runs[:n], outcomes[:n], statuses)
			f.tell(runs[:n], outcomes[:n], statuses)
			f.answer(ctx, runs[:n], outcomes[:n], statuses)
			runs, outcomes, wait = runs[n:], outcomes[n:], finishRetry
			continue
		case ctx.Err() != nil:
			f.refuse(runs...)
			return
		case kappa.ErrorCode(err) != kappa.CodeUnavailable:
			f.storeRefused(ctx, runs[:n], outcomes[:n], err)
			runs, outcomes = runs[n:], outcomes[n:]
			continue
		}
		if errors.Is(err, kappa.ErrDiskFull) {
			wait = diskRetry
		} else if free, ok := f.deferLocked(ctx, group{runs, outcomes}); ok && len(free.runs) < len(runs) {
			f.log.WarnContext(ctx, "somebody has locked jobs that have ended; their outcomes wait", "jobs", len(runs)-len(free.runs), "err", err)
			runs, outcomes = free.runs, free.outcomes
			continue
		}
		f.log.WarnContext(ctx, "storing outcomes failed", "jobs", len(runs), "err", err, "retry_in", wait)
		select {
		case <-ctx.Done():
		case <-time.After(kappa.Jitter(wait)):
		}
		wait = min(2*wait, finishRetryMax)
	}
}

// storeRefused stores outcomes of a group that the database refused.
func (f *Finisher) storeRefused(ctx context.Context, runs []*run, outcomes []work.Outcome, cause error) {
	if len(runs) > 1 {
		for i := range runs {
			f.storeOutcomes(ctx, runs[i:i+1], outcomes[i:i+1])
		}
		return
	}
	o := &outcomes[0]
	f.log.ErrorContext(ctx, "the database refused an outcome", "job", o.Claim.JobID, "outcome", o.Status, "err", cause)
	switch {
	case o.Status != work.StatusFailed || o.Result != nil:
		*o = work.Outcome{Claim: o.Claim, Status: work.StatusFailed, Error: "The result could not be stored: " + kappa.ErrorMessage(cause)}
	case o.Error != unstorable:
		*o = work.Outcome{Claim: o.Claim, Status: work.StatusFailed, Error: unstorable}
	default:
		f.answer(ctx, runs, outcomes, nil) // nothing simpler is left; the stale timeout will end it
		return
	}
	f.storeOutcomes(ctx, runs, outcomes)
}

// answer frees the slots of runs whose outcomes are stored, or are not to be, and
// logs how they ended; a job that is not in statuses had a stale claim.
func (f *Finisher) answer(ctx context.Context, runs []*run, outcomes []work.Outcome, statuses map[string]work.Status) {
	f.free(runs...)
	logged := f.log.Enabled(ctx, slog.LevelInfo)
	for i, r := range runs {
		status, stored := statuses[r.claim.JobID]
		switch {
		case !stored:
			f.log.WarnContext(ctx, "job ended, but the claim was stale", append(r.about(), "outcome", outcomes[i].Status)...)
		case logged:
			f.log.InfoContext(ctx, "job ended", append(r.about(), "status", status, "err", r.err, "seconds", time.Since(r.claim.ClaimedAt).Seconds())...)
		}
	}
}

// free frees slots, and only then wakes who can use them: one claim is to take them
// all.
func (f *Finisher) free(runs ...*run) {
	f.over(runs)
	for _, r := range runs {
		r.freeSlot()
	}
	wakeSlots(runs)
}

// refuse frees the slots of those that ended too late to be stored.
func (f *Finisher) refuse(runs ...*run) {
	f.free(runs...)
	for _, r := range runs {
		f.log.WarnContext(r.ctx, "job ended too late to be stored; it will be rescued", r.about()...)
	}
}
