package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	pruneBatch   = 1000 // rows in one transaction
	pruneTimeout = 30 * time.Second
	pruneRetry   = 30 * time.Second // after a pass that failed
)

// pruneStore is what a Prune asks; see postgres.RetentionStore.
type pruneStore interface {
	PruneJobs(ctx context.Context, term int64, keep work.Retention, key work.PruneKey, most int) (deleted int, next work.PruneKey, more bool, err error)
	PruneContents(ctx context.Context, term int64, key work.PruneKey, most int) (deleted int, next work.PruneKey, more bool, err error)
	PruneScheduleRuns(ctx context.Context, term int64, keep time.Duration, most int) (deleted int, err error)
	// RecountJobs adds what the counts of jobs that are over lack.
	RecountJobs(ctx context.Context, term int64) (off int, err error)
	// PlanCleanup returns how long to wait until the next pass, an interval after the
	// last one of any server; 0 is now.
	PlanCleanup(ctx context.Context, every time.Duration) (time.Duration, error)
	// CleanupDone stores that a pass has ended.
	CleanupDone(ctx context.Context, every time.Duration) error
}

// PruneConfig says what is kept, and how often the rest is deleted.
type PruneConfig struct {
	Store pruneStore
	Keep  work.Retention
	Every time.Duration
	Log   *slog.Logger
}

// Prune deletes what is not kept any longer: ended jobs with their events, contents
// that nothing refers to, old answers of schedules. It deletes in small transactions,
// each under the leader's term, so that nobody waits long for it.
type Prune struct{ cfg PruneConfig }

// NewPrune returns a Prune; Run makes it delete.
func NewPrune(cfg PruneConfig) *Prune {
	kappa.Require(cfg)
	return &Prune{cfg}
}

// Run deletes under a leader's term until ctx ends, one interval after the last pass
// of any server; it returns nil. A new leader does not begin again.
func (p *Prune) Run(ctx context.Context, term int64) error {
	loop := kappa.Loop{Name: "pruning", Every: p.cfg.Every, Retry: pruneRetry, Log: p.cfg.Log.With("term", term)}
	return loop.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) { return p.runPlanned(ctx, term) })
}

// runPlanned runs a pass if it is time for one, and returns how long to wait.
func (p *Prune) runPlanned(ctx context.Context, term int64) (time.Duration, error) {
	planCtx, cancel := context.WithTimeout(ctx, pruneTimeout)
	defer cancel()
	wait, err := p.cfg.Store.PlanCleanup(planCtx, p.cfg.Every)
	if err != nil || wait > 0 {
		return wait, err
	}
	var done work.Cleanup
	if err := p.runOnce(ctx, term, &done); err != nil {
		return 0, err
	}
	return p.cfg.Every, nil
}

// runOnce deletes what is not kept by now, and counts in done. A part that fails
// leaves the others to the next pass.
func (p *Prune) runOnce(ctx context.Context, term int64, done *work.Cleanup) error {
	store, keep := p.cfg.Store, p.cfg.Keep
	started := time.Now()
	for _, part := range []struct {
		count *int
		batch func(ctx context.Context, key *work.PruneKey) (deleted int, more bool, err error)
	}{
		{&done.Jobs, func(ctx context.Context, key *work.PruneKey) (n int, more bool, err error) {
			n, *key, more, err = store.PruneJobs(ctx, term, keep, *key, pruneBatch)
			return n, more, err
		}},
		{&done.Contents, func(ctx context.Context, key *work.PruneKey) (n int, more bool, err error) {
			n, *key, more, err = store.PruneContents(ctx, term, *key, pruneBatch)
			return n, more, err
		}},
		{&done.Runs, func(ctx context.Context, _ *work.PruneKey) (int, bool, error) {
			n, err := store.PruneScheduleRuns(ctx, term, keep.Failed, pruneBatch)
			return n, n == pruneBatch, err
		}},
	} {
		var key work.PruneKey
		deleted, err := batches(ctx, pruneTimeout, func(ctx context.Context) (int, bool, error) { return part.batch(ctx, &key) })
		*part.count = deleted
		if err != nil {
			return err
		}
	}
	doneCtx, cancel := context.WithTimeout(ctx, pruneTimeout)
	defer cancel()
	off, err := store.RecountJobs(doneCtx, term)
	if err != nil {
		return err
	}
	if off > 0 {
		p.cfg.Log.WarnContext(ctx, "jobs had ended that were not counted", "term", term, "jobs", off)
	}
	level := slog.LevelInfo
	if done.Jobs+done.Contents+done.Runs == 0 {
		level = slog.LevelDebug // once an hour, and at each start
	}
	p.cfg.Log.Log(ctx, level, "pruned", "term", term, "jobs", done.Jobs, "contents", done.Contents, "runs", done.Runs, "seconds", time.Since(started).Seconds())
	return store.CleanupDone(doneCtx, p.cfg.Every)
}
