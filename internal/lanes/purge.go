package lanes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	purgeEvery   = time.Hour
	purgeTimeout = 30 * time.Second
)

// PurgeConfig is what a Purge works with.
type PurgeConfig struct {
	Accounts interface {
		Purge(ctx context.Context) error
	}
	Jobs interface {
		PurgeSubmissions(ctx context.Context) error
	}
	Artifacts interface {
		PurgeArtifacts(ctx context.Context) error
	}
	Dataclips interface {
		PurgeDataclips(ctx context.Context) error
	}
	Webhooks interface {
		PurgeWebhooks(ctx context.Context) error
	}
	Log *slog.Logger
}

// Purge deletes what is of no use any more: revoked tokens and artifacts that have
// expired, the keys of old submissions, dataclips that no job refers to, and old deliveries of webhooks.
type Purge struct{ cfg PurgeConfig }

// NewPurge returns a Purge; Run makes it delete.
func NewPurge(cfg PurgeConfig) *Purge {
	kappa.Require(cfg)
	return &Purge{cfg}
}

// Run purges until ctx ends, for the first time after an interval; it returns nil.
func (p *Purge) Run(ctx context.Context) error {
	return kappa.Loop{Name: "purging", Every: purgeEvery, Later: true, Log: p.cfg.Log}.Run(ctx, p.runOnce)
}

// runOnce purges now. A part that fails does not hold up the others.
func (p *Purge) runOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, purgeTimeout)
	defer cancel()
	return errors.Join(p.cfg.Accounts.Purge(ctx), p.cfg.Jobs.PurgeSubmissions(ctx), p.cfg.Artifacts.PurgeArtifacts(ctx), p.cfg.Dataclips.PurgeDataclips(ctx), p.cfg.Webhooks.PurgeWebhooks(ctx))
}
