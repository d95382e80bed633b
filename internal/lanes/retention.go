package lanes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	cleanupBatch   = 1000 // rows in one transaction
	cleanupTimeout = 30 * time.Second
	cleanupRetry   = 30 * time.Second // after a pass that failed
	cleanupTries   = 3                // when the leader changes during a pass
)

// cleanupStore is what the Cleaner asks; see postgres.RetentionStore.
type cleanupStore interface {
	ExpireJobs(ctx context.Context) (int, error)
	RecoverStale(ctx context.Context, term int64, most int) (map[string]kappa.Status, error)
	PruneJobs(ctx context.Context, term int64, keep kappa.Retention, key kappa.PruneKey, most int) (deleted int, next kappa.PruneKey, more bool, err error)
	PruneContents(ctx context.Context, term int64, key kappa.PruneKey, most int) (deleted int, next kappa.PruneKey, more bool, err error)
	PruneScheduleRuns(ctx context.Context, term int64, keep time.Duration, most int) (deleted int, err error)
	PlanCleanup(ctx context.Context, every time.Duration) (time.Duration, error)
	CleanupDone(ctx context.Context, every time.Duration) error
	SchedulerState(ctx context.Context) (kappa.SchedulerState, error)
	JobCounts(ctx context.Context) (map[kappa.Status]int, error)
}

// CleanerConfig says what is cleaned up, and how often.
type CleanerConfig struct {
	Store   cleanupStore
	Keep    kappa.Retention
	Every   time.Duration
	Rescues *Rescues // counts the jobs that are taken back; nil counts nothing
	Log     *slog.Logger
}

// Cleaner cancels what nobody approved in time, takes back stuck jobs, and
// deletes what is not kept any longer: ended jobs with their events, contents
// that nothing refers to, old answers of schedules. It deletes in small
// transactions, each under the leader's term, so that nobody waits long for it.
type Cleaner struct{ cfg CleanerConfig }

// NewCleaner returns a Cleaner; Run makes it clean up again and again.
func NewCleaner(cfg CleanerConfig) *Cleaner { return &Cleaner{cfg: cfg} }

// Run cleans up under a leader's term until ctx ends, one interval after the
// last pass of any server; it returns nil. A new leader does not begin again.
func (c *Cleaner) Run(ctx context.Context, term int64) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		wait, err := c.turn(ctx, term)
		if err != nil && ctx.Err() == nil {
			c.cfg.Log.WarnContext(ctx, "cleanup failed", "term", term, "err", err, "retry_in", cleanupRetry)
			wait = cleanupRetry
		}
		timer.Reset(wait)
	}
}

// turn runs a pass if it is time for one, and returns how long to wait.
func (c *Cleaner) turn(ctx context.Context, term int64) (time.Duration, error) {
	planCtx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	wait, err := c.cfg.Store.PlanCleanup(planCtx, c.cfg.Every)
	if err != nil || wait > 0 {
		return wait, err
	}
	if _, err := c.pass(ctx, term); err != nil {
		return 0, err
	}
	return c.cfg.Every, nil
}

// Clean runs one pass now. It may be called on any server: it works under the
// term of the server that leads, and begins again when that changes meanwhile.
// It returns CodeUnavailable when no server leads.
func (c *Cleaner) Clean(ctx context.Context) (kappa.Cleanup, error) {
	for range cleanupTries {
		state, err := c.cfg.Store.SchedulerState(ctx)
		if err != nil {
			return kappa.Cleanup{}, err
		}
		if !state.Leads {
			break
		}
		done, err := c.pass(ctx, state.Term)
		if !errors.Is(err, kappa.ErrDeposed) {
			return done, err
		}
	}
	return kappa.Cleanup{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the scheduler is not running: no server leads", RetryAfter: campaignEvery}
}

// Status returns what the scheduler does and how many jobs there are.
func (c *Cleaner) Status(ctx context.Context) (kappa.SchedulerStatus, error) {
	state, err := c.cfg.Store.SchedulerState(ctx)
	if err != nil {
		return kappa.SchedulerStatus{}, err
	}
	counts, err := c.cfg.Store.JobCounts(ctx)
	return kappa.SchedulerStatus{
		Running: state.Leads,
		Config: kappa.SchedulerConfig{
			CleanupInterval: int(c.cfg.Every / time.Second), ApprovalTimeout: int(kappa.ApprovalExpires / time.Hour),
			CompletedRetention: int(c.cfg.Keep.Completed / time.Hour), FailedRetention: int(c.cfg.Keep.Failed / time.Hour),
		},
		Stats: kappa.SchedulerStats{JobsByStatus: counts, LastCleanup: state.LastCleanup, NextCleanup: state.NextCleanup},
	}, err
}

// pass cleans up once. A part that fails leaves the others to the next pass.
func (c *Cleaner) pass(ctx context.Context, term int64) (done kappa.Cleanup, err error) {
	store, keep := c.cfg.Store, c.cfg.Keep
	started := time.Now()
	for _, part := range []struct {
		count *int
		batch func(ctx context.Context, key *kappa.PruneKey) (deleted int, more bool, err error)
	}{
		{&done.Expired, func(ctx context.Context, _ *kappa.PruneKey) (int, bool, error) {
			n, err := store.ExpireJobs(ctx)
			return n, n > 0, err
		}},
		{&done.Recovered, func(ctx context.Context, _ *kappa.PruneKey) (int, bool, error) {
			jobs, err := store.RecoverStale(ctx, term, rescueBatch)
			c.cfg.Rescues.add(kappa.TakenNoProgress, jobs)
			return len(jobs), len(jobs) == rescueBatch, err
		}},
		{&done.Jobs, func(ctx context.Context, key *kappa.PruneKey) (n int, more bool, err error) {
			n, *key, more, err = store.PruneJobs(ctx, term, keep, *key, cleanupBatch)
			return n, more, err
		}},
		{&done.Contents, func(ctx context.Context, key *kappa.PruneKey) (n int, more bool, err error) {
			n, *key, more, err = store.PruneContents(ctx, term, *key, cleanupBatch)
			return n, more, err
		}},
		{&done.Runs, func(ctx context.Context, _ *kappa.PruneKey) (int, bool, error) {
			n, err := store.PruneScheduleRuns(ctx, term, keep.Failed, cleanupBatch)
			return n, n == cleanupBatch, err
		}},
	} {
		if *part.count, err = repeat(ctx, part.batch); err != nil {
			return done, err
		}
	}
	c.cfg.Log.InfoContext(ctx, "cleaned up", "term", term, "expired", done.Expired, "recovered", done.Recovered,
		"jobs", done.Jobs, "contents", done.Contents, "runs", done.Runs, "seconds", time.Since(started).Seconds())
	doneCtx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	return done, store.CleanupDone(doneCtx, c.cfg.Every)
}

// repeat runs a batch until there is no more, and counts.
func repeat(ctx context.Context, batch func(ctx context.Context, key *kappa.PruneKey) (int, bool, error)) (total int, err error) {
	var key kappa.PruneKey
	for more := true; more; {
		batchCtx, cancel := context.WithTimeout(ctx, cleanupTimeout)
		var n int
		n, more, err = batch(batchCtx, &key)
		cancel()
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
