package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	staleEvery   = 30 * time.Second
	staleTimeout = 10 * time.Second // of one batch
)

// StaleConfig is what a Stale works with.
type StaleConfig struct {
	Store interface {
		RecoverStale(ctx context.Context, term int64, most int) (map[string]work.Status, error)
	}
	Rescues *Rescues // counts the jobs that are taken back; nil counts nothing
	Log     *slog.Logger
}

// Stale takes back jobs that report no progress within their lane's stale timeout.
type Stale struct{ cfg StaleConfig }

// NewStale returns a Stale; Run makes it take jobs back.
func NewStale(cfg StaleConfig) *Stale {
	kappa.Require(cfg, "Rescues")
	return &Stale{cfg}
}

// Run takes jobs back under a leader's term until ctx ends; it returns nil.
func (s *Stale) Run(ctx context.Context, term int64) error {
	return kappa.Loop{Name: "stale recovery", Every: staleEvery, Log: s.cfg.Log.With("term", term)}.Run(ctx, func(ctx context.Context) error {
		_, err := s.runOnce(ctx, term)
		return err
	})
}

// runOnce takes back what is stale now, and returns how many jobs these are.
func (s *Stale) runOnce(ctx context.Context, term int64) (int, error) {
	return batches(ctx, staleTimeout, func(ctx context.Context) (int, bool, error) {
		jobs, err := s.cfg.Store.RecoverStale(ctx, term, rescueBatch)
		s.cfg.Rescues.report(ctx, s.cfg.Log, work.TakenNoProgress, jobs)
		return len(jobs), len(jobs) == rescueBatch, err
	})
}
