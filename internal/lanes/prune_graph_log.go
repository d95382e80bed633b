package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	graphLogEvery = time.Minute
	graphLogKeep  = 10 * time.Minute // longer than a server takes to load the graph
	graphLogBatch = 10_000           // rows in one transaction
)

// graphLogStore is what a GraphLog asks; see postgres.RetentionStore.
type graphLogStore interface {
	// AdvanceGraphLog has at least keep of the log kept.
	AdvanceGraphLog(ctx context.Context, term int64, keep time.Duration) error
	PruneGraphLog(ctx context.Context, term int64, most int) (deleted int, err error)
}

// GraphLogConfig is what a GraphLog works with.
type GraphLogConfig struct {
	Store graphLogStore
	Log   *slog.Logger
}

// GraphLog deletes changes of the graph that every server has read: those of ten
// minutes ago and more. A server that has not read for so long loads the graph anew.
type GraphLog struct{ cfg GraphLogConfig }

// NewGraphLog returns a GraphLog; Run makes it delete.
func NewGraphLog(cfg GraphLogConfig) *GraphLog {
	kappa.Require(cfg)
	return &GraphLog{cfg}
}

// Run deletes under a leader's term until ctx ends; it returns nil.
func (g *GraphLog) Run(ctx context.Context, term int64) error {
	return kappa.Loop{Name: "pruning the log of the graph", Every: graphLogEvery, Log: g.cfg.Log}.Run(ctx, func(ctx context.Context) error {
		return g.runOnce(ctx, term)
	})
}

// runOnce deletes now.
func (g *GraphLog) runOnce(ctx context.Context, term int64) error {
	advanceCtx, cancel := context.WithTimeout(ctx, pruneTimeout)
	defer cancel()
	if err := g.cfg.Store.AdvanceGraphLog(advanceCtx, term, graphLogKeep); err != nil {
		return err
	}
	_, err := batches(ctx, pruneTimeout, func(ctx context.Context) (int, bool, error) {
		n, err := g.cfg.Store.PruneGraphLog(ctx, term, graphLogBatch)
		return n, n == graphLogBatch, err
	})
	return err
}
