package lanes

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
)

const foldEvery = 10 * time.Second // what readers have to add up until then is little

// foldingStore is what a Folding asks; see postgres.RetentionStore.
type foldingStore interface {
	FoldOntologyCounts(ctx context.Context) (folded int, err error)
	FoldJobCounts(ctx context.Context) (folded int, err error)
}

// FoldingConfig is what a Folding works with.
type FoldingConfig struct {
	Store foldingStore
	Log   *slog.Logger
}

// Folding folds what has changed into the counts that are kept: of what the ontologies hold,
// and of the jobs that are over.
type Folding struct{ cfg FoldingConfig }

// NewFolding returns a Folding; Run makes it fold.
func NewFolding(cfg FoldingConfig) *Folding {
	kappa.Require(cfg)
	return &Folding{cfg}
}

// Run folds until ctx ends; it returns nil. The term is that of the leader, which has nobody
// to exclude here.
func (f *Folding) Run(ctx context.Context, _ int64) error {
	return kappa.Loop{Name: "folding counts", Every: foldEvery, Log: f.cfg.Log}.Run(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, pruneTimeout)
		defer cancel()
		_, err := f.cfg.Store.FoldOntologyCounts(ctx)
		_, jobsErr := f.cfg.Store.FoldJobCounts(ctx)
		return errors.Join(err, jobsErr)
	})
}
