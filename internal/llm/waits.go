package llm

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
)

const (
	// DefaultProviderPatience is for how long a job may wait for a provider before that is
	// said as a warning.
	DefaultProviderPatience = 15 * time.Minute
	waitsEvery              = 10 * time.Second
	warnsEvery              = time.Minute
	leastWaitsEvery         = 100 * time.Millisecond
)

// WaitsConfig is what a Waits works with.
type WaitsConfig struct {
	Store    waitStore
	Patience time.Duration // 0 is DefaultProviderPatience
	Log      *slog.Logger
}

// waitStore keeps the waits of jobs for providers; see postgres.ProviderStore.
type waitStore interface {
	TellWaits(ctx context.Context) (int, error)
	WarnWaits(ctx context.Context, patience time.Duration) ([]models.LateWait, error)
	ForgetWaits(ctx context.Context) error
}

// Waits warns of jobs that wait for a provider for long, once a wait: those who follow
// them by an event, and operators in the log. One process of an installation runs it.
type Waits struct{ cfg WaitsConfig }

// NewWaits returns a Waits; Run makes it warn.
func NewWaits(cfg WaitsConfig) *Waits {
	if cfg.Patience == 0 {
		cfg.Patience = DefaultProviderPatience
	}
	return &Waits{cfg}
}

// Run warns until ctx ends; it returns nil.
func (w *Waits) Run(ctx context.Context) error {
	every := max(min(waitsEvery, w.cfg.Patience/4), leastWaitsEvery)
	var warned time.Time
	loop := kappa.Loop{Name: "seeing about jobs that wait for providers", Every: every, Later: true, Log: w.cfg.Log}
	return loop.Run(ctx, func(ctx context.Context) error {
		// An idle server asks as little as it can.
		all := time.Since(warned) >= min(warnsEvery, w.cfg.Patience/4)
		if all {
			warned = time.Now()
		}
		return w.round(ctx, all)
	})
}

// round tells of waits once, and with all it also warns, and forgets what is of no use.
func (w *Waits) round(ctx context.Context, all bool) error {
	ctx, cancel := context.WithTimeout(ctx, governLimit)
	defer cancel()
	if all {
		if err := w.cfg.Store.ForgetWaits(ctx); err != nil {
			return err
		}
	}
	if _, err := w.cfg.Store.TellWaits(ctx); err != nil || !all {
		return err
	}
	late, err := w.cfg.Store.WarnWaits(ctx, w.cfg.Patience)
	for _, l := range late {
		w.cfg.Log.WarnContext(ctx, "a job waits for a provider of models", "job", l.JobID, "provider", l.Provider, "since", l.Since, "reason", l.Reason)
	}
	return err
}
