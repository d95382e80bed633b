package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	expireEvery   = time.Minute
	expireTimeout = 10 * time.Second // of one batch
)

// ExpireConfig is what an Expire works with.
type ExpireConfig struct {
	Store interface {
		ExpireJobs(ctx context.Context) (int, error)
	}
	Log *slog.Logger
}

// Expire cancels jobs that nobody has approved in time.
type Expire struct{ cfg ExpireConfig }

// NewExpire returns an Expire; Run makes it cancel.
func NewExpire(cfg ExpireConfig) *Expire {
	kappa.Require(cfg)
	return &Expire{cfg}
}

// Run cancels jobs until ctx ends; it returns nil.
func (e *Expire) Run(ctx context.Context) error {
	return kappa.Loop{Name: "expiry of unapproved jobs", Every: expireEvery, Log: e.cfg.Log}.Run(ctx, func(ctx context.Context) error {
		_, err := e.runOnce(ctx)
		return err
	})
}

// runOnce cancels what has expired by now, and returns how many jobs these are.
func (e *Expire) runOnce(ctx context.Context) (int, error) {
	n, err := batches(ctx, expireTimeout, func(ctx context.Context) (int, bool, error) {
		n, err := e.cfg.Store.ExpireJobs(ctx)
		return n, n > 0, err
	})
	if n > 0 {
		e.cfg.Log.InfoContext(ctx, "unapproved jobs expired", "jobs", n)
	}
	return n, err
}
