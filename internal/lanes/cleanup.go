package lanes

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// cleanupTries is how often a cleanup on demand begins when the leader changes during
// it.
const cleanupTries = 3

// CleanupConfig is what a Cleanup works with.
type CleanupConfig struct {
	Store interface {
		SchedulerState(ctx context.Context) (work.SchedulerState, error)
		JobCounts(ctx context.Context) (map[work.Status]int, error)
	}
	Expire *Expire
	Stale  *Stale
	Prune  *Prune
}

// Cleanup runs the janitors that expire, take back and prune on demand, on any server.
type Cleanup struct{ cfg CleanupConfig }

// NewCleanup returns a Cleanup.
func NewCleanup(cfg CleanupConfig) *Cleanup {
	kappa.Require(cfg)
	return &Cleanup{cfg}
}

// Clean runs one pass now. It may be called on any server: it works under the
// term of the server that leads, and begins again when that changes meanwhile.
// It returns CodeUnavailable when no server leads.
func (c *Cleanup) Clean(ctx context.Context) (work.Cleanup, error) {
	for range cleanupTries {
		state, err := c.cfg.Store.SchedulerState(ctx)
		if err != nil {
			return work.Cleanup{}, err
		}
		if !state.Leads {
			break
		}
		done, err := c.runOnce(ctx, state.Term)
		if !errors.Is(err, kappa.ErrDeposed) {
			return done, err
		}
	}
	return work.Cleanup{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "the scheduler is not running: no server leads", RetryAfter: campaignEvery}
}

// runOnce runs one pass under a term. A part that fails leaves the others to the next
// pass.
func (c *Cleanup) runOnce(ctx context.Context, term int64) (done work.Cleanup, err error) {
	if done.Expired, err = c.cfg.Expire.runOnce(ctx); err != nil {
		return done, err
	}
	if done.Recovered, err = c.cfg.Stale.runOnce(ctx, term); err != nil {
		return done, err
	}
	return done, c.cfg.Prune.runOnce(ctx, term, &done)
}

// Status returns what the scheduler does and how many jobs there are.
func (c *Cleanup) Status(ctx context.Context) (work.SchedulerStatus, error) {
	state, err := c.cfg.Store.SchedulerState(ctx)
	if err != nil {
		return work.SchedulerStatus{}, err
	}
	counts, err := c.cfg.Store.JobCounts(ctx)
	prune := c.cfg.Prune.cfg
	return work.SchedulerStatus{
		Running: state.Leads,
		Config: work.SchedulerConfig{
			CleanupInterval: int(prune.Every / time.Second), ApprovalTimeout: int(work.ApprovalExpires / time.Hour),
			CompletedRetention: int(prune.Keep.Completed / time.Hour), FailedRetention: int(prune.Keep.Failed / time.Hour),
		},
		Stats: work.SchedulerStats{JobsByStatus: counts, LastCleanup: state.LastCleanup, NextCleanup: state.NextCleanup},
	}, err
}
